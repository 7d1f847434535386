"""A preview in words: which cells and features will be on a map."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from latentmap.table.cells import KEY, CellTable
from latentmap.table.feature_sets import ALL, FeatureSet, feature_sets, set_of
from latentmap.table.found_maps import component_stem, is_coordinate
from latentmap.table.identifiers import identifiers_among, is_cluster
from latentmap.table.key_columns import is_count, may_count
from latentmap.table.key_parts import n_distinct
from latentmap.table.long_tails import tail_advice
from latentmap.table.mappable import Columns
from latentmap.table.pixel_columns import is_pixel
from latentmap.table.plain_tables import is_name
from latentmap.table.preparing import FeatureSurvey, Preparation, fewer_components, survey_features
from latentmap.table.technical_columns import technical
from latentmap.table.wording import counted, shortened_list

_FILLED = {"median": "get the median", "similar cells": "get the mean of similar cells"}


@dataclass(frozen=True)
class Preview:
    """What `~latentmap.table.prepare` will make of a table.

    Attributes
    ----------
    n_cells : int
        Cells on the map.
    n_left_out, n_filled : int
        Cells with a gap in some feature: left out, or filled. One of the two is 0.
    n_columns : int
        Numbers that the model gets for each cell: features, or principal components.
    constant : tuple of str
        Features without influence, because they are the same for every cell.
    sentence : str
        All of it in words.
    """

    n_cells: int
    n_left_out: int
    n_filled: int
    n_columns: int
    constant: tuple[str, ...]
    sentence: str


def preview(table: CellTable, names: Sequence[str], how: Preparation) -> Preview:
    """Say what will be on the map, in a fraction of the time that `~latentmap.table.prepare` takes.

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
    Preview
        Numbers, and a sentence for the user.

    Raises
    ------
    ValueError
        Whenever `~latentmap.table.prepare` would, with the same message.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = pd.DataFrame({"label": [1, 2, 3], "area": [4.0, None, 6.0], "dna_min": [1.0, 1.0, 1.0], "x": [7, 8, 9]})
    >>> said = preview(CellTable.read(rows, layer="cells"), ["area", "dna_min"], Preparation()).sentence
    >>> for sentence in said.split(". "):
    ...     print(sentence)
    2 cells, 2 of 3 features, standardised; 1 cell left out: no number in area (1)
    Constant: dna_min
    Not ticked, because it only says which cell this is, where or when: x.
    """
    found = survey_features(table, names, how)
    leaves_out = how.missing == "leave out"
    return Preview(
        n_cells=int(found.kept.sum()),
        n_left_out=found.n_incomplete if leaves_out else 0,
        n_filled=0 if leaves_out else found.n_incomplete,
        n_columns=how.fitted_to(*found.shape).n_pca or len(names),
        constant=tuple(found.constant),
        sentence=_sentence(table, names, how, found),
    )


def _sentence(table: CellTable, names: Sequence[str], how: Preparation, found: FeatureSurvey) -> str:
    ticked, sets = {*names}, feature_sets(table.mappable)
    source = set_of(sets, ticked)
    mappable = table.mappable if source is None else list(source.columns)
    offered = {*mappable, *ticked}
    of = f" of {source.name}" if source is not None and source is not sets[0] and source.name != ALL else ""
    sentence = ", ".join(
        [
            counted(int(found.kept.sum()), "cell") + _origin(table, found.kept),
            f"{len(names)} of {counted(len(offered), 'feature')}{of}",
            *_steps(how.fitted_to(*found.shape)),
        ]
    )
    if found.n_incomplete:
        gaps = counted(found.n_incomplete, "cell")
        what = "left out" if how.missing == "leave out" else _FILLED[how.missing]
        sentence += f"; {gaps} {what}: {found.why}"
    constant = f" Constant: {shortened_list(found.constant)}." if found.constant else ""
    not_ticked = [name for name in mappable if name not in ticked]
    others = technical(table.mappable)
    unticked = _unticked(_reasons(not_ticked, others, _counts(table, not_ticked)))
    tails = tail_advice(found.values) if how.transform == "none" else []
    said = [f"{sentence}.{constant}", *fewer_components(found, how), *tails, *unticked]
    nothing = _measure_nothing(names, others)
    not_offered = [] if of else _not_offered(table.columns, ticked)
    return " ".join([*said, *nothing, *_other_sets(sets, source), *not_offered, *found.placeholders])


def _measure_nothing(names: Sequence[str], technical: Mapping[str, Sequence[str]]) -> list[str]:
    """Say so where no feature on the map would be ticked beside others: none but these are chosen if there are none."""
    identifiers = identifiers_among(names)
    if not identifiers.issuperset(names):
        others = identifiers.union(*technical.values())
        are_others = all(name in others or is_cluster(name) or _is_axis(name) for name in names)
        reasons = _reasons(names, technical, []) if are_others else {}
        return _unticked(reasons, "Would not be ticked beside measurements")
    if len(names) == 1:
        return ["The feature of this map measures nothing: it only says which cell this is, where or when."]
    return ["The features of this map measure nothing: they only say which cell, where or when."]


def _is_axis(name: str) -> bool:
    """Whether a feature is a coordinate of a map to look at, and no component, of which maps are made."""
    return is_coordinate(name) and not component_stem(name)


def _other_sets(sets: Sequence[FeatureSet], source: FeatureSet | None) -> list[str]:
    """Say which other sets of features there are, none of which is on the map."""
    if source is None or source.name == ALL:
        return []
    others = [f"{one.name} ({len(one.columns)})" for one in sets if one not in (source, sets[-1])]
    return [f"Other features that a map can be made of: {', '.join(others)}."] if others else []


def _counts(table: CellTable, names: list[str]) -> list[str]:
    """Return which features have the name of a cell's number, and cannot be that."""
    may = [name for name in names if may_count(name)]
    rows = table.features.reset_index() if may else table.features
    return [name for name in may if is_count(rows, name)]


def _unticked(reasons: Mapping[str, Sequence[str]], what: str = "Not ticked") -> list[str]:
    """Say which features are not ticked unless the user does, and why."""
    return [f"{what}, because {why}: {shortened_list(some)}." for why, some in reasons.items() if some]


def _reasons(
    names: Sequence[str], technical: Mapping[str, Sequence[str]], counts: Sequence[str]
) -> dict[str, list[str]]:
    """Return which features are not ticked unless the user does, by the reason."""
    clusters = [name for name in names if is_cluster(name)]
    identifiers = identifiers_among(names) - {*counts, *clusters}
    those = [name for name in names if name in identifiers]
    says = "it only says which cell this is, where or when"
    pixels = [name for name in names if is_pixel(name) and name not in those]
    maps = [name for name in names if is_coordinate(name) and name not in those]
    return {
        says if len(those) == 1 else "they only say which cell, where or when": those,
        "it is called like a cell's own number (if it counts something in each cell, tick it)": [*counts],
        "the map would show a clustering that was made before": clusters,
        **{why: [name for name in names if name in {*some} - {*those}] for why, some in technical.items()},
        "they are coordinates on a map made elsewhere": maps,
        "pixels of pictures would drown the other features": pixels,
    }


def _not_offered(columns: Columns, ticked: set[str]) -> list[str]:
    """Say which columns of the table cannot shape a map, each with the reason."""
    words = [name for name in columns.not_numbers if not is_name(name)]
    reasons = {
        "it does not hold numbers" if len(words) == 1 else "they do not hold numbers": words,
        "it is of an earlier map" if len(columns.of_a_map) == 1 else "they are of an earlier map": columns.of_a_map,
        "no cell has a finite number there": columns.empty,
        "a layer has no finite number there": columns.partial,
    }
    offered = {why: [name for name in names if name not in ticked] for why, names in reasons.items()}
    return [f"Not offered, because {why}: {shortened_list(names)}." for why, names in offered.items() if names]


def _origin(table: CellTable, kept: np.ndarray) -> str:
    index = table.features.index[kept]
    several = [counted(count, noun) for noun in KEY[:2] if (count := n_distinct(index, noun)) > 1]
    return f" from {' and '.join(several)}" if several else ""


def _steps(how: Preparation) -> list[str]:
    transform = {
        "none": "",
        "log1p": "log(1 + x)",
        "arcsinh": f"arcsinh(x / {how.cofactor:g})",
        "rank": "ranked",
    }[how.transform]
    scaling = {"standard": "standardised", "robust": "scaled by their quartiles", "none": "not scaled"}[how.scaling]
    scaling += f" within each {how.groups_by}" if how.groups_by else ""
    components = counted(how.n_pca, "principal component") if how.n_pca else ""
    batches = f"corrected by Harmony for the {how.batches_by}" if how.batches_by else ""
    return [step for step in (transform, scaling, components, batches) if step]
