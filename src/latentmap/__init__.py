"""Maps of measured cells, beside the images they came from."""

import lazy_loader

# scikit-learn and numba take seconds to import: they wait until a name that needs them is used.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__version__ = "0.1.0"
