"""Preparing features: from values in their own units to numbers that a map can be made of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.decomposition import PCA
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, RobustScaler, StandardScaler

from latentmap.table.cells import CellTable
from latentmap.table.harmony import Harmony, check_batches
from latentmap.table.placeholders import placeholders
from latentmap.table.saturation import saturated
from latentmap.table.transformers import N_SIMILAR, Features, Medians, Ranks, SimilarCells, arcsinh, worst_features
from latentmap.table.within_groups import WithinGroups, are_same_within, groups_of
from latentmap.table.wording import counted, listed, shortened_list

Transform = Literal["none", "log1p", "arcsinh", "rank"]
Scaling = Literal["standard", "robust", "none"]
Missing = Literal["leave out", "median", "similar cells"]

# Squares of larger numbers, and sums of them, may be infinite.
_LARGEST = 1e150


@dataclass(frozen=True)
class Preparation:
    """How the features are prepared before the map is made.

    Attributes
    ----------
    transform : {"none", "log1p", "arcsinh", "rank"}
        Applied to every value: "log1p" is log(1 + x), for counts; "arcsinh" is arcsinh(x / cofactor), for intensities
        of cytometers; "rank" is the rank of the cell, from 0 to 1.
    cofactor : float
        The cofactor of "arcsinh", in the features' unit.
    scaling : {"standard", "robust", "none"}
        "standard" gives every feature mean 0 and variance 1, "robust" median 0 and an interquartile range of 1, so that
        no unit outweighs another.
    missing : {"leave out", "median", "similar cells"}
        What happens to cells that lack a number in some feature: they are left out, or the gap is filled with the
        median of all cells or the mean of the five most similar ones.
    n_pca : int
        The number of principal components that the map is made of; 0 for the features themselves. Where there are
        fewer features, or not more cells, as many as there can be.
    scale_within : str
        Within which groups of cells the features are scaled: "layer" (each image), "frame" (each frame of each layer),
        or a column of the table, such as "plate"; "" for all cells together. Does nothing where `scaling` is "none".
        New cells of a group that is on the map are scaled by that group's numbers, those of another one among
        themselves; see :class:`~latentmap.table.within_groups.WithinGroups`.
    harmony_by : str
        The batches that Harmony corrects the principal components for: "layer", "frame" or a column, such as "plate";
        "" for no correction. Does nothing without principal components. New cells cannot be placed then.
    """

    transform: Transform = "none"
    cofactor: float = 5.0
    scaling: Scaling = "standard"
    missing: Missing = "leave out"
    n_pca: int = 0
    scale_within: str = ""
    harmony_by: str = ""

    @property
    def batches_by(self) -> str:
        """Which batches are in fact corrected for."""
        return self.harmony_by if self.n_pca else ""

    @property
    def groups_by(self) -> str:
        """Within which groups of cells the features are in fact scaled."""
        return "" if self.scaling == "none" else self.scale_within

    def fitted_to(self, n_cells: int, n_features: int) -> "Preparation":
        """Return it with as many principal components as there can be: fewer than cells, and no more than features.

        Parameters
        ----------
        n_cells, n_features : int
            Of the map.

        Examples
        --------
        >>> Preparation(n_pca=50).fitted_to(14, 9000).n_pca
        13
        """
        return replace(self, n_pca=max(0, min(self.n_pca, n_cells - 1, n_features)))

    def pipeline(self, names: Sequence[str], method: BaseEstimator | None = None) -> Pipeline:
        """Return preparation and method as one scikit-learn pipeline.

        Fitted to the cells of a map, it places other cells with the medians, ranks, means and components of the first.

        Parameters
        ----------
        names : sequence of str
            The features that shape the map.
        method : estimator, optional
            The method that makes the map, such as ``LVM()``; without it, the pipeline ends with the prepared numbers.

        Returns
        -------
        sklearn.pipeline.Pipeline
            Not fitted. It takes a DataFrame with these columns. Its steps are those needed of "features", "gaps",
            "transform", "scaling", "components" and "map"; with `scale_within` the first four are one, "features", and
            with `harmony_by` the first five.

        Examples
        --------
        >>> import pandas as pd
        >>> from latentmap import LVM
        >>> rows = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 2)), columns=["area", "DNA"])
        >>> pipeline = Preparation(transform="rank").pipeline(["area", "DNA"], LVM(9, max_iter=3)).fit(rows)
        >>> list(pipeline.named_steps), bool((pipeline.transform(rows) == pipeline["map"].embedding_).all())
        (['features', 'transform', 'scaling', 'map'], True)
        """
        fills = {"median": Medians(), "similar cells": SimilarCells()}
        transforms = {
            "log1p": FunctionTransformer(np.log1p, feature_names_out="one-to-one"),
            "arcsinh": FunctionTransformer(
                arcsinh, kw_args={"cofactor": self.cofactor}, feature_names_out="one-to-one"
            ),
            "rank": Ranks(),
        }
        scalings = {"standard": StandardScaler(), "robust": RobustScaler()}
        above = -1.0 if self.transform == "log1p" else None
        steps = {
            "features": Features(tuple(names), fills=self.missing in fills, above=above),
            "gaps": fills.get(self.missing),
            "transform": transforms.get(self.transform),
            "scaling": scalings.get(self.scaling),
        }
        if self.groups_by:
            scaler = steps.pop("scaling")
            steps = {"features": WithinGroups(self.groups_by, _pipeline(steps), scaler)}
        steps["components"] = PCA(self.n_pca, random_state=0) if self.n_pca else None
        if self.batches_by:
            steps = {"features": Harmony(self.batches_by, _pipeline(steps))}
        return _pipeline({**steps, "map": method})


def _pipeline(steps: Mapping[str, BaseEstimator | None]) -> Pipeline:
    return Pipeline([(name, step) for name, step in steps.items() if step is not None])


class Prepared(NamedTuple):
    """The cells and numbers that a map is made of.

    Attributes
    ----------
    cells : CellTable
        The cells, with all their features and with notes on what was done.
    values : ndarray of float64, shape (n_cells, n_features or n_pca)
        The prepared numbers, row by row.
    """

    cells: CellTable
    values: np.ndarray


def prepare(table: CellTable, names: Sequence[str], how: Preparation = Preparation()) -> Prepared:
    """Choose cells and features, and bring the features to a common scale.

    Parameters
    ----------
    table : CellTable
        The cells.
    names : sequence of str
        The features that shape the map.
    how : Preparation
        What to do with the features.

    Returns
    -------
    Prepared
        The cells that are left, and their numbers.

    Raises
    ------
    ValueError
        If no feature or no cell is left, or the features do not allow the transform; the message says what to change.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = pd.DataFrame({"label": [1, 2, 3], "DNA": [0.0, np.nan, 9.0], "area": [4.0, 5.0, 6.0]})
    >>> cells, values = prepare(CellTable.read(rows, layer="cells"), ["DNA", "area"], Preparation(missing="median"))
    >>> cells.notes
    ('1 of 3 cells got the median: no number in DNA (1).',)
    >>> values.shape
    (3, 2)
    """
    return fit_preparation(table, names, how)[0]


def fit_preparation(
    table: CellTable, names: Sequence[str], how: Preparation = Preparation()
) -> tuple[Prepared, Pipeline]:
    """Prepare cells as `prepare` does, and return the fitted pipeline with them, to prepare others in the same way."""
    found = survey_features(table, names, how)
    kept = replace(table, features=table.features[found.kept])
    cells = replace(kept, notes=(*kept.notes, *_notes(found, how), *_group_notes(kept, how), *_batch_notes(kept, how)))
    pipeline = how.fitted_to(*found.shape).pipeline(names)
    return Prepared(cells, pipeline.fit_transform(cells.features)), pipeline


class FeatureSurvey(NamedTuple):
    """What some features hold, and what will happen to the cells.

    Attributes
    ----------
    values : ndarray of float64, shape (n_cells, n_features)
        As in the table, including gaps.
    kept : ndarray of bool, shape (n_cells,)
        Which cells will be on the map.
    n_incomplete : int
        How many cells have a gap, and will be left out or filled.
    why : str
        Which features have gaps, and how many; "" if none have.
    constant : list of str
        The features that are the same for every cell that has them.
    placeholders : list of str
        Sentences about values that probably stand for a missing one, or for what a camera does not record.
    """

    values: np.ndarray
    kept: np.ndarray
    n_incomplete: int
    why: str
    constant: list[str]
    placeholders: list[str]

    @property
    def shape(self) -> tuple[int, int]:
        """How many cells will be on the map, and of how many features."""
        return int(self.kept.sum()), self.values.shape[1]


def survey_features(table: CellTable, names: Sequence[str], how: Preparation) -> FeatureSurvey:
    """Inspect the features before they are prepared; everything that can go wrong in preparing is found here.

    Raises
    ------
    ValueError
        As in `prepare`.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = pd.DataFrame({"label": [1, 2, 3], "DNA": [0.0, np.nan, 9.0], "area": [4.0, 5.0, 6.0]})
    >>> found = survey_features(CellTable.read(rows, layer="cells"), ["DNA", "area"], Preparation())
    >>> found.kept.tolist(), found.why
    ([True, False, True], 'no number in DNA (1)')
    """
    names = list(names)
    table.require_features(names)
    # In the same memory order however the table stores them: the last bits of sums depend on it.
    values = np.ascontiguousarray(table.features[names].to_numpy(dtype=float, na_value=np.nan))
    finite = np.isfinite(values)
    complete = finite.all(axis=1)
    kept = complete if how.missing == "leave out" else np.ones_like(complete)
    known = finite & kept[:, None]
    _check_known(known, finite, names, how)
    least = values.min(axis=0, where=known, initial=np.inf)
    most = values.max(axis=0, where=known, initial=-np.inf)
    is_same, of = np.equal(least, most), "Every cell"
    if how.groups_by:
        groups = groups_of(table.features, how.groups_by)
        is_same, of = are_same_within(values, known, groups), f"Every cell of the same {how.groups_by}"
    constant = [name for name, same in zip(names, is_same, strict=True) if same]
    if len(constant) == len(names):
        raise ValueError(f"{of} has the same value of {listed(constant)}: choose features that differ.")
    _check_size(np.maximum(most, -least), names)
    _check_transform(least, names, how)
    if how.batches_by:
        check_batches(groups_of(table.features[kept], how.batches_by), how.batches_by)
    why = "" if complete.all() else _why(values, finite, names, how)
    mapped = values[kept]
    suspect = [*placeholders(mapped, names), *saturated(mapped, names)]
    return FeatureSurvey(values, kept, int((~complete).sum()), why, constant, suspect)


def _check_known(known: np.ndarray, finite: np.ndarray, names: list[str], how: Preparation) -> None:
    empty = [name for name, some in zip(names, np.any(known, axis=0), strict=True) if not some]
    if empty and how.missing == "leave out":
        raise ValueError(
            "No cell has a finite value in all of the features chosen; missing most often: "
            f"{names[int(finite.sum(axis=0).argmin())]}."
        )
    if empty:
        raise ValueError(f"No cell has a number in {listed(empty)}: untick it.")


def _check_size(largest: np.ndarray, names: list[str]) -> None:
    huge = [f"{name} ({size:.1g})" for name, size in zip(names, largest, strict=True) if size > _LARGEST]
    if huge:
        raise ValueError(f"Numbers too large to compute with are in {shortened_list(huge)}: untick or correct them.")


def _check_transform(least: np.ndarray, names: list[str], how: Preparation) -> None:
    low = [f"{name} ({value:.4g})" for name, value in zip(names, least, strict=True) if value <= -1]
    if how.transform == "log1p" and low:
        raise ValueError(
            f"log(1 + x) needs values above -1, but the least of some features is not: {shortened_list(low)}. Choose "
            '"arcsinh", "rank" or "none", or untick these.'
        )
    if how.transform == "arcsinh" and not how.cofactor > 0:
        raise ValueError(f"The cofactor of arcsinh is {how.cofactor:g}; it must be above 0.")


def _why(values: np.ndarray, finite: np.ndarray, names: list[str], how: Preparation) -> str:
    infinite = ~finite & ~np.isnan(values) if how.missing == "leave out" else np.zeros_like(finite)
    reasons = []
    for words, gaps in (("no number in", ~finite & ~infinite), ("infinite in", infinite)):
        if said := worst_features(gaps, names):
            reasons.append(f"{words} {shortened_list(said)}")
    return "; ".join(reasons)


def _notes(found: FeatureSurvey, how: Preparation) -> list[str]:
    notes = []
    if found.n_incomplete:
        what = {
            "leave out": "left out of the map",
            "median": "got the median",
            "similar cells": f"got the mean of the {N_SIMILAR} most similar cells",
        }[how.missing]
        notes.append(f"{found.n_incomplete} of {len(found.kept)} cells {what}: {found.why}.")
    if found.constant:
        every = f"cell of the same {how.groups_by}" if how.groups_by else "cell"
        notes.append(f"The same for every {every}, so without influence on the map: {listed(found.constant)}.")
    return [*notes, *fewer_components(found, how), *found.placeholders]


def fewer_components(found: FeatureSurvey, how: Preparation) -> list[str]:
    """Return a sentence that there can be only so many principal components, or none.

    Examples
    --------
    >>> found = FeatureSurvey(np.ones((14, 9000)), np.ones(14, bool), 0, "", [], [])
    >>> fewer_components(found, Preparation(n_pca=50))
    ['14 cells: 13 principal components, not 50.']
    """
    n_cells, n_features = found.shape
    n_pca = how.fitted_to(n_cells, n_features).n_pca
    if n_pca == how.n_pca:
        return []
    few = counted(n_features, "feature") if n_features < n_cells else counted(n_cells, "cell")
    return [f"{few}: {counted(n_pca, 'principal component')}, not {how.n_pca}."]


def _group_notes(cells: CellTable, how: Preparation) -> list[str]:
    """Say within which groups the features are scaled, and which of these are no groups."""
    if not how.groups_by:
        return []
    sizes = pd.Series(groups_of(cells.features, how.groups_by)).value_counts()
    notes = [f"Features are scaled within each {how.groups_by}, of which there are {len(sizes)}."]
    if how.groups_by not in cells.features.index.names and (n_without := int(sizes.get("", 0))):
        notes.append(f"{counted(n_without, 'cell')} without a {how.groups_by} scaled among themselves.")
    if n_alone := int((sizes == 1).sum()):
        notes.append(
            f"{counted(n_alone, 'cell')} alone in a {how.groups_by}, and so average in every feature: look at it with "
            "suspicion, or drop it."
            if n_alone == 1
            else f"{n_alone} cells are each alone in their {how.groups_by}, and so average in every feature: look at "
            "them with suspicion, or drop them."
        )
    return notes


def _batch_notes(cells: CellTable, how: Preparation) -> list[str]:
    """Say which batches are corrected for."""
    if not how.batches_by:
        return []
    sizes = pd.Series(groups_of(cells.features, how.batches_by)).value_counts()
    notes = [f"Harmony corrects for the {how.batches_by}, of which there are {len(sizes)}; new cells cannot be placed."]
    if how.batches_by not in cells.features.index.names and (n_without := int(sizes.get("", 0))):
        notes.append(f"{counted(n_without, 'cell')} without a {how.batches_by} count as a batch of their own.")
    return notes
