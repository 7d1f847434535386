"""Maps of measured cells, beside the images they came from."""

from importlib.metadata import PackageNotFoundError, version

import lazy_loader

# scikit-learn and numba take seconds to import: they wait until a name that needs them is used.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
try:
    __version__ = version(__name__)
except PackageNotFoundError:
    # A folder of sources on the path, which was not installed, has no version.
    __version__ = "0+unknown"
