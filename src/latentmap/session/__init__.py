"""What the user decides and gets, without a window: parameters, selection, run. Both front ends share it."""

from latentmap.session.parameters import Parameters
from latentmap.session.run import Progress, Result, run
from latentmap.session.selection import Selection

__all__ = ["Parameters", "Progress", "Result", "Selection", "run"]
