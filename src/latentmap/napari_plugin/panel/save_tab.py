"""The part of the panel where tables, layers, scripts and sessions are saved."""

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

from magicgui.widgets import ComboBox, Container, PushButton
from napari.layers import Layer
from qtpy.QtWidgets import QApplication, QFileDialog

from latentmap.napari_layers.layer_writing import class_layers, write_features
from latentmap.napari_layers.session_layers import made_layers, open_layers, taken_layers
from latentmap.napari_plugin.qt.main_thread import main_thread
from latentmap.napari_plugin.qt.rows import beside, labelled
from latentmap.napari_plugin.scene.scene import Scene
from latentmap.presenters.saving import SavePresenter, Write, failure
from latentmap.session import Job, Session, Stored, load, write
from latentmap.session.job import in_one_step
from latentmap.table.formats import WRITABLE

_TABLES = ";;".join(f"{one.name} (*{one.ending})" for one in WRITABLE)
_SESSION = "latentmap session (*.latentmap)"
# How long a closing window waits for a file that is being written, in seconds.
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
        self._presenter, self._job, self._written = SavePresenter(session), Job(main_thread()), Event()
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
            tooltip="Write a script that makes this map again without a window, with its table beside it, and "
            "copy it to the clipboard.",
        )
        self.save_button = PushButton(
            text="Save session…", tooltip="Save layers, maps, classes, selection and parameters in one file."
        )
        self.open_button = PushButton(text="Open session…", tooltip="Open a saved session in place of the current one.")
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
        """Show what can be saved."""
        for button in (self.table_button, self.into_button, self.features_button, self.script_button):
            button.enabled = self._presenter.has_map
        self.class_name.reset_choices()
        self.class_name.enabled = self.class_button.enabled = len(self._session.classes) > 0

    def save_table(self, path: str | os.PathLike[str]) -> None:
        """Write the cells on the map in a thread, as the file's ending says."""
        self._write(path, self._presenter.table(Path(path)))

    def write_into(self, path: str | os.PathLike[str]) -> None:
        """Write coordinates, variances and classes into an AnnData file in a thread, row by row by key."""
        self._write(path, self._presenter.into_anndata(Path(path)))

    def write_features(self) -> None:
        """Write coordinates, variances and classes to the features of the layers that the cells come from."""
        self._tell(" ".join(write_features(self._session, self._presenter.current(), self._scene.link.sources)))

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
        said, text = self._presenter.script(Path(path))
        QApplication.clipboard().setText(text)
        self._tell(f"{said} It is copied to the clipboard, too.")

    def save_session(self, path: str | os.PathLike[str]) -> None:
        """Write all there is to one file, in a thread."""
        self._write(path, self._session_to(path))

    def write_session(self, path: str | os.PathLike[str]) -> None:
        """Write all there is to one file, and wait until that is done.

        Raises
        ------
        ValueError
            If something cannot be kept.
        OSError
            If the folder is missing, not writable or full.
        """
        self._tell(self._session_to(path)())

    def open_session(self, path: str | os.PathLike[str]) -> None:
        """Open a session from a file, which is read in a thread; layers that are not open are opened.

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
        """Drop a session that is being opened, and wait for a file that is being saved."""
        self._job.drop()
        self._written.wait(_PATIENCE)

    def _is_free(self) -> bool:
        if self.running:
            self._tell("Something is still being saved or opened: try again when that is done.")
        return not self.running

    def _write(self, path: str | os.PathLike[str], write: Write) -> None:
        """Write a file in a thread, and then tell of it."""
        if self._is_free():
            self._tell(f"Saving {Path(path).name} …")
            self._written.clear()
            self._job.start(
                in_one_step(_then_set, self._written, write),
                yielded=lambda _: None,
                returned=self._tell,
                failed=partial(self._failed, path),
            )

    def _session_to(self, path: str | os.PathLike[str]) -> Write:
        """Take the session as it is now; pixels that are not in memory are read during the writing."""
        taken, left_out = taken_layers(self._viewer.layers, self._scene.link.sources)
        stored = Stored.of(self._session)

        def write_all() -> str:
            kept = write(replace(stored, layers=tuple(layer.stored() for layer in taken)), path)
            return " ".join([f"The session is in {kept}.", *left_out])

        return write_all

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
        self._tell(failure(Path(path).name, error))
        if not isinstance(error, OSError | ValueError):
            raise error

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
                self._tell(failure(Path(path).name, error))


def _then_set(written: Event, write: Write) -> str:
    try:
        return write()
    finally:
        written.set()
