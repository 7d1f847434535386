"""Cases of AnnData: matrices, layers and columns as scanpy, Seurat's converters and others leave them."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from benchmarks.robustness.outcomes import Refused
from benchmarks.robustness.texts import compare
from latentmap.table import from_anndata, read_table

_FORMS = (
    "float64",
    "float32",
    "float16",
    "int32",
    "int64",
    "uint8",
    "bool",
    ">f8",
    ">i4",
    "fortran",
    "masked",
    "read-only",
    "csr",
    "csc",
    "csr array",
    "csr of int8",
    "csr unsorted",
    "csr twice",
    "csr with zeros",
    "csc unsorted",
    "dask",
    "dask of csr",
    "none",
)
_SPOILS = ("nothing", "nothing", "nan", "infinity", "large", "all zero")
_GENES = ("plain", "plain", "repeated", "as in obs", "odd", "numbers", "empty")
_LABELS = ("int64", "float64", "Int64", "category", "words", "uint64", "object", "index", "int8", "category of words")
_OBS = (
    "floats",
    "float16",
    "whole numbers",
    "Int64 with gaps",
    "boolean",
    "boolean with gaps",
    "categories",
    "unused categories",
    "categories of numbers",
    "categories with gaps",
    "ordered",
    "words",
    "words with gaps",
    "string",
    "string with gaps",
    "empty",
    "big-endian",
)
_NAMES = ("total counts", "leiden", "n_genes", "plate/well", "class", "Cell Type", "µ", "frames", "percent.mt")
_ARRAYS = ("X_pca", "X_umap", "X_scVI")
_ARRAY_FORMS = ("float64", "float32", "frame", "csr", ">f4", "int64", "float16", "nan")
_CELL_NAMES = ("barcodes", "barcodes", "numbers", "repeated", "labels", "empty word")
_KEPT = ("memory", "memory", "view", "file", "file", "file", "packed file", "backed", "copy of backed")


def draw(rng: np.random.Generator) -> dict[str, Any]:
    """Draw an AnnData."""
    names = rng.choice(len(_NAMES), size=int(rng.integers(0, 4)), replace=False)
    arrays = rng.choice(len(_ARRAYS), size=int(rng.integers(0, 3)), replace=False)
    return {
        "n": int(rng.choice([1, 2, 3, 5, 12, 40])),
        "n_genes": int(rng.choice([0, 1, 2, 5])),
        "X": str(rng.choice(_FORMS)),
        "spoil": str(rng.choice(_SPOILS)),
        "genes": str(rng.choice(_GENES)),
        "layers": [str(rng.choice(_FORMS[:-1])) for _ in range(int(rng.choice([0, 0, 1, 2])))],
        "obsm": [[_ARRAYS[at], str(rng.choice(_ARRAY_FORMS))] for at in arrays],
        "columns": [[_NAMES[at], str(rng.choice(_OBS))] for at in names],
        "labels": str(rng.choice(_LABELS)),
        "cell names": str(rng.choice(_CELL_NAMES)),
        "raw": bool(rng.random() < 0.2),
        "kept": str(rng.choice(_KEPT)),
    }


def perform(case: dict[str, Any], rng: np.random.Generator, folder: Path) -> list[str]:
    """Make an AnnData, read its cells, and compare; return the sentences heard."""
    with warnings.catch_warnings():
        # anndata and pandas warn of what is meant here.
        warnings.simplefilter("ignore")
        adata, meant, labels = _made(case, rng)
        cells = _read(adata, case["kept"], folder)
    said = list(cells.notes)
    compare(cells, meant, labels, said, exact=True)
    return said


def _made(case: dict[str, Any], rng: np.random.Generator) -> tuple[Any, dict[str, list[Any]], list[str]]:
    """An AnnData, what is meant by each column, and the labels."""
    import anndata

    n, genes = case["n"], _genes(case)
    numbers = rng.permutation(np.arange(1, n + 1))
    meant: dict[str, list[Any]] = {}
    obs = pd.DataFrame(index=_cell_names(case["cell names"], numbers))
    if case["labels"] == "index":
        obs.index = pd.Index(numbers.astype(str), name="label")
    else:
        obs["label"] = _labels(case["labels"], numbers)
    for name, kind in case["columns"]:
        column, meant[name] = _column(kind, n, rng)
        obs[name] = pd.Series(column).set_axis(obs.index) if isinstance(column, pd.Series) else column
    forms = [case["X"], *case["layers"]]
    if case["kept"] != "memory" or case["raw"]:
        # anndata drops masks where it copies.
        forms = ["float64" if form == "masked" else form for form in forms]
    X, truth = matrix(forms[0], (n, len(genes)), case["spoil"], rng)
    known = [f"{gene} (X)" if gene in obs else gene for gene in _distinct(genes)]
    if X is not None:
        meant |= dict(zip(known, truth.T.tolist(), strict=True))
    adata = anndata.AnnData(X, obs=obs, var=pd.DataFrame(index=genes))
    if case["raw"] and X is not None:
        adata.raw = adata
        adata = adata[:, : max(1, len(genes) - 1)].copy()
        for name in known[max(1, len(genes) - 1) :]:
            meant.pop(name, None)
    for at, form in enumerate(forms[1:]):
        layer, truth = matrix(form, adata.shape, "nothing", rng)
        adata.layers[f"layer {at}"] = layer
        own = _distinct(list(adata.var_names))
        meant |= {f"{gene} [layer layer {at}]": values for gene, values in zip(own, truth.T.tolist(), strict=True)}
    for name, form in case["obsm"]:
        array, truth = _array(form, n, adata.obs_names, rng)
        adata.obsm[name] = array
        meant |= {f"{name}_{at}": values for at, values in enumerate(truth.T.tolist(), start=1)}
    return adata, meant, [str(number) for number in numbers]


def _read(adata: Any, kept: str, folder: Path) -> Any:
    import anndata

    anndata.settings.allow_write_nullable_strings = True
    path = folder / "cells.h5ad"
    if kept == "memory":
        return from_anndata(adata, layer="nuclei")
    try:
        if kept == "view":
            adata = adata[adata.obs_names.tolist() if adata.obs_names.is_unique else slice(None)]
    except Exception as error:
        raise Refused(f"anndata does not cut it: {error}") from error
    if kept == "view":
        return from_anndata(adata, layer="nuclei")
    try:
        adata.write_h5ad(path, compression="gzip" if kept == "packed file" else None)
    except Exception as error:
        raise Refused(f"anndata does not write it: {error}") from error
    if kept in ("file", "packed file"):
        return read_table(path, layer="nuclei")
    try:
        backed = anndata.read_h5ad(path, backed="r")
        opened = backed if kept == "backed" else backed.to_memory()
    except Exception as error:
        raise Refused(f"anndata does not open it: {error}") from error
    try:
        return from_anndata(opened, layer="nuclei")
    finally:
        backed.file.close()


def _genes(case: dict[str, Any]) -> list[str]:
    n = case["n_genes"]
    match case["genes"]:
        case "repeated":
            return ["MATR3"] * n
        case "as in obs":
            return ["label", "leiden", "cell_name", "index", "frame"][:n]
        case "odd":
            return ["HLA-A", "a/b", "=1+1", "1-Mar", " spaced "][:n]
        case "numbers":
            return [str(at) for at in range(n)]
        case "empty":
            return ["", "b", "c", "d", "e"][:n]
    return [f"CD{at}" for at in range(n)]


def _distinct(genes: list[str]) -> list[str]:
    named = [gene or f"Unnamed: {at}" for at, gene in enumerate(genes)]
    return [gene if named.index(gene) == at else f"{gene}.{at}" for at, gene in enumerate(named)]


def _cell_names(kind: str, numbers: np.ndarray) -> pd.Index:
    match kind:
        case "numbers":
            return pd.Index([str(at) for at in range(len(numbers))])
        case "repeated":
            return pd.Index(["AAAC-1"] * len(numbers))
        case "labels":
            return pd.Index([str(number) for number in numbers])
        case "empty word":
            return pd.Index(["", *(f"b{at}" for at in range(1, len(numbers)))])
    return pd.Index([f"AAAC{at}-1" for at in range(len(numbers))])


def _labels(kind: str, numbers: np.ndarray) -> Any:
    match kind:
        case "Int64" | "object":
            return pd.array(numbers, dtype="Int64") if kind == "Int64" else numbers.astype(object)
        case "category":
            return pd.Categorical(numbers, categories=[*range(len(numbers) + 5)])
        case "words" | "category of words":
            words = [str(number) for number in numbers]
            return words if kind == "words" else pd.Categorical(words)
    return numbers.astype("int64" if kind == "index" else kind)


def matrix(form: str, shape: tuple[int, int], spoil: str, rng: np.random.Generator) -> tuple[Any, np.ndarray]:
    """Return a matrix in a form in which AnnData keeps it, and what it means."""
    truth = np.round(np.where(rng.random(shape) < 0.5, 0, rng.poisson(3, shape) + rng.choice([0, 0.25], shape)), 2)
    if truth.size:
        _spoil(truth, spoil)
    with np.errstate(all="ignore"):
        if form in ("float16", "int32", "int64", "uint8", "bool", ">i4", "csr of int8"):
            truth = np.nan_to_num(truth, posinf=9, neginf=0) if form != "float16" else truth
            kind = "int8" if form == "csr of int8" else form
            truth = truth.clip(-100, 100).astype(kind).astype(float)
        truth = truth.astype("float32").astype(float) if form == "float32" else truth
    match form:
        case "none":
            return None, truth
        case "fortran":
            return np.asfortranarray(truth), truth
        case "masked":
            mask = rng.random(shape) < 0.2
            return np.ma.masked_array(truth, mask=mask), np.where(mask, np.nan, truth)
        case "read-only":
            shut = truth.copy()
            shut.flags.writeable = False
            return shut, truth
        case "csr" | "csc":
            return getattr(sp, f"{form}_matrix")(truth), truth
        case "csr array":
            return sp.csr_array(truth), truth
        case "csr of int8":
            return sp.csr_matrix(truth.astype("int8")), truth
        case "dask" | "dask of csr":
            import dask.array

            chunks = dask.array.from_array(truth, chunks=(2, -1))
            return chunks.map_blocks(sp.csr_matrix) if form == "dask of csr" else chunks, truth
        case "csr unsorted" | "csc unsorted" | "csr twice" | "csr with zeros":
            return _odd_sparse(truth, form, rng)
    return truth.astype(form), truth


def _spoil(truth: np.ndarray, spoil: str) -> None:
    match spoil:
        case "nan":
            truth[0, 0] = np.nan
        case "infinity":
            truth[-1, -1] = np.inf
        case "large":
            truth[0, -1] = 2.0**60
        case "all zero":
            truth[:] = 0


def _odd_sparse(truth: np.ndarray, form: str, rng: np.random.Generator) -> tuple[Any, np.ndarray]:
    """A sparse matrix that is right, but not in the order, or not as short, as most programs expect."""
    n, columns = truth.shape
    own = truth.T if form == "csc unsorted" else truth
    indices, data, ends = [], [], [0]
    for row in own:
        order = rng.permutation(len(row)) if "unsorted" in form else np.arange(len(row))
        kept = [at for at in order if row[at] != 0 or form == "csr with zeros"]
        for at in kept:
            parts = [row[at] / 2, row[at] / 2] if form == "csr twice" else [row[at]]
            indices += [at] * len(parts)
            data += parts
        ends.append(len(indices))
    kind = sp.csc_matrix if form == "csc unsorted" else sp.csr_matrix
    made = kind((n, columns))
    made.data, made.indices, made.indptr = (
        np.array(data, dtype=float),
        np.array(indices, dtype=np.int32),
        np.array(ends, dtype=np.int32),
    )
    made.has_sorted_indices = made.has_canonical_format = False
    return made, truth


def _array(form: str, n: int, names: pd.Index, rng: np.random.Generator) -> tuple[Any, np.ndarray]:
    truth = np.round(4 * rng.normal(size=(n, 3))) / 4
    match form:
        case "frame":
            return pd.DataFrame(truth, names, columns=["b", "a", "c"]), truth
        case "csr":
            return sp.csr_matrix(truth), truth
        case "int64":
            return truth.astype("int64"), np.trunc(truth)
        case "nan":
            truth[0, 0] = np.nan
            return truth, truth
    return truth.astype(form), truth


def _column(kind: str, n: int, rng: np.random.Generator) -> tuple[Any, list[Any]]:
    """A column of ``obs``, and what it means."""
    numbers, whole = np.round(rng.normal(size=n), 3), rng.integers(0, 9, n)
    words = [["G1", "S", "G2/M"][at] for at in rng.integers(3, size=n)]
    gaps = [at % 3 == 1 for at in range(n)]
    some = [None if gap else word for gap, word in zip(gaps, words, strict=True)]
    some_whole = [None if gap else int(one) for gap, one in zip(gaps, whole, strict=True)]
    some_flags = [None if gap else bool(one > 4) for gap, one in zip(gaps, whole, strict=True)]
    match kind:
        case "float16":
            return numbers.astype("float16"), numbers.astype("float16").astype(float).tolist()
        case "whole numbers":
            return whole, whole.tolist()
        case "Int64 with gaps":
            return pd.array(some_whole, dtype="Int64"), some_whole
        case "boolean":
            return whole > 4, (whole > 4).tolist()
        case "boolean with gaps":
            return pd.array(some_flags, dtype="boolean"), some_flags
        case "categories" | "categories with gaps":
            return pd.Categorical(some if "gaps" in kind else words), some if "gaps" in kind else words
        case "unused categories":
            return pd.Categorical(words, categories=["none", "S", "G2/M", "G1", "M"]), words
        case "categories of numbers":
            return pd.Categorical(whole, categories=range(9, -1, -1)), whole.tolist()
        case "ordered":
            return pd.Categorical(words, categories=["S", "G2/M", "G1"], ordered=True), words
        case "words" | "words with gaps":
            return pd.Series(some if "gaps" in kind else words, dtype=object), some if "gaps" in kind else words
        case "string" | "string with gaps":
            return pd.array(some if "gaps" in kind else words, dtype="string"), some if "gaps" in kind else words
        case "empty":
            return np.full(n, np.nan), [None] * n
        case "big-endian":
            return numbers.astype(">f8"), numbers.tolist()
    return numbers, numbers.tolist()
