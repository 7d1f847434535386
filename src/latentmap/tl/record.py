"""What an AnnData holds on how a map in it was made."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np

from latentmap.model.inputs import Inputs
from latentmap.table.fingerprints import fingerprint_array
from latentmap.table.libraries import machine, versions
from latentmap.table.map_table import as_json

if TYPE_CHECKING:
    from anndata import AnnData


def params_of(arguments: Mapping[str, Any], estimator: Any) -> dict[str, Any]:
    """Return parameters as scanpy keeps them in ``uns``: numbers and words, which .h5ad can hold; None is left out."""
    both = {**arguments, **_model(estimator)}
    return {name: value for name, value in both.items() if isinstance(value, bool | int | float | str)}


def record_text(
    adata: "AnnData",
    tool: str,
    arguments: Mapping[str, Any],
    estimator: Any,
    values: Any,
    embedding: np.ndarray,
    kept: np.ndarray,
    notes: list[str],
) -> str:
    """Return the record of how a map was made, as JSON."""
    return as_json(
        {
            "tool": tool,
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
            "versions": versions(),
            "machine": machine(),
            "arguments": {name: value for name, value in arguments.items() if value is not None},
            "model": _model(estimator),
            "seed": _model(estimator).get("random_state"),
            "n_cells": int(kept.sum()),
            "n_left_out": int((~kept).sum()),
            "n_iter": int(estimator.n_iter_),
            "notes": notes,
            "input": input_digests(adata, values),
            "map": {"sha256": fingerprint_array(embedding)},
        }
    )


def input_digests(adata: "AnnData", values: Any) -> dict[str, str]:
    """Return digests of the names of the cells, of the numbers that the map was made of, and of known neighbours."""
    digests = {"names": sha256("\n".join(map(str, adata.obs_names)).encode()).hexdigest()}
    table = values.table if isinstance(values, Inputs) else values
    if hasattr(table, "tocsr"):
        graph = table.tocsr()
        parts = [fingerprint_array(part) for part in (graph.indptr, graph.indices, graph.data)]
        digests["distances"] = sha256("".join(parts).encode()).hexdigest()
    else:
        digests["values"] = fingerprint_array(table)
    found = getattr(values, "method", None)
    if isinstance(values, Inputs) and isinstance(found, tuple):
        parts = [fingerprint_array(part) for part in found]
        digests["neighbors"] = sha256("".join(parts).encode()).hexdigest()
    return digests


def _model(estimator: Any) -> dict[str, Any]:
    """The parameters of an estimator as values that JSON can hold."""
    found = {}
    for name, value in estimator.get_params(deep=False).items():
        if name == "verbose":
            continue
        value = value.item() if isinstance(value, np.generic) else value
        if isinstance(value, tuple):
            value = list(value)
        if isinstance(value, float) and not math.isfinite(value):
            value = str(value)
        if value is None or isinstance(value, bool | int | float | str | list):
            found[name] = value
        elif name != "callback":
            # An array or a function: the record says that there was one.
            found[name] = f"<{type(value).__name__}>"
    return found
