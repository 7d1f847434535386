"""The part of the panel where the user keeps what there is."""

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

from magicgui.widgets import ComboBox, Container, PushButton
from napari.layers import Layer
from qtpy.QtWidgets import QApplication, QFileDialog

from latentmap.napari_layers.layer_writing import class_layers, write_features
from latentmap.napari_layers.session_layers import Taken, made_layers, open_layers, taken_layers
from latentmap.napari_plugin.panel.form import beside, labelled
from latentmap.napari_plugin.qt.main_thread import main_thread
from latentmap.napari_plugin.scene.scene import Scene
from latentmap.session import Job, Run, Session, Stored, load, write, write_script
from latentmap.session.job import in_one_step
from latentmap.table import write_into_h5ad, write_table

_TABLES = "CSV (*.csv);;TSV (*.tsv);;Parquet (*.parquet);;AnnData (*.h5ad)"
_SESSION = "latentmap session (*.latentmap)"
# How long a window that is closed waits for a file that is being written, in seconds.
_PATIENCE = 60


class SaveTab(Container):
    """Tables, layers, scripts and sessions.

    Parameters
    ----------
    session : Session
    scene : Scene
        Knows the layers.
    bring : callable
        Takes what the cells' keys call their layers, and layers by such names, and links these.
    viewer : napari.components.ViewerModel
    tell : callable
        Takes a sentence for the user.
    """

    def __init__(
        self,
        session: Session,
        scene: Scene,
        bring: Callable[[Collection[str], Mapping[str, Layer]], None],
        viewer: Any,
        tell: Callable[[str], None],
    ) -> None:
        self._session, self._scene, self._bring, self._viewer, self._tell = session, scene, bring, viewer, tell
        self._job, self._written = Job(main_thread()), Event()
        self._written.set()
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
        for button in (self.table_button, self.into_button, self.features_button, self.script_button):
            button.enabled = has_map
        self.class_name.reset_choices()
        self.class_name.enabled = self.class_button.enabled = len(self._session.classes) > 0

    def save_table(self, path: str | os.PathLike[str]) -> None:
        """Write the cells on the map in a thread, as the file's ending says.

        Parameters
        ----------
        path : path-like
            An existing file is replaced.
        """
        sheet = self._session.sheet(self._current())
        self._keep(
            path,
            lambda: write_table(sheet, path),
            lambda kept: self._tell(f"Saved {len(sheet.rows)} cells in {kept}."),
        )

    def write_into(self, path: str | os.PathLike[str]) -> None:
        """Write coordinates, variances and classes into an AnnData file in a thread, row by row by key."""
        sheet = self._session.sheet(self._current())
        layer = str(sheet.rows["layer"].iloc[0])
        self._keep(
            path,
            lambda: write_into_h5ad(path, sheet, layer=layer),
            lambda notes: self._tell(" ".join([f"Written into {Path(path).name}.", *notes])),
        )

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
        """Write a script that makes the map again, and the table it reads; copy the script to the clipboard."""
        written, table, text = write_script(self._current(), path)
        QApplication.clipboard().setText(text)
        self._tell(f"{written.name} makes this map anew from {table.name}; it is on the clipboard, too.")

    def save_session(self, path: str | os.PathLike[str]) -> None:
        """Write all there is to one file, in a thread."""
        stored, taken, left_out = self._take()
        self._keep(
            path,
            lambda: _write(stored, taken, path),
            lambda kept: self._tell(" ".join([f"The session is in {kept}.", *left_out])),
        )

    def write_session(self, path: str | os.PathLike[str]) -> Path:
        """Write all there is to one file, and wait until that is done.

        Raises
        ------
        ValueError
            If something cannot be kept.
        OSError
            If the folder is missing, not writable or full.
        """
        stored, taken, left_out = self._take()
        kept = _write(stored, taken, path)
        self._tell(" ".join([f"The session is in {kept}.", *left_out]))
        return kept

    def open_session(self, path: str | os.PathLike[str]) -> None:
        """Take up a session from a file, which is read in a thread; layers that are not open are opened.

        A file that cannot be opened changes nothing.
        """
        if self._is_free():
            self._tell(f"Opening {Path(path).name} …")
            self._job.start(
                in_one_step(load, path),
                yielded=lambda _: None,
                returned=partial(self._opened, path),
                failed=partial(self._failed, path),
            )

    @property
    def running(self) -> bool:
        """Whether something is being saved or opened."""
        return self._job.running

    def stop(self) -> None:
        """Let go of a session that is being opened, and wait for what is being saved."""
        self._job.drop()
        self._written.wait(_PATIENCE)

    def _is_free(self) -> bool:
        if self.running:
            self._tell("Something is still being saved or opened: try again when that is done.")
        return not self.running

    def _keep(self, path: str | os.PathLike[str], write: Callable[[], Any], tell: Callable[[Any], None]) -> None:
        """Write a file in a thread, and then tell of it."""
        if self._is_free():
            self._tell(f"Saving {Path(path).name} …")
            self._written.clear()
            self._job.start(
                in_one_step(_then_set, self._written, write),
                yielded=lambda _: None,
                returned=tell,
                failed=partial(self._failed, path),
            )

    def _take(self) -> tuple[Stored, list[Taken], list[str]]:
        taken, left_out = taken_layers(self._viewer.layers, self._scene.link.sources)
        return Stored.of(self._session), taken, left_out

    def _opened(self, path: str | os.PathLike[str], stored: Stored) -> None:
        try:
            made = made_layers(stored.layers)
        except ValueError as error:
            self._tell(f'"{Path(path).name}" cannot be opened. {error}')
            return
        self._session.live.on = False
        self._scene.clear()
        opened = open_layers(self._viewer, made, stored.layers)
        names = {name for run in stored.runs for name in run.map.cells.features.index.unique("layer")}
        self._bring(names, opened)
        stored.fill(self._session)
        absent = sorted(names - {source.name for source in self._scene.link.sources}) if len(self._scene.maps) else []
        without = f" Not open, so that its cells light up nowhere: {', '.join(absent)}." if absent else ""
        self._tell(f"The session of {Path(path).name} is open.{without}")

    def _failed(self, path: str | os.PathLike[str], error: Exception) -> None:
        self._tell(_sentence(path, error))
        if not isinstance(error, OSError | ValueError):
            raise error

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
                self._tell(_sentence(path, error))


def _write(stored: Stored, taken: Sequence[Taken], path: str | os.PathLike[str]) -> Path:
    return write(replace(stored, layers=tuple(layer.stored() for layer in taken)), path)


def _then_set(written: Event, write: Callable[[], Any]) -> Any:
    try:
        return write()
    finally:
        written.set()


def _sentence(path: str | os.PathLike[str], error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f'"{Path(path).name}": {error.strerror}.'
    return str(error)
