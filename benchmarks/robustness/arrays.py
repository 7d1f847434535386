"""Cases of estimators: arrays and tables with something odd about them, and parameters that may be wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from benchmarks.robustness.outcomes import Lost
from latentmap.methods import available
from latentmap.model.data_warnings import collect_warnings

METHODS = tuple(available())
_BASES = (
    "normal",
    "uniform",
    "whole numbers",
    "counts",
    "binary",
    "clusters",
    "line",
    "log-normal",
    "constant",
    "cauchy",
)
_SPOILS = (
    "nan",
    "infinity",
    "huge",
    "tiny",
    "sentinel",
    "copies",
    "near copies",
    "constant column",
    "empty row",
    "one far row",
    "two parts",
    "denormal",
    "ties",
    "minus zero",
    "near overflow",
)
_FORMS = (
    "array",
    "array",
    "array",
    "float32",
    "float16",
    "int8",
    "uint64",
    "bool",
    "fortran",
    "read-only",
    "strided",
    "byte-swapped",
    "frame",
    "nullable frame",
    "frame of words",
    "frame of objects",
    "frame without names",
    "list",
    "objects",
    "csr",
    "csc",
    "coo",
    "masked",
    "complex",
    "dates",
    "1-d",
    "3-d",
    "none",
)
_METRICS = ("euclidean", "cosine", "correlation", "manhattan", "chebyshev", "canberra", "braycurtis", "eucledian")
_INTEGERS = (0, -1, 1, 1, 2, 2, 3, 3, 5, 5, 10, 10, 10**9, 2.5, "x", None, True)
_NUMBERS = (0, -1, 1e-300, 1e-9, 0.1, 0.5, 0.5, 1, 1, 3, 3, 30, 1e300, "inf", "nan", "x", None)
# What is left alone: it would make a case long, or is no parameter of the map.
_KEPT = {"callback", "max_iter", "n_init", "n_epochs", "metric_params", "hidden_layers", "warm_start", "verbose"}


def draw(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a case, as JSON can hold it."""
    method = str(rng.choice(METHODS))
    n = int(rng.choice([0, 1, 2, 3, 4, 5, 8, 13, 30, 60, 120])) if rng.random() < 0.25 else int(rng.integers(20, 160))
    return {
        "method": method,
        "n": n,
        "columns": int(rng.choice([0, 1, 2, 3, 4, 5, 8, 20, 60])) if rng.random() < 0.25 else int(rng.integers(2, 9)),
        "base": str(rng.choice(_BASES)),
        "spoils": [str(rng.choice(_SPOILS)) for _ in range(int(rng.choice([0, 0, 1, 1, 2, 3])))],
        "form": str(rng.choice(_FORMS)) if rng.random() < 0.4 else "array",
        "parameters": _parameters(rng, method) if rng.random() < 0.5 else {},
        "then": str(rng.choice(["nothing", "transform", "again"])),
    }


def _parameters(rng: np.random.Generator, method: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, usual in available()[method]().get_params(deep=False).items():
        if name in _KEPT or rng.random() > 0.15:
            continue
        if name == "metric":
            choices: tuple[Any, ...] = _METRICS
        elif isinstance(usual, bool):
            choices = (True, False, "x", None, 2)
        elif isinstance(usual, int):
            choices = _INTEGERS
        elif isinstance(usual, float):
            choices = _NUMBERS
        else:
            choices = (usual, "zzz", None, 3, 0.5, "random", "spectral")
        found[name] = choices[int(rng.integers(len(choices)))]
    return found


def numbers(case: dict[str, Any], rng: np.random.Generator) -> np.ndarray:
    """Return the numbers of a case."""
    shape = n, columns = case["n"], case["columns"]
    match case["base"]:
        case "uniform":
            X = rng.random(shape)
        case "whole numbers":
            X = rng.integers(-50, 50, shape).astype(float)
        case "counts":
            X = rng.poisson(0.3, shape).astype(float)
        case "binary":
            X = rng.integers(0, 2, shape).astype(float)
        case "clusters":
            X = rng.normal(size=shape) + 30 * rng.integers(0, 3, (n, 1))
        case "line":
            X = np.linspace(0, 1, n)[:, None] * np.ones(columns)
        case "log-normal":
            X = np.exp(4 * rng.normal(size=shape))
        case "constant":
            X = np.full(shape, 7.0)
        case "cauchy":
            X = rng.standard_cauchy(shape)
        case _:
            X = rng.normal(size=shape)
    if X.size:
        for spoil in case["spoils"]:
            _spoil(X, spoil, rng)
    return X


def _spoil(X: np.ndarray, spoil: str, rng: np.random.Generator) -> None:
    n, columns = X.shape
    row, column = int(rng.integers(n)), int(rng.integers(columns))
    half = slice(0, (n + 1) // 2)
    match spoil:
        case "nan":
            X[row, column] = np.nan
        case "infinity":
            X[row, column] = rng.choice([np.inf, -np.inf])
        case "huge":
            X[row, column] = rng.choice([1e20, 1e150, -1e200])
        case "tiny":
            X *= 1e-200
        case "sentinel":
            X[row, column] = rng.choice([-9999, 2147483647, 65535, 9.96921e36])
        case "copies":
            X[half] = X[row].copy()
        case "near copies":
            X[half] = X[row].copy() + 1e-9 * rng.normal(size=X[half].shape)
        case "constant column":
            X[:, column] = 3.0
        case "empty row":
            X[row] = 0.0
        case "one far row":
            X[row] += 1e6
        case "two parts":
            X[half] += 1e4
        case "denormal":
            X[row] = 5e-324
        case "ties":
            X[:] = np.round(X)
        case "minus zero":
            X[row] = -0.0
        case "near overflow":
            X *= 1e300


def formed(X: np.ndarray, form: str) -> Any:
    """Return numbers in the form in which a user hands them over."""
    names = [f"f{at}" for at in range(X.shape[1])]
    with np.errstate(all="ignore"):
        match form:
            case "float32" | "float16" | "int8" | "uint64" | "bool" | "complex":
                return np.nan_to_num(X).astype(form) if form in ("int8", "uint64") else X.astype(form)
            case "fortran":
                return np.asfortranarray(X)
            case "read-only":
                X.flags.writeable = False
                return X
            case "strided":
                return np.repeat(X, 2, axis=0)[::2]
            case "byte-swapped":
                return X.astype(">f8")
            case "frame":
                return pd.DataFrame(X, columns=names, index=[f"cell {at}" for at in range(len(X))])
            case "nullable frame":
                return pd.DataFrame(X, columns=names).convert_dtypes()
            case "frame of words":
                return pd.DataFrame(X, columns=names).assign(well="A1")
            case "frame of objects":
                return pd.DataFrame(X, columns=names).astype(object)
            case "frame without names":
                return pd.DataFrame(X)
            case "list":
                return X.tolist()
            case "objects":
                return X.astype(object)
            case "csr" | "csc" | "coo":
                return getattr(sp, f"{form}_array")(X)
            case "masked":
                return np.ma.masked_array(X, mask=np.arange(X.size).reshape(X.shape) % 7 == 0)
            case "dates":
                return np.nan_to_num(X).clip(0, 1e6).astype("datetime64[s]")
            case "1-d":
                return X.ravel()
            case "3-d":
                return X[:, :, None]
            case "none":
                return None
    return X


def perform(case: dict[str, Any], rng: np.random.Generator) -> list[str]:
    """Make a map, and hold it to what every map promises; return the sentences heard."""
    X = formed(numbers(case, rng), case["form"])
    before = _copied(X)
    y = _beside(case["method"], case["n"], rng)
    heard: list[str] = []
    with collect_warnings(heard):
        method = _made(case)
        method.fit(X) if y is None else method.fit(X, y)
        _check(method.embedding_, case["n"], heard)
        if not _same(X, before):
            raise Lost("fit has changed its input")
        if case["then"] == "transform" and hasattr(method, "transform"):
            placed = method.transform(X)
            if len(placed) != case["n"]:
                raise Lost(f"transform returned {len(placed)} of {case['n']} rows")
            if not np.isfinite(placed).all():
                raise Lost("transform returned positions that are no numbers")
        elif case["then"] == "again" and case["parameters"].get("random_state", 0) is not None:
            other = _made(case)
            other.fit(X) if y is None else other.fit(X, y)
            if not np.array_equal(other.embedding_, method.embedding_, equal_nan=True):
                raise Lost("a second fit gave another map")
    return heard


def _made(case: dict[str, Any]) -> Any:
    words = {"inf": np.inf, "nan": np.nan}
    method = available()[case["method"]]()
    given = {
        name: words.get(value, value) if isinstance(value, str) else value for name, value in case["parameters"].items()
    }
    short = {name: value for name, value in {"max_iter": 4}.items() if name in method.get_params()}
    return method.set_params(**{**short, **given})


def _beside(method: str, n: int, rng: np.random.Generator) -> np.ndarray | None:
    if method == "comparisons":
        return np.column_stack([rng.permutation(n) for _ in range(3)]) if n > 2 else np.zeros((1, 3), int)
    return rng.integers(0, 3, n) if method == "siamese" and rng.random() < 0.5 else None


def _check(embedding: np.ndarray, n: int, heard: list[str]) -> None:
    if len(embedding) != n:
        raise Lost(f"the map has {len(embedding)} of {n} rows")
    n_lost = int((~np.isfinite(embedding)).any(axis=1).sum())
    if n_lost and not any(str(n_lost) in sentence for sentence in heard):
        raise Lost(f"{n_lost} of {n} rows have no position, and no sentence counts them: {heard}")


def _copied(X: Any) -> Any:
    return X.copy() if hasattr(X, "copy") else X


def _same(X: Any, before: Any) -> bool:
    if isinstance(X, pd.DataFrame):
        return X.equals(before)
    if sp.issparse(X):
        return X.shape == before.shape and (X.tocsr() != before.tocsr()).nnz == int(np.isnan(X.tocsr().data).sum())
    if isinstance(X, np.ndarray):
        return X.tobytes() == before.tobytes()
    # Lists compare NaN as unequal.
    return repr(X) == repr(before)
