"""The part of the panel where the user keeps what there is."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from magicgui.widgets import ComboBox, Container, PushButton
from qtpy.QtWidgets import QApplication, QFileDialog

from latentmap.napari_plugin.form import beside, labelled
from latentmap.napari_plugin.layer_writing import class_layers, write_features
from latentmap.napari_plugin.scene import Scene
from latentmap.napari_plugin.session_layers import read_layers, stored_layers
from latentmap.session import Run, Session, load, save, script
from latentmap.table import write_csv, write_into_h5ad, write_table

_TABLES = "CSV (*.csv);;TSV (*.tsv);;Parquet (*.parquet);;AnnData (*.h5ad)"
_SESSION = "latentmap session (*.latentmap)"


class SaveTab(Container):
    """Tables, layers, scripts and sessions.

    Parameters
    ----------
    session : Session
    scene : Scene
        Knows the layers.
    bring : callable
        Takes names of layers, and links these.
    viewer : napari.components.ViewerModel
    tell : callable
        Takes a sentence for the user.
    """

    def __init__(
        self,
        session: Session,
        scene: Scene,
        bring: Callable[[Iterable[str]], None],
        viewer: Any,
        tell: Callable[[str], None],
    ) -> None:
        self._session, self._scene, self._bring, self._viewer, self._tell = session, scene, bring, viewer, tell
        self.table_button = PushButton(
            text="Save table…",
            tooltip="Keys, features, coordinates, variance and class of every cell on the map, with a record of what "
            "made it: CSV, TSV, Parquet or AnnData.",
        )
        self.into_button = PushButton(
            text="Write into AnnData…", tooltip="Add coordinates, variance and class to an .h5ad file that you have."
        )
        self.features_button = PushButton(
            text="Write to layers", tooltip="Add coordinates, variance and class to the features of the cells' layers."
        )
        self.class_name = ComboBox(choices=lambda _: list(session.classes.names), tooltip="The class.")
        self.class_button = PushButton(text="Class as labels", tooltip="Make a labels layer of the cells of a class.")
        self.script_button = PushButton(
            text="Copy as Python…",
            tooltip="Write a script that makes this map anew without a window, with its table beside it. It is on the "
            "clipboard, too.",
        )
        self.save_button = PushButton(
            text="Save session…", tooltip="Layers, maps, classes, selection and parameters, all in one file."
        )
        self.open_button = PushButton(
            text="Open session…", tooltip="Have all this back; the session of now is given up."
        )
        super().__init__(
            widgets=[
                beside(self.table_button, self.into_button),
                self.features_button,
                labelled("Class", self.class_name),
                self.class_button,
                self.script_button,
                beside(self.save_button, self.open_button),
            ],
            labels=False,
        )
        self.margins = (0, 0, 0, 0)
        self.table_button.changed.connect(lambda: self._ask("Save the table", "map.csv", _TABLES, self.save_table))
        self.into_button.changed.connect(lambda: self._ask_open("AnnData (*.h5ad)", self.write_into))
        self.features_button.changed.connect(self.write_features)
        self.class_button.changed.connect(self.export_class)
        self.script_button.changed.connect(
            lambda: self._ask("Save the script", "map.py", "Python (*.py)", self.save_script)
        )
        self.save_button.changed.connect(
            lambda: self._ask("Save the session", "session.latentmap", _SESSION, self.save_session)
        )
        self.open_button.changed.connect(lambda: self._ask_open(_SESSION, self.open_session))
        session.runs.changed.connect(self.refresh)
        session.runs.started.connect(self.refresh, max_args=0)
        session.runs.ended.connect(self.refresh, max_args=0)
        session.classes.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show what can be kept."""
        has_map = self._session.runs.current is not None and not self._session.runs.running
        for button in (self.table_button, self.into_button, self.features_button, self.script_button, self.save_button):
            button.enabled = has_map
        self.class_name.reset_choices()
        self.class_name.enabled = self.class_button.enabled = len(self._session.classes) > 0

    def save_table(self, path: str | os.PathLike[str]) -> None:
        """Write the cells on the map, as the file's ending says.

        Parameters
        ----------
        path : path-like
            An existing file is replaced.
        """
        sheet = self._session.sheet(self._current())
        self._tell(f"Saved {len(sheet.rows)} cells in {write_table(sheet, path)}.")

    def write_into(self, path: str | os.PathLike[str]) -> None:
        """Write coordinates, variances and classes into an AnnData file, row by row by key.

        Parameters
        ----------
        path : path-like
        """
        sheet = self._session.sheet(self._current())
        layers = sheet.rows["layer"].unique()
        notes = write_into_h5ad(path, sheet, layer=str(layers[0]))
        self._tell(" ".join([f"Written into {Path(path).name}.", *notes]))

    def write_features(self) -> None:
        """Write coordinates, variances and classes to the features of the layers that the cells come from."""
        self._tell(" ".join(write_features(self._session, self._current(), self._scene.link.sources)))

    def export_class(self) -> None:
        """Make labels layers of the class chosen."""
        name = self.class_name.value
        made = class_layers(self._session, name, self._scene.link.sources)
        for layer in made:
            self._viewer.add_layer(layer)
        named = ", ".join(f'"{layer.name}"' for layer in made)
        self._tell(f"Made {named}." if made else f'No labels layer that is linked has cells of the class "{name}".')

    def save_script(self, path: str | os.PathLike[str]) -> None:
        """Write a script that makes the map anew, and the table that it reads; the script goes to the clipboard, too.

        Parameters
        ----------
        path : path-like
        """
        current, path = self._current(), Path(path)
        table = path.with_name(f"{path.stem}_cells.csv")
        text = script(current, table.name)
        if current.result is not None:
            write_csv(current.result.rows(), table)
        path.write_text(text, encoding="utf-8")
        QApplication.clipboard().setText(text)
        self._tell(f"{path.name} makes this map anew from {table.name}; it is on the clipboard, too.")

    def save_session(self, path: str | os.PathLike[str]) -> None:
        """Write all there is to one file.

        Parameters
        ----------
        path : path-like
        """
        layers, left_out = stored_layers(self._viewer.layers)
        kept = save(self._session, path, layers)
        self._tell(" ".join([f"The session is in {kept}.", *left_out]))

    def open_session(self, path: str | os.PathLike[str]) -> None:
        """Take up a session from a file; layers that are not open are opened.

        Parameters
        ----------
        path : path-like
        """
        stored = load(path)
        self._scene.clear()
        read_layers(self._viewer, stored.layers)
        self._bring({name for run in stored.runs for name in run.table.features.index.unique("layer")})
        stored.fill(self._session)
        self._tell(f"The session of {Path(path).name} is open.")

    def _current(self) -> Run:
        if self._session.runs.current is None:
            raise ValueError("There is no map yet. Press Embed first.")
        return self._session.runs.current

    def _ask(self, title: str, name: str, kinds: str, act: Callable[[str], None]) -> None:
        path, kind = QFileDialog.getSaveFileName(self.native, title, name, kinds)
        if path and not Path(path).suffix:
            path += kind[kind.index("*") + 1 : kind.index(")")]
        self._try(path, act)

    def _ask_open(self, kinds: str, act: Callable[[str], None]) -> None:
        path, _ = QFileDialog.getOpenFileName(self.native, "Open", "", kinds)
        self._try(path, act)

    def _try(self, path: str, act: Callable[[str], None]) -> None:
        if path:
            try:
                act(path)
            except (OSError, ValueError) as error:
                self._tell(str(error))
