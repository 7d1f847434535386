"""The part of the panel for the colours of the points, with a legend."""

from collections.abc import Callable, Sequence

from magicgui.widgets import CheckBox, Container, Label
from magicgui.widgets.bases import Widget
from qtpy.QtWidgets import QFrame, QScrollArea

from latentmap.display.actions import ACTIONS
from latentmap.napari_plugin.panel.legend import Legend
from latentmap.napari_plugin.qt.font_size import follow_font
from latentmap.napari_plugin.qt.rows import align_label, in_row
from latentmap.napari_plugin.qt.searchable_box import SearchableBox
from latentmap.presenters.colours import ColourPresenter
from latentmap.presenters.image_colours import ImageColoursPresenter
from latentmap.session import VARIANCE, ColourBy, ColourGroups, ColourScale, Session

# The height of a legend that need not scroll, in pixels.
_HIGHEST = 220


class ColourSection(Container[Widget]):
    """Draws what `ColourPresenter` decides, and the legend."""

    def __init__(self, session: Session, tell: Callable[[str], None] = lambda sentence: None) -> None:
        self.presenter = ColourPresenter(session, self, tell)
        self._images = ImageColoursPresenter(session, self)
        self.by = SearchableBox(ACTIONS["colour"].about)
        label = Label(value=ACTIONS["colour"].label, tooltip=ACTIONS["colour"].about)
        align_label(label.native)
        row = in_row(label)
        row.native.layout().addWidget(self.by)
        self.sized = CheckBox(text=ACTIONS["sized"].label, tooltip=ACTIONS["sized"].about)
        self.names = CheckBox(text=ACTIONS["names"].label, tooltip=ACTIONS["names"].about)
        self.images = CheckBox(text=ACTIONS["images"].label, tooltip=ACTIONS["images"].about)
        super().__init__(widgets=[row, self.images, self.sized, self.names], labels=False)
        self.margins = (0, 0, 0, 0)
        self.legend, self._area = Legend(), QScrollArea()
        self._area.setWidget(self.legend)
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self.native.layout().addWidget(self._area)
        self.legend.picked.connect(self.presenter.select_group)
        self.legend.renamed.connect(self.presenter.rename_group)
        self.by.changed.connect(self.presenter.choose)
        self.sized.changed.connect(self.presenter.size)
        self.names.changed.connect(self.presenter.name_groups)
        self.images.changed.connect(self._images.choose)
        self.presenter.offer([VARIANCE])
        self.presenter.refresh()
        self._images.refresh()
        self.explain(None)
        follow_font(self.legend, self._fit)

    def offer(self, names: Sequence[tuple[str, ColourBy]], chosen: ColourBy) -> None:
        """Offer these quantities by name."""
        self.by.offer(names, chosen)

    def show_chosen(self, chosen: ColourBy) -> None:
        """Show which of them is chosen."""
        self.by.value = chosen

    def show_ticks(self, *, sized: bool, names: bool) -> None:
        """Show whether uncertain cells are drawn larger, and whether the names of groups are on the map."""
        self.sized.value, self.names.value = sized, names

    def explain(self, colouring: ColourScale | ColourGroups | None, others: Sequence[str] = ()) -> None:
        """Show the legend of these colours, and below it lines on maps with another scale."""
        self.legend.show_colouring(colouring, self.presenter.group_help, self.presenter.can_rename, others)
        self._fit()

    def _fit(self, *_: object) -> None:
        """Give the legend the height of its lines, or of as many as there is room for."""
        self._area.setFixedHeight(min(self.legend.sizeHint().height() + 2, _HIGHEST))

    def show_images_coloured(self, coloured: bool) -> None:
        """Show whether the cells in the images are coloured."""
        self.images.value = coloured
