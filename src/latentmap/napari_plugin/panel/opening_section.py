"""The part of the panel that leads from a map into a group of its cells, and back."""

from collections.abc import Callable, Mapping

from magicgui.widgets import Container, PushButton
from magicgui.widgets.bases import Widget

from latentmap.napari_plugin.qt.rows import in_row
from latentmap.napari_plugin.qt.wrapped_label import wrapped_label
from latentmap.presenters.opening import OPENING, OpeningPresenter
from latentmap.session import Session


class OpeningSection(Container[Widget]):
    """Draws what `OpeningPresenter` decides.

    Attributes
    ----------
    path : Label
        The maps that lead to the current one.
    buttons : dict of str to PushButton
        By their names in :data:`~latentmap.presenters.opening.OPENING`.
    """

    def __init__(
        self,
        session: Session,
        outline: Callable[[], None],
        open_group: Callable[[], None],
        tell: Callable[[str], None],
    ) -> None:
        self.path = wrapped_label()
        self.buttons = {name: PushButton(text=one.label, tooltip=one.about) for name, one in OPENING.items()}
        super().__init__(widgets=[self.path, in_row(*self.buttons.values())], labels=False)
        self.margins = (0, 0, 0, 0)
        self._presenter = OpeningPresenter(session, self, outline, open_group, tell)
        for name, button in self.buttons.items():
            button.changed.connect(self._presenter.actions[name], max_args=0)
        self._presenter.refresh()

    def show_path(self, sentence: str, possible: Mapping[str, bool]) -> None:
        """Show where the user is, and enable what can be pressed."""
        self.path.value = sentence
        for name, can in possible.items():
            self.buttons[name].enabled = can
