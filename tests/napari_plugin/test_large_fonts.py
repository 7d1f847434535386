"""With large letters and in a narrow panel no text is cut, and every control is in reach."""

import pytest
from napari.settings import get_settings
from qtpy.QtCore import QEvent, QPoint, Qt
from qtpy.QtWidgets import QAbstractButton, QApplication, QDockWidget, QLabel, QPushButton, QScrollArea, QWidget

from latentmap.napari_plugin.qt.accessibility import CONTROLS
from latentmap.napari_plugin.qt.rows import in_row, label_row
from latentmap.napari_plugin.qt.wrapping_layout import WrappingLayout

pytestmark = pytest.mark.usefixtures("replayed")

NARROW = 300


@pytest.fixture
def usual_size():
    yield (usual := get_settings().appearance.font_size)
    get_settings().appearance.font_size = usual


def narrow(viewer, panel):
    docks = viewer.window._qt_window.findChildren(QDockWidget)
    dock = next(dock for dock in docks if dock.isAncestorOf(panel))
    viewer.window._qt_window.resizeDocks([dock], [NARROW], Qt.Orientation.Horizontal)


def parts(page, kinds):
    found = [part for part in page.findChildren(QWidget) if isinstance(part, kinds) and part.isVisibleTo(page)]
    return [part for part in found if not is_folded(part, page)]


def is_folded(part, page):
    """Whether a part is in a section that is closed."""
    while part is not page:
        part = part.parentWidget()
        if not part.height():
            return True
    return False


def cut(page):
    """The texts that have less room than they need."""
    texts = [part for part in parts(page, (QLabel, QAbstractButton)) if getattr(part, "text", str)()]
    found = []
    for part in texts:
        if isinstance(part, QLabel) and part.wordWrap():
            is_cut = part.height() < part.heightForWidth(part.width())
        elif part.sizePolicy().horizontalPolicy() == part.sizePolicy().Policy.Ignored:
            is_cut = False  # the status line: it is shortened, and "more" shows all of it
        else:
            needed = part.minimumSizeHint()
            is_cut = part.width() < needed.width() or part.height() < needed.height()
        if is_cut:
            found.append(part.text())
    return found


def out_of_reach(page, frame):
    """The controls that lie outside of what can be scrolled to, or of the panel itself."""
    lost = []
    for part in parts(page, CONTROLS):
        corner = part.mapTo(frame, QPoint(part.width(), part.height()))
        if corner.x() > frame.width() or corner.y() > frame.height():
            lost.append(part.accessibleName() or getattr(part, "text", str)())
    return lost


@pytest.mark.parametrize("factor", [1, 1.5, 2])
@pytest.mark.usefixtures("new_window")
def test_no_text_is_cut_and_no_control_out_of_reach(qtbot, viewer, panel, cells, mapped, usual_size, factor):
    panel.session.classes.assign("dividing", panel.session.cell_index.numbers_of([("cells", 0, 3)]))
    get_settings().appearance.font_size = round(factor * usual_size)
    narrow(viewer, panel)
    qtbot.wait(100)
    assert panel.width() < 1.2 * NARROW
    height = panel.embed_button.native.fontMetrics().height()
    assert height == pytest.approx(factor * 14, rel=0.25)
    words = panel.progress.native.findChild(QLabel)
    assert words.fontMetrics().height() == height <= words.height()
    for place in range(panel.tabs.count()):
        panel.tabs.setCurrentIndex(place)
        qtbot.wait(50)
        area = panel.tabs.currentWidget()
        assert isinstance(area, QScrollArea)
        assert area.horizontalScrollBarPolicy() == Qt.ScrollBarPolicy.ScrollBarAsNeeded
        page, name = area.widget(), panel.tabs.tabText(place)
        # A page is laid out anew in several turns of the event loop.
        qtbot.wait_until(lambda page=page: not cut(page) and not out_of_reach(page, page), timeout=10_000)
        if factor == 1:
            assert page.width() <= area.viewport().width(), name  # nothing has to be scrolled sideways
    pinned = panel.embed_button.native, panel.pause_button.native, panel.cancel_button.native, panel.live.native
    for control in (*pinned, *panel.tools.buttons.values(), panel.tools.fit):
        assert panel.rect().contains(control.geometry().translated(control.parentWidget().mapTo(panel, QPoint())))
        needed = control.minimumSizeHint()
        assert control.width() >= min(needed.width(), control.maximumWidth())


def test_a_row_wraps_where_there_is_no_room(qtbot):
    row = QWidget()
    qtbot.addWidget(row)
    layout = WrappingLayout(row)
    buttons = [QPushButton(name) for name in ("Undo", "Redo", "Invert")]
    for button in buttons:
        layout.addWidget(button)
    one = buttons[0].sizeHint()
    wide, narrow = layout.sizeHint().width(), max(button.minimumSizeHint().width() for button in buttons)
    assert layout.heightForWidth(wide) == one.height()
    assert layout.heightForWidth(narrow) == 3 * one.height() + 2 * 6
    row.resize(2 * wide, one.height())
    row.show()
    QApplication.processEvents()
    assert len({button.y() for button in buttons}) == 1
    assert buttons[-1].geometry().right() >= 2 * wide - 4  # all the width is used
    row.resize(narrow, 3 * one.height() + 12)
    QApplication.processEvents()
    assert [button.x() for button in buttons] == [0, 0, 0]
    buttons[1].hide()
    QApplication.processEvents()
    assert layout.heightForWidth(narrow) == 2 * one.height() + 6


class _Asked(QPushButton):
    """A button that counts how often it is asked for its size."""

    n_asked = 0

    def minimumSizeHint(self):
        self.n_asked += 1
        return super().minimumSizeHint()


def _change_text(row, button):
    button.setText("A far longer text than before")


def _change_font(row, button):
    font = button.font()
    font.setPointSize(3 * font.pointSize())
    button.setFont(font)


def _add_button(row, button):
    row.layout().addWidget(further := QPushButton("A further button with a text"))
    further.show()


def _remove_button(row, button):
    row.layout().removeWidget(button)
    button.setParent(None)


def _delete_button(row, button):
    button.deleteLater()


def _hide_button(row, button):
    button.hide()


@pytest.mark.parametrize(
    "change", [_change_text, _change_font, _add_button, _remove_button, _delete_button, _hide_button]
)
def test_a_row_asks_its_widgets_once_until_one_changes(qtbot, change):
    row = QWidget()
    qtbot.addWidget(row)
    layout, button = WrappingLayout(row), _Asked("Undo")
    layout.addWidget(button)
    layout.addWidget(QPushButton("Redo"))
    row.show()
    QApplication.processEvents()

    def sizes():
        heights = [layout.heightForWidth(width) for width in range(20, 400, 20)]
        return heights, layout.sizeHint(), layout.minimumSize()

    before, n_asked = sizes(), button.n_asked
    assert all(sizes() == before for _ in range(20))
    assert button.n_asked == n_asked
    change(row, button)
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    after = sizes()
    assert after[0] != before[0]
    assert after[1] != before[1]
    layout.invalidate()
    assert sizes() == after


@pytest.mark.parametrize("as_row", [in_row, lambda *widgets: label_row("Name", widgets[0])])
def test_widgets_in_a_row_are_asked_for_their_sizes_once(qtbot, as_row):
    # Qt remembers the sizes of a widget in the first item that it has, so this must be the one in the row.
    from magicgui.widgets import SpinBox

    field = SpinBox(value=3)
    row = as_row(field)
    qtbot.addWidget(row.native)
    row.native.show()
    QApplication.processEvents()
    items = [row.native.layout().itemAt(at) for at in range(row.native.layout().count())]
    (item,) = [one for one in items if one.widget() is field.native]
    first = item.sizeHint()
    field.native.sizeHint = lambda: pytest.fail("asked once more")
    assert item.sizeHint() == first


def test_rows_keep_their_widgets(qtbot):
    from magicgui.widgets import LineEdit

    field = LineEdit(value="x")
    row = label_row("Name", field)
    qtbot.addWidget(row.native)
    assert [row.native.layout().itemAt(at).widget() for at in range(2)] == [row[0].native, field.native]
    field.visible = False
    assert not field.visible
