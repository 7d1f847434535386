"""The state of a session, shared by both front ends and without a window: parameters, selection, classes, runs."""

from latentmap.session.classes import CellClass, Classes
from latentmap.session.colouring import VARIANCE, By, Groups, Scale, by_variance, choices, colouring, sizes
from latentmap.session.dropped import Dropped
from latentmap.session.file import load, save, write
from latentmap.session.job import Job, Post
from latentmap.session.live import Live
from latentmap.session.look import Look
from latentmap.session.newcomers import fitted, place
from latentmap.session.parameters import CUSTOM, Parameters
from latentmap.session.provenance import provenance, sheet
from latentmap.session.register import Register
from latentmap.session.run import Progress, Result, run
from latentmap.session.runs import Run, Runs
from latentmap.session.script import script, write_script
from latentmap.session.selection import Choice, Selection
from latentmap.session.session import Session
from latentmap.session.stored import Stored, StoredLayer

__all__ = [
    "CUSTOM",
    "VARIANCE",
    "By",
    "CellClass",
    "Choice",
    "Classes",
    "Dropped",
    "Groups",
    "Job",
    "Live",
    "Look",
    "Parameters",
    "Post",
    "Progress",
    "Register",
    "Result",
    "Run",
    "Runs",
    "Scale",
    "Selection",
    "Session",
    "Stored",
    "StoredLayer",
    "by_variance",
    "choices",
    "colouring",
    "fitted",
    "load",
    "place",
    "provenance",
    "run",
    "save",
    "script",
    "sheet",
    "sizes",
    "write",
    "write_script",
]
