from . import jupyter as jupyter
from . import methods as methods
from . import quality as quality
from . import session as session
from . import table as table
from . import tl as tl
from .model.data_warnings import DataWarning as DataWarning
from .model.lvm import LVM as LVM
from .model.presets import DETAIL as DETAIL
from .model.presets import PAPER as PAPER
from .model.presets import WARM as WARM
from .model.state import FitProgress as FitProgress
from .model.state import State as State
from .quality.choosing import choose as choose

__all__ = [
    "DETAIL",
    "LVM",
    "PAPER",
    "WARM",
    "DataWarning",
    "FitProgress",
    "State",
    "choose",
    "jupyter",
    "methods",
    "quality",
    "session",
    "table",
    "tl",
]
__version__: str
