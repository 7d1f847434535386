from .model.checks import DataWarning as DataWarning
from .model.em import State as State
from .model.lvm import LVM as LVM
from .model.lvm import Progress as Progress

__all__ = ["LVM", "DataWarning", "Progress", "State"]
__version__: str
