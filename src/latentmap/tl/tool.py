"""A function for an AnnData that makes a map by one method."""

import inspect
import logging
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from latentmap.methods import METHODS, Method
from latentmap.model.data_warnings import collect_warnings, warn_user
from latentmap.table.wording import counted
from latentmap.tl.neighbors import distance_graph, known_inputs, n_others, stored_neighbors, taken_up
from latentmap.tl.record import params_of, record_text
from latentmap.tl.representation import Representation, representation

if TYPE_CHECKING:
    from anndata import AnnData

_LOG = logging.getLogger("latentmap")

_DOC = """Make a map of the cells of an AnnData: {title}.

{about}

Parameters
----------
adata : anndata.AnnData
    The cells.
use_rep : str, optional
    What the map is made of: a key of ``obsm``, or "X". By default as in scanpy: what the neighbours were found in, else
    ``obsm["X_pca"]`` if there are more than 50 variables, else ``X``.
layer : str, optional
    A key of ``layers``, in place of `use_rep`.
n_pcs : int, optional
    How many of the first columns of a key of ``obsm`` to take.
neighbors_key : str or False, optional
    The key of ``uns`` of the neighbours that ``scanpy.pp.neighbors`` has found, which are not searched again. By
    default "neighbors" if there are any and neither `use_rep` nor `layer` is given; False to have them searched.
    scanpy's ``n_neighbors`` counts the cell itself: 15 of scanpy are 14 others.
obsp : str, optional
    A key of ``obsp`` with the distances of neighbours, in place of `neighbors_key`. Without `use_rep` or `layer` the
    map is made of these alone.
key_added : str
    The map goes to ``obsm["X_KEY"]``, the variances, if the method gives any, to ``obs["KEY_variance"]``, and how it
    was made to ``uns["KEY"]``.
missing : {{"refuse", "leave out"}}
    What to do with cells that lack a number: refuse to make the map, or leave them out, with NaN in ``obsm``.
classes : str, optional
    The column of ``obs`` with the classes to learn from, for a method that does.
comparisons : array-like of shape (m, 3), optional
    For a method that learns from comparisons: names of cells, of which the first is more like the second than like the
    third.
copy : bool
    Whether to return a copy and leave `adata` as it is.
**parameters
    Those of :class:`{home}.{kind}`: {names}.

Returns
-------
anndata.AnnData or None
    The copy, if asked for.

Raises
------
ValueError
    If the AnnData or the parameters allow no map; the message says what to change.
"""


@dataclass
class Inputs:
    """What a method gets, and where it comes from."""

    values: Any
    arguments: dict[str, Any]
    parameters: dict[str, Any]
    rep: Representation | None
    kept: np.ndarray
    notes: list[str] = field(default_factory=list)


class Tool:
    """A function that makes a map by one method; its documentation is that of the method.

    Parameters
    ----------
    name : str
        The method's name in :func:`latentmap.methods.available`.

    Examples
    --------
    >>> import anndata
    >>> from sklearn.datasets import load_iris
    >>> adata = anndata.AnnData(load_iris().data)
    >>> Tool("lvm")(adata, max_iter=20)
    >>> adata.obsm["X_lvm"].shape, adata.obs["lvm_variance"].shape, sorted(adata.uns["lvm"])
    ((150, 2), (150,), ['params', 'record'])
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self.__name__ = self.__qualname__ = name.replace("-", "_")
        method = METHODS[name]
        home = "latentmap" if name == "lvm" else "latentmap.methods"
        self.__doc__ = _DOC.format(
            title=method.title,
            about=method.about,
            home=home,
            kind=method.kind.__name__,
            names=", ".join(one for one in method.defaults if one != "callback"),
        )

    def __repr__(self) -> str:
        return f"<function latentmap.tl.{self.__name__}>"

    @cached_property
    def __signature__(self) -> inspect.Signature:
        own = [one for one in inspect.signature(type(self).__call__).parameters.values() if one.name != "self"]
        named = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
            for name, default in self._method.defaults.items()
        ]
        parameters = [*own[:-1], *named]
        return inspect.Signature(
            [one.replace(default=self.__name__) if one.name == "key_added" else one for one in parameters]
        )

    @property
    def _method(self) -> Method:
        return METHODS[self._name]

    def __call__(
        self,
        adata: "AnnData",
        *,
        use_rep: str | None = None,
        layer: str | None = None,
        n_pcs: int | None = None,
        neighbors_key: str | Literal[False] | None = None,
        obsp: str | None = None,
        key_added: str = "",
        missing: Literal["refuse", "leave out"] = "refuse",
        classes: str | None = None,
        comparisons: Sequence[Sequence[str]] | None = None,
        copy: bool = False,
        **parameters: Any,
    ) -> "AnnData | None":
        """Make the map."""
        if missing not in ("refuse", "leave out"):
            raise ValueError(f'missing is {missing!r}; it must be "refuse" or "leave out".')
        if "/" in key_added:
            raise ValueError(f'key_added="{key_added}": .h5ad files allow no "/" in a name.')
        self._method.kind(**parameters)  # raises before anything is read, if a parameter has another name
        if copy and adata.isbacked:
            raise ValueError("A backed AnnData is not copied in memory: call adata.to_memory() first, or copy=False.")
        adata = adata.copy() if copy else adata
        key = key_added or self.__name__
        heard: list[str] = []
        with collect_warnings(heard):
            inputs = self._inputs(adata, use_rep, layer, n_pcs, neighbors_key, obsp, missing, parameters)
            estimator = self._method.kind(**inputs.parameters)
            told = self._supervision(adata, inputs.kept, classes, comparisons)
            estimator.fit(inputs.values, told)
            heard += [sentence for sentence in estimator.remarks() if sentence not in heard]
        for sentence in heard:
            warn_user(sentence)
        for note in inputs.notes:
            _LOG.info(note)
        inputs.arguments |= {"missing": missing, "classes": classes, "comparisons": _plain(comparisons)}
        self._store(adata, key, inputs, estimator, [*inputs.notes, *heard])
        return adata if copy else None

    def _inputs(
        self,
        adata: "AnnData",
        use_rep: str | None,
        layer: str | None,
        n_pcs: int | None,
        neighbors_key: str | Literal[False] | None,
        obsp: str | None,
        missing: str,
        parameters: Mapping[str, Any],
    ) -> Inputs:
        """Choose the numbers and the neighbours."""
        defaults, given, asked = self._method.defaults, dict(parameters), n_pcs
        searches = "n_neighbors" in defaults
        is_default = neighbors_key is None and obsp is None and use_rep is None and layer is None
        if obsp is not None and neighbors_key:
            raise ValueError("obsp and neighbors_key both name neighbours: give one of them.")
        if obsp is not None and use_rep is None and layer is None:
            return self._of_graph(adata, obsp, given)
        stored = None
        if searches and obsp is not None:
            metric = str(given.get("metric", defaults.get("metric", "euclidean")))
            stored = stored_neighbors_of(adata, obsp, metric)
        elif searches and (neighbors_key or (is_default and "neighbors" in adata.uns)):
            stored = stored_neighbors(adata, neighbors_key or "neighbors")
            if use_rep is None and layer is None:
                use_rep, n_pcs = stored.use_rep, stored.n_pcs if n_pcs is None else n_pcs
        elif neighbors_key or obsp is not None:
            raise ValueError(f"{self._method.title} uses no neighbours: leave neighbors_key and obsp out.")
        rep = representation(adata, use_rep, layer, n_pcs)
        if asked and rep.n_pcs is None:
            of = "X" if layer is None else f'layers["{layer}"]'
            raise ValueError(
                f"n_pcs is {asked}, but the map is made of {of}: leave n_pcs out, or give a key of obsm as use_rep."
            )
        arguments = {"use_rep": rep.use_rep, "layer": rep.layer, "n_pcs": rep.n_pcs, "neighbors_key": False}
        kept = np.isfinite(rep.values).all(axis=1)
        found = Inputs(rep.values, arguments, given, rep, kept, [rep.sentence])
        if not kept.all():
            _refuse_or_note(kept, missing, found.notes)
            found.values = rep.values[kept]
            if stored is not None:
                found.notes.append("The neighbours were searched again, as cells are left out.")
                stored = None
        if stored is not None and (k := self._k(stored.n_each, stored.metric, given, is_default, found.notes)):
            stored.check_fits(rep.values)
            found.values, found.parameters["n_neighbors"] = known_inputs(rep.values, stored, k), k
            if "metric" in defaults:
                found.parameters["metric"] = stored.metric
            found.notes.append(taken_up(stored, k))
            arguments |= {"obsp": obsp} if obsp is not None else {"neighbors_key": stored.key}
        return found

    def _k(self, n_each: int, metric: str, given: Mapping[str, Any], is_default: bool, notes: list[str]) -> int:
        """How many of the stored neighbours are taken up; 0 if they are searched again."""
        defaults = self._method.defaults
        asked, default = given.get("n_neighbors"), int(defaults["n_neighbors"])
        own = given.get("metric", None if "metric" in defaults else "euclidean")
        why = ""
        if own is not None and own != metric:
            why = f"they were found by the metric {metric}, and the map is made by {own}"
        elif asked is not None and asked > n_each:
            why = f"there are {n_each} others for each cell, and n_neighbors is {asked}"
        elif n_each < 1:
            why = "some cells have none"
        elif asked is None and n_each < default // 2:
            why = f"some cells have only {n_each} (scanpy leaves out those at distance 0 in some versions)"
        if not why:
            return int(asked) if asked is not None else min(n_each, default)
        if not is_default:
            raise ValueError(
                f"The stored neighbours cannot be taken up: {why}. Call scanpy.pp.neighbors(adata) with enough "
                "neighbours (it counts the cell itself), or give neighbors_key=False to have them searched."
            )
        notes.append(f"The neighbours were searched again: {why}.")
        return 0

    def _of_graph(self, adata: "AnnData", obsp: str, given: dict[str, Any]) -> Inputs:
        """Only a graph of distances."""
        defaults = self._method.defaults
        if not {"metric", "n_neighbors"} <= defaults.keys():
            raise ValueError(f"{self._method.title} needs more than distances of neighbours: give use_rep as well.")
        graph = distance_graph(adata, obsp)
        k = min(int(given.get("n_neighbors", defaults["n_neighbors"])), n_others(graph))
        if "n_neighbors" in given and k < given["n_neighbors"]:
            raise ValueError(
                f'Some cells have only {k} others in obsp["{obsp}"], and n_neighbors is {given["n_neighbors"]}: '
                "lower it."
            )
        note = f'The map is made of the distances in obsp["{obsp}"] alone, {counted(k, "neighbour")} of each cell.'
        arguments = {"obsp": obsp}
        return Inputs(
            graph,
            arguments,
            {**given, "metric": "precomputed", "n_neighbors": k},
            None,
            np.ones(adata.n_obs, dtype=bool),
            [note],
        )

    def _supervision(
        self, adata: "AnnData", kept: np.ndarray, classes: str | None, comparisons: Sequence[Sequence[str]] | None
    ) -> Any:
        """What the method is told beside the numbers."""
        learns_from = self._method.learns_from
        for name, given in (("classes", classes), ("comparisons", comparisons)):
            if given is not None and learns_from != name:
                raise ValueError(f"{self._method.title} does not learn from {name}: leave {name} out.")
        if classes is not None:
            if classes not in adata.obs:
                raise ValueError(f'obs has no column "{classes}".')
            return adata.obs[classes].astype(object).where(adata.obs[classes].notna(), "").to_numpy()[kept].astype(str)
        if learns_from == "comparisons":
            if comparisons is None or not len(comparisons):
                raise ValueError(f"{self._method.title} needs comparisons: three names of cells for each.")
            names = np.asarray(comparisons, dtype=str)
            if names.ndim != 2 or names.shape[1] != 3:
                raise ValueError(
                    f"comparisons has the shape {names.shape}; it must have three names of cells in a row."
                )
            known = adata.obs_names[kept]
            if len(twice := known[known.duplicated() & known.isin(names.ravel())]):
                raise ValueError(
                    f'{int((known == twice[0]).sum())} cells of the map are called "{twice[0]}", which a comparison '
                    "names: call adata.obs_names_make_unique() first."
                )
            row_of = {name: row for row, name in enumerate(known)}
            rows = np.array([row_of.get(name, -1) for name in names.ravel()]).reshape(-1, 3)
            if (rows < 0).any():
                raise ValueError(f'No cell of the map is called "{names[rows < 0][0]}", which a comparison names.')
            return rows
        return None

    def _store(self, adata: "AnnData", key: str, inputs: Inputs, estimator: Any, notes: list[str]) -> None:
        """Write the map into the AnnData, all of it or, where something fails, nothing."""
        from anndata import ImplicitModificationWarning

        kept = inputs.kept
        embedding = np.full((adata.n_obs, estimator.embedding_.shape[1]), np.nan)
        embedding[kept] = estimator.embedding_
        said = {
            "params": params_of(inputs.arguments, estimator),
            "record": record_text(
                adata, self.__name__, inputs.arguments, estimator, inputs.values, embedding, kept, notes
            ),
        }
        variance = f"{key}_variance"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ImplicitModificationWarning)  # a view becomes an AnnData of its own
            adata.obsm[f"X_{key}"] = embedding
            adata.uns[key] = said
            if (found := getattr(estimator, "variances_", None)) is not None and np.isfinite(found).any():
                spread = np.full(adata.n_obs, np.nan)
                spread[kept] = found
                adata.obs[variance] = spread
            elif variance in adata.obs:
                del adata.obs[variance]


def stored_neighbors_of(adata: "AnnData", obsp: str, metric: str) -> Any:
    """Return a graph in ``obsp`` as stored neighbours, found by some metric."""
    from latentmap.tl.neighbors import StoredNeighbors

    return StoredNeighbors("", obsp, distance_graph(adata, obsp), metric, None, None)


def _refuse_or_note(kept: np.ndarray, missing: str, notes: list[str]) -> None:
    n_out = int((~kept).sum())
    what = f"{n_out} of {counted(len(kept), 'cell')}"
    if missing == "refuse":
        raise ValueError(
            f"{what} lack a number in what the map is made of, the first in row {int(np.argmin(kept))}. Fill the gaps, "
            'or give missing="leave out".'
        )
    if not kept.any():
        raise ValueError(f"All of {counted(len(kept), 'cell')} lack a number in what the map is made of.")
    warn_user(f"{what} left out: no number in some column. Their places are NaN.")
    notes.append(f"{what} left out: no number in some column.")


def _plain(comparisons: Any) -> Any:
    return None if comparisons is None else [[str(name) for name in one] for one in comparisons]
