"""Making a map in an AnnData again, and saying whether it is the same."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import latentmap.tl
from latentmap.session.replay import Replayed, environment_differences
from latentmap.table.files.anndata_layers import named_layers

if TYPE_CHECKING:
    from anndata import AnnData

_WORDS = {
    "names": "The names of the cells, or their order, differ from those of the map.",
    "values": "The numbers that the map was made of have changed.",
    "distances": "The distances that the map was made of have changed.",
    "neighbors": "The neighbours that the map was made of have changed.",
}


def replay(adata: "AnnData", key: str = "lvm") -> Replayed:
    """Make a map in an AnnData again, and say whether it is the same, bit for bit.

    Parameters
    ----------
    adata : anndata.AnnData
        With a map of :mod:`latentmap.tl`. It is not changed.
    key : str
        The map's ``key_added``.

    Returns
    -------
    Replayed
        ``agrees``, and ``sentences`` on what differs: the input, a version, the machine.

    Raises
    ------
    ValueError
        If there is no record of such a map, or it cannot be made again.

    Examples
    --------
    >>> import anndata
    >>> from sklearn.datasets import load_iris
    >>> adata = anndata.AnnData(load_iris().data)
    >>> latentmap.tl.lvm(adata, max_iter=20)
    >>> replay(adata).agrees
    True
    """
    record = record_of(adata, key)
    before = adata.obsm[f"X_{key}"]
    slim = (
        type(adata)(
            X=adata.X,
            obs=adata.obs.copy(),
            var=adata.var,
            obsm=dict(adata.obsm),
            obsp=dict(adata.obsp),
            layers=named_layers(adata),
        )
        if not adata.isbacked
        else adata.to_memory()
    )
    slim.uns = dict(adata.uns)
    tool = getattr(latentmap.tl, str(record["tool"]))
    tool(slim, key_added=key, **record["arguments"], **_parameters(record))
    now = record_of(slim, key)
    differences = [
        *(
            _WORDS[part]
            for part, digest in dict(record["input"]).items()
            if dict(now["input"]).get(part) != digest and part in _WORDS
        ),
        *environment_differences(record),
    ]
    stored = _digest(before) == record["map"]["sha256"]
    agrees = now["map"]["sha256"] == record["map"]["sha256"] and stored
    if agrees:
        return Replayed(True, (f'The map "{key}" is the same, bit for bit.', *differences))
    if not stored:
        differences.insert(0, f'obsm["X_{key}"] was changed after the map was made.')
    reasons = differences or ["Input, versions and machine are the same as far as the record says."]
    return Replayed(False, (f'The map "{key}" is not the same.', *reasons))


def record_of(adata: "AnnData", key: str) -> dict[str, Any]:
    """Return the record of a map in an AnnData.

    Raises
    ------
    ValueError
        If there is none.
    """
    said = adata.uns.get(key)
    record = said.get("record") if isinstance(said, Mapping) else None
    if not isinstance(record, str) or f"X_{key}" not in adata.obsm:
        raise ValueError(f'The AnnData has no map "{key}" of latentmap.tl: uns["{key}"] has no record of one.')
    found: dict[str, Any] = json.loads(record)
    return found


def _digest(embedding: Any) -> str:
    from latentmap.table.fingerprints import fingerprint_array

    return fingerprint_array(embedding)


def _parameters(record: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of the method as they were before JSON."""
    found = {}
    for name, value in dict(record["model"]).items():
        if isinstance(value, str) and value.startswith("<"):
            raise ValueError(
                f"The map was made with {name}={value}, which no record can hold, so it cannot be made again."
            )
        if name == "metric" and value == "precomputed":
            continue
        value = float(value) if value in ("inf", "-inf") else value
        found[name] = tuple(value) if isinstance(value, list) else value
    return found
