"""Maps of measured cells, beside the images they came from."""

from latentmap.model.checks import DataWarning
from latentmap.model.em import State
from latentmap.model.lvm import LVM, Progress

__all__ = ["LVM", "DataWarning", "Progress", "State"]
__version__ = "0.1.0"
