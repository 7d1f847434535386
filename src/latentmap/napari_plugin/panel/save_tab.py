"""The tab for saving tables, layers, scripts and sessions."""

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event

import numpy as np
from magicgui.widgets import ComboBox, Container, PushButton
from magicgui.widgets.bases import Widget
from napari.components import ViewerModel
from napari.layers import Layer
from qtpy.QtWidgets import QApplication, QFileDialog

from latentmap.napari_layers.figure_planes import in_view, planes_in_view
from latentmap.napari_layers.layer_writing import class_layers, write_to_layers
from latentmap.napari_layers.reopened_layers import comparing, give_features
from latentmap.napari_layers.session_layers import copied_layers, made_layers, open_layers
from latentmap.napari_layers.source import View
from latentmap.napari_plugin.qt.main_thread import main_thread
from latentmap.napari_plugin.qt.rows import in_row, label_row
from latentmap.napari_plugin.scene.colours import SCALE
from latentmap.napari_plugin.scene.scene import Scene
from latentmap.presenters.class_labels import ABOUT as CLASSES_ABOUT
from latentmap.presenters.class_labels import class_choices, made_sentence
from latentmap.presenters.figure import FORMATS, figure_of, save_figure
from latentmap.presenters.saving import SavePresenter, Write, failure
from latentmap.session import BackgroundJob, Session, SessionSnapshot, load, write
from latentmap.session.job import as_single_step
from latentmap.table.files.formats import WRITABLE

_TABLES = ";;".join(f"{one.name} (*{one.ending})" for one in WRITABLE)
_FIGURES = ";;".join(f"{ending[1:].upper()} (*{ending})" for ending in FORMATS)
_SESSION = "latentmap session (*.latentmap)"
# How long a closing window waits for a file to be written, in seconds.
_PATIENCE = 60


class SaveTab(Container[Widget]):
    """Saves tables, layers, scripts and sessions, and opens sessions.

    Parameters
    ----------
    bring : callable
        Links layers of cells. Takes the layers' names in the keys of cells, and the layers just opened by these names.
    """

    def __init__(
        self,
        session: Session,
        scene: Scene,
        bring: Callable[[Collection[str], Mapping[str, Layer]], None],
        viewer: ViewerModel,
        tell: Callable[[str], None],
    ) -> None:
        self._session, self._scene, self._bring, self._viewer, self._tell = session, scene, bring, viewer, tell
        self._presenter, self._job, self._written = SavePresenter(session), BackgroundJob(main_thread()), Event()
        self._written.set()
        self.table_button = PushButton(
            text="Save table…",
            tooltip="Save key, features, coordinates, variance and class of every cell on the map, with a record of "
            "how it was made, as CSV, TSV, Parquet or AnnData. What the tab Trust has found goes with them: "
            "lost_neighbors, is_sure and neighbor_stability.",
        )
        self.into_button = PushButton(
            text="Write into AnnData…", tooltip="Add coordinates, variance and class to an existing .h5ad file."
        )
        self.features_button = PushButton(
            text="Write to layers",
            tooltip="Add coordinates, variance and class to the features of the cells' layers. Where "
            "napari-spatialdata has opened these, the table of their SpatialData gets them as well, also on the disk.",
        )
        self.class_name = ComboBox(choices=lambda _: class_choices(session), tooltip=CLASSES_ABOUT)
        self.class_button = PushButton(
            text="Class as labels",
            tooltip="Make a labels layer with the cells of this class only, or of all classes by their numbers.",
        )
        self.script_button = PushButton(
            text="Copy as Python…",
            tooltip="Save a script that makes this map again without a window, and the table it reads; copy the script "
            "to the clipboard.",
        )
        self.figure_button = PushButton(
            text="Save figure…",
            tooltip="Save the maps and images in view, with their legend, as a figure for a paper (PNG, SVG or PDF).",
        )
        self.save_button = PushButton(
            text="Save session…", tooltip="Save layers, maps, classes, selection and parameters in one file."
        )
        self.open_button = PushButton(
            text="Open session…", tooltip="Open a saved session, which replaces the current one."
        )
        super().__init__(
            widgets=[
                in_row(self.table_button, self.into_button),
                self.features_button,
                label_row("Class", self.class_name),
                self.class_button,
                in_row(self.script_button, self.figure_button),
                in_row(self.save_button, self.open_button),
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
        self.figure_button.changed.connect(
            lambda: self._ask("Save the figure", "figure.png", _FIGURES, self.save_figure)
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
        """Enable the buttons for what there is to save."""
        for button in (
            self.table_button,
            self.into_button,
            self.features_button,
            self.script_button,
            self.figure_button,
        ):
            button.enabled = self._presenter.has_map
        self.class_name.reset_choices()
        self.class_name.enabled = self.class_button.enabled = len(self._session.classes) > 0

    def save_table(self, path: str | os.PathLike[str]) -> None:
        """Write the cells on the map in a thread; the file's extension sets the format."""
        self._write(path, self._presenter.table(Path(path)))

    def write_into(self, path: str | os.PathLike[str]) -> None:
        """Add coordinates, variances and classes to an AnnData file in a thread, matching rows by key."""
        self._write(path, self._presenter.into_anndata(Path(path)))

    def write_features(self) -> None:
        """Add coordinates, variances and classes to the features of the cells' layers, and to their SpatialData."""
        self._tell(self._presenter.write_back(partial(write_to_layers, self._scene.link.sources)))

    def export_class(self) -> None:
        """Make labels layers of the chosen class, or of all."""
        name = self.class_name.value
        made = class_layers(self._session, name, self._scene.link.sources)
        for layer in made:
            self._viewer.add_layer(layer)
        self._tell(made_sentence(self._session, name, [layer.name for layer in made]))

    def save_script(self, path: str | os.PathLike[str]) -> None:
        """Write a script that makes the map again, and the table it reads; copy the script to the clipboard."""
        said, text = self._presenter.script(Path(path))
        QApplication.clipboard().setText(text)
        self._tell(f"{said} It was also copied to the clipboard.")

    def save_figure(self, path: str | os.PathLike[str]) -> None:
        """Draw the maps and images in view, and write the figure in a thread."""
        sources, view = self._scene.link.sources, View.of(self._viewer)
        planes = planes_in_view(sources, self._viewer.layers, view)
        figure = figure_of(self._session, self._scene.maps.runs, planes, SCALE.map(np.linspace(0, 1, 255)))
        n_images = len(in_view(sources, view))
        few = (
            f"It has {len(planes)} of {n_images} images: hide layers to choose which. "
            if n_images > len(planes)
            else ""
        )
        self._write(path, lambda: few + save_figure(figure, Path(path)))

    def save_session(self, path: str | os.PathLike[str]) -> None:
        """Write the session to a file, in a thread."""
        self._write(path, self._session_to(path))

    def write_session(self, path: str | os.PathLike[str]) -> None:
        """Write the session to a file, and wait until it is written.

        Raises
        ------
        ValueError
            If something cannot be stored.
        OSError
            If the folder is missing, read-only or full.
        """
        self._tell(self._session_to(path)())

    def open_session(self, path: str | os.PathLike[str]) -> None:
        """Open a session, with its layers unless they are open already; the file is read in a thread.

        Nothing changes if the file cannot be opened.
        """
        if self._is_free():
            self._tell(f"Opening {Path(path).name} …")
            self._job.start(
                as_single_step(load, path),
                yielded=lambda _: None,
                returned=partial(self._opened, path),
                failed=partial(self._failed, path),
            )

    @property
    def running(self) -> bool:
        """Whether a file is being saved or opened."""
        return self._job.running

    def stop(self) -> None:
        """Stop opening a session, and wait for a file that is being saved."""
        self._job.drop()
        self._written.wait(_PATIENCE)

    def _is_free(self) -> bool:
        if self.running:
            self._tell("A file is still being saved or opened. Try again when that is done.")
        return not self.running

    def _write(self, path: str | os.PathLike[str], write: Write) -> None:
        """Write a file in a thread, and report when it is written."""
        if self._is_free():
            self._tell(f"Saving {Path(path).name} …")
            self._written.clear()
            self._job.start(
                as_single_step(_then_set, self._written, write),
                yielded=lambda _: None,
                returned=self._tell,
                failed=partial(self._failed, path),
            )

    def _session_to(self, path: str | os.PathLike[str]) -> Write:
        """Take a snapshot of the session; pixels that are not in memory are read while it is written."""
        taken, left_out = copied_layers(self._viewer.layers, self._scene.link.sources)
        stored = SessionSnapshot.of(self._session)

        def write_all() -> str:
            kept = write(replace(stored, layers=tuple(layer.stored() for layer in taken)), path)
            return " ".join([f"The session is in {kept}.", *left_out])

        return write_all

    def _opened(self, path: str | os.PathLike[str], stored: SessionSnapshot) -> None:
        try:
            made = made_layers(stored.layers)
        except ValueError as error:
            self._tell(f'"{Path(path).name}" cannot be opened. {error}')
            return
        self._session.live.on = False
        self._scene.clear()
        opened = open_layers(self._viewer, made, stored.layers)
        names = {name for run in stored.runs for name in run.map.cells.features.index.unique("layer")}
        tables, known = [run.table for run in stored.runs], [*opened.values()]
        give_features(self._viewer.layers, tables, known)
        self._bring(names, opened)
        stored.restore(self._session)
        self._scene.maps.fit_camera(always=True)
        sources = self._scene.link.sources
        absent = sorted(names - {source.name for source in sources}) if len(self._scene.maps) else []
        said = f"Opened {Path(path).name}."
        if absent:
            said += (
                f" These layers are not open, so their cells cannot light up: {', '.join(absent)}. Open them by these "
                "names, and they do."
            )
        self._tell(said)
        self._job.start(
            comparing([*sources], tables, known),
            yielded=lambda _: None,
            returned=lambda notes: self._tell(" ".join([said, *notes])) if notes else None,
            failed=partial(self._failed, path),
        )

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
