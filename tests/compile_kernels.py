"""Fits a few maps, so that the kernels are compiled before the first test; else each worker would compile them."""

import warnings

import numpy as np

from latentmap import LVM, DataWarning
from latentmap.methods import available


def main() -> None:
    warnings.simplefilter("ignore", DataWarning)
    rng = np.random.default_rng(0)
    few = rng.normal(size=(300, 5))
    comparisons = np.column_stack([np.arange(298), np.arange(1, 299), np.arange(2, 300)])
    for name, kind in available().items():
        method = kind()
        short = {"max_iter": 2, "n_neighbors": 5}
        method.set_params(**{key: value for key, value in short.items() if key in method.get_params()})
        method.fit(few, comparisons if name == "comparisons" else None)
        if hasattr(method, "transform"):
            method.transform(few[:5])
    LVM(5, solver="em", max_iter=2).fit(few)
    # So many that neighbours are searched approximately, and pairs are sampled.
    LVM(5, max_iter=2).fit(rng.normal(size=(12_000, 5)))


# Pytest imports each module, to look for examples.
if __name__ == "__main__":
    main()
