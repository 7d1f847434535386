"""The tab Save: tables, sessions, pages and scripts."""

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import ipywidgets as w

from latentmap.jupyter.fields import labelled
from latentmap.jupyter.image_storage import NotStoredWarning
from latentmap.presenters.saving import failure

_NAME = "The file, without its ending: a name in the notebook's folder, or a path."
_AS = "What to save. A session holds the maps, images, classes and selection; napari can open it too."


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
    """Lets the user save any kind of file; `tell` shows the user a sentence."""

    def __init__(self, kinds: tuple[Kind, ...], tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._warned: Path | None = None
        wide = {"flex": "1", "min_width": "0"}
        self.name = w.Text("map", tooltip=_NAME, layout=w.Layout(**wide))
        self.kind = w.Dropdown(
            options=[(f"{kind.title} ({kind.ending})", kind) for kind in kinds], tooltip=_AS, layout=w.Layout(**wide)
        )
        self.button = w.Button(description="Save", layout=w.Layout(width="auto"))
        super().__init__([labelled("File", self.name, _NAME), labelled("As", self.kind, _AS), self.button])
        self.button.on_click(lambda _: self._save())

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
