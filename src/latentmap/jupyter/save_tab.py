"""The tab Save: tables, sessions, pages and scripts."""

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from latentmap.jupyter import widgets as w
from latentmap.jupyter.fields import labelled
from latentmap.jupyter.image_storage import NotStoredWarning
from latentmap.jupyter.origin import Origin
from latentmap.presenters.class_labels import ABOUT as CLASSES_ABOUT
from latentmap.presenters.class_labels import class_choices
from latentmap.presenters.saving import failure
from latentmap.session import Session

CLASS_ENDING = ".labels.tif"
"""What the files of labels of classes end in."""

_NAME = "The file, without its ending: a name in the notebook's folder, or a path."
_AS = "What to save. A session holds the maps, images, classes and selection; napari can open it too."

# Short, so that the lists beside them show all of their words.
_LABELS = "44px"


class Kind(NamedTuple):
    """A kind of file that can be saved.

    Attributes
    ----------
    title, ending : str
        Its name in the list, and the ending of the file.
    write : callable
        Takes the path and returns a message; raises ValueError or OSError if the file cannot be written.
    """

    title: str
    ending: str
    write: Callable[[Path], str]


class SaveTab(w.VBox):
    """Lets the user save any kind of file, or write the map into what its cells came from.

    Parameters
    ----------
    kinds : tuple of Kind
    session : Session
    write_back : callable
        Writes the map into an origin, and returns a message; raises ValueError or OSError.
    tell : callable
        Shows the user a sentence.
    """

    def __init__(
        self,
        kinds: tuple[Kind, ...],
        session: Session,
        write_back: Callable[[Origin], str],
        tell: Callable[[str], None],
    ) -> None:
        self._session, self._write_back, self._tell = session, write_back, tell
        self._origin: Origin | None = None
        self._warned: Path | None = None
        wide = {"flex": "1", "min_width": "0"}
        self.name = w.Text("map", tooltip=_NAME, layout=w.look(**wide))
        self.kind = w.Dropdown(
            options=[(f"{kind.title} ({kind.ending})", kind) for kind in kinds], tooltip=_AS, layout=w.look(**wide)
        )
        self.button = w.Button(description="Save", layout=w.look(width="auto"))
        self.class_name = w.Dropdown(tooltip=CLASSES_ABOUT, layout=w.look(**wide))
        self._class_row = labelled("Class", self.class_name, CLASSES_ABOUT, _LABELS)
        self.write_button = w.Button(layout=w.look(width="auto", display="none"))
        super().__init__(
            [
                labelled("File", self.name, _NAME, _LABELS),
                labelled("As", self.kind, _AS, _LABELS),
                self._class_row,
                w.HBox([self.button, self.write_button], layout=w.look(flex_flow="row wrap")),
            ]
        )
        self.button.on_click(lambda _: self._save())
        self.write_button.on_click(lambda _: self._write())
        self.kind.observe(lambda _: self._show_classes(), "value")
        session.classes.changed.connect(self._list_classes)
        self._list_classes()
        self._show_classes()

    def offer(self, origin: Origin | None) -> None:
        """Offer to write the map into what its cells came from."""
        self._origin = origin
        w.set_visible(self.write_button, origin is not None)
        if origin is not None:
            self.write_button.description = f"Write into {origin.name}"
            self.write_button.tooltip = f"Add coordinates, variances and classes to the cells of the {origin.name}."

    def close(self) -> None:
        """Let go of what the cells came from."""
        self._session.classes.changed.disconnect(self._list_classes)
        self._origin = None
        super().close()

    def _list_classes(self) -> None:
        chosen, choices = self.class_name.value, class_choices(self._session)
        self.class_name.options = choices
        if chosen in dict(choices).values():
            self.class_name.value = chosen

    def _show_classes(self) -> None:
        w.set_visible(self._class_row, self.kind.value.ending == CLASS_ENDING)

    def _write(self) -> None:
        if self._origin is not None:
            self._tell(f"Writing into {self._origin.name} …")
            try:
                self._tell(self._write_back(self._origin))
            except (OSError, ValueError) as error:
                self._tell(failure(self._origin.name, error))

    def _save(self) -> None:
        kind: Kind = self.kind.value
        name = self.name.value.strip().removesuffix(kind.ending)
        if not name:
            self._tell("Give the file a name first.")
            return
        path = Path(f"{name}{kind.ending}").expanduser().absolute()
        if path.exists() and path != self._warned:
            self._warned = path
            self._tell(f'"{path.name}" already exists: press Save again to replace it, or choose another name.')
            return
        self._tell(f"Saving {path.name} …")
        try:
            self._tell(" ".join(_written(kind, path)))
        except (OSError, ValueError) as error:
            self._tell(failure(str(path), error))
        else:
            self._warned = path


def _written(kind: Kind, path: Path) -> list[str]:
    """Write a file, and return messages on it, among them warnings `NotStoredWarning`; other warnings are passed on."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", NotStoredWarning)
        message = kind.write(path)
    for one in caught:
        if not issubclass(one.category, NotStoredWarning):
            warnings.showwarning(one.message, one.category, one.filename, one.lineno)
    return [message, *(str(one.message) for one in caught if issubclass(one.category, NotStoredWarning))]
