"""Advice on features with long tails of high values, which a transform would draw in."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from latentmap.table.wording import counted

_SKEWED = 3.0
# A transform that does less than this to the skewness is not advised: the numbers are logarithms already, or are small.
_DRAWN_IN = 0.5
_SHARE = 0.25
# So many cells and features tell, and take some milliseconds.
_CELLS, _FEATURES = 2000, 200
_ARCSINH = "arcsinh(x / 5)"
_TRANSFORMS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "log(1 + x)": np.log1p,
    _ARCSINH: lambda values: np.arcsinh(values / 5),
}


def tail_advice(values: np.ndarray) -> list[str]:
    """Say which transform suits the features of a map, if many have long tails that it would draw in.

    Parameters
    ----------
    values : ndarray, shape (n_cells, n_features)
        As they are in the table; infinity and NaN do not count.

    Returns
    -------
    list of str
        A sentence, or none.

    Examples
    --------
    >>> bright = np.random.default_rng(0).lognormal(3, 1.5, size=(500, 4))
    >>> for sentence in tail_advice(bright)[0].split(". "):
    ...     print(sentence)
    4 of 4 features have a long tail of high values, so that few cells decide the distances
    The transform log(1 + x) would draw it in.
    >>> tail_advice(np.log(bright))
    []
    """
    n_cells, n_features = values.shape
    sample = values[:: -(-n_cells // _CELLS) or 1, :: -(-n_features // _FEATURES) or 1]
    sample = np.where(np.isfinite(sample), sample, np.nan)
    before = _skewness(sample)
    is_skewed = before > _SKEWED
    if not is_skewed.any():
        return []
    names = [_ARCSINH] if (sample < 0).any() else [*_TRANSFORMS]
    after = {name: np.abs(_skewness(_TRANSFORMS[name](sample))) for name in names}
    best = min(names, key=lambda name: np.median(after[name][is_skewed]))
    share = float((is_skewed & (after[best] < _DRAWN_IN * before)).mean())
    if share < _SHARE:
        return []
    return [
        f"{round(share * n_features)} of {counted(n_features, 'feature')} have a long tail of high values, so that few "
        f"cells decide the distances. The transform {best} would draw it in."
    ]


def _skewness(values: np.ndarray) -> np.ndarray:
    """The skewness of each feature; 0 of one with fewer than three numbers."""
    return pd.DataFrame(values).skew().fillna(0.0).to_numpy()
