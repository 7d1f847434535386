"""The part of the panel that leads from a map into a group of its cells, and back."""

from collections.abc import Callable, Mapping

from latentmap.jupyter import widgets as w
from latentmap.jupyter.fields import paragraph
from latentmap.presenters.opening import OPENING, OpeningPresenter
from latentmap.session import Session


class OpeningSection(w.VBox):
    """Draws what `OpeningPresenter` decides.

    Attributes
    ----------
    path : ipywidgets.HTML
        The maps that lead to the current one.
    buttons : dict of str to ipywidgets.Button
        By their names in :data:`~latentmap.presenters.opening.OPENING`.
    """

    def __init__(
        self,
        session: Session,
        outline: Callable[[], None],
        open_group: Callable[[], None],
        tell: Callable[[str], None],
    ) -> None:
        self.path = w.HTML()
        self.buttons = {
            name: w.Button(
                description=one.label, tooltip=one.about, layout=w.look(flex="1 1 auto", width="auto", min_width="0")
            )
            for name, one in OPENING.items()
        }
        super().__init__([self.path, w.HBox(list(self.buttons.values()))])
        self._presenter = OpeningPresenter(session, self, outline, open_group, tell)
        for name, button in self.buttons.items():
            button.on_click(lambda _, name=name: self._presenter.actions[name]())
        self._presenter.refresh()

    def show_path(self, sentence: str, possible: Mapping[str, bool]) -> None:
        """Show where the user is, and enable what can be pressed."""
        self.path.value = paragraph(sentence)
        for name, can in possible.items():
            self.buttons[name].disabled = not can
