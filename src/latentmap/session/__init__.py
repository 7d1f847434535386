"""The state of a session, shared by both front ends and without a window: parameters, selection, classes, runs."""

from latentmap.extras import require

require("latentmap.session", "table", "pandas", "psygnal", "skimage")

from latentmap.session.cell_index import CellIndex
from latentmap.session.classes import CellClass, Classes
from latentmap.session.colouring import (
    LOST,
    STABILITY,
    VARIANCE,
    ColourBy,
    ColourGroups,
    ColourScale,
    by_variance,
    cell_colours,
    cell_sizes,
    colour_choices,
)
from latentmap.session.display_settings import DisplaySettings
from latentmap.session.dropped import Dropped
from latentmap.session.embedding import RunProgress, iter_run
from latentmap.session.file import load, save, write
from latentmap.session.gate import Axis, Gate
from latentmap.session.gates import Gates
from latentmap.session.job import BackgroundJob, Schedule
from latentmap.session.live import Live
from latentmap.session.parameters import CUSTOM, Parameters
from latentmap.session.placing import fitted_pipeline, place
from latentmap.session.provenance import map_table, provenance
from latentmap.session.result import MapCheck, MapStability, Result
from latentmap.session.run import Run
from latentmap.session.runs import Runs
from latentmap.session.script import script_text, write_script
from latentmap.session.selection import Selection, SelectionStep
from latentmap.session.session import Session
from latentmap.session.snapshot import LayerSnapshot, SessionSnapshot

__all__ = [
    "CUSTOM",
    "LOST",
    "STABILITY",
    "VARIANCE",
    "Axis",
    "BackgroundJob",
    "CellClass",
    "CellIndex",
    "Classes",
    "ColourBy",
    "ColourGroups",
    "ColourScale",
    "DisplaySettings",
    "Dropped",
    "Gate",
    "Gates",
    "LayerSnapshot",
    "Live",
    "MapCheck",
    "MapStability",
    "Parameters",
    "Result",
    "Run",
    "RunProgress",
    "Runs",
    "Schedule",
    "Selection",
    "SelectionStep",
    "Session",
    "SessionSnapshot",
    "by_variance",
    "cell_colours",
    "cell_sizes",
    "colour_choices",
    "fitted_pipeline",
    "iter_run",
    "load",
    "map_table",
    "place",
    "provenance",
    "save",
    "script_text",
    "write",
    "write_script",
]
