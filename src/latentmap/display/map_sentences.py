"""What both front ends say about a map."""

from collections.abc import Sequence
from difflib import get_close_matches

import pandas as pd

from latentmap.measuring.measuring_notes import is_measured_in_note
from latentmap.session import ColourBy, Parameters, Result, colour_choices
from latentmap.session.feature_parameters import N_COMPONENTS
from latentmap.session.result import MOST_MEASURED
from latentmap.session.wording import counted
from latentmap.table.matching import is_mismatch
from latentmap.table.preview import Preview
from latentmap.table.wording import listed

# By chance, trustworthiness is 0.5.
_LOW_TRUST = 0.7
# With fewer features than this, principal components leave little out.
_SOME_FEATURES = 60


def describe_map(result: Result, left_out: Sequence[str] = ()) -> str:
    """Say whether a map is finished, how many cells it has, how faithful it is, and which cells were left out.

    Notes on rows that match no cell in the images come first. `left_out` holds the front end's own sentences on the
    cells that it does not draw, or not in their positions.
    """
    said = [f"{len(result.embedding)} cells on the map."]
    if result.stopped:
        said = [f"Stopped after {counted(result.n_iter, 'iteration')}, before the map was finished.", *said]
    if result.quality:
        recall, trust = result.quality["recall"], result.quality["trustworthiness"]
        said.append(
            f"Of each cell's 10 most similar cells, {10 * recall:.1f} are among its 10 nearest on the map; "
            f"trustworthiness {trust:.2f}{measured_on(result)}."
        )
        if trust < _LOW_TRUST:
            said.append(_doubt(result))
    if result.made_elsewhere:
        said.append("A map made elsewhere has no variances: colour the points by something else.")
    elif not result.has_variances:
        said.append("This method gives no variances: colour the points by something else.")
    elif not result.has_distinct_variances:
        said.append("All cells have the same variance: colour the points by something else.")
    notes = [note for note in result.cells.notes if not is_measured_in_note(note)]
    apart, others = [note for note in notes if is_mismatch(note)], [note for note in notes if not is_mismatch(note)]
    return " ".join([*apart, *said, *result.remarks, *left_out, *others])


def measured_on(result: Result) -> str:
    """Say on how many cells the quality of a map was measured, for the end of a sentence; empty if on all.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> measured_on(SimpleNamespace(embedding=range(70_000), members=None, made_elsewhere=""))
    ' (measured on 1000 cells drawn at random)'
    """
    if len(result.embedding) <= MOST_MEASURED or result.made_elsewhere:
        return ""
    of = "cells" if result.members is None else "landmarks"
    return f" (measured on {MOST_MEASURED} {of} drawn at random)"


def _doubt(result: Result) -> str:
    """Say that a map is hardly better than chance, and what might help."""
    if result.made_elsewhere:
        return (
            "Judged by the features chosen here that is hardly better than chance (0.50), so groups on this map may "
            "mean nothing, or it was made of other features."
        )
    n_features, n_pca = len(result.parameters["features"]), result.parameters["n_pca"]
    if not n_pca and n_features > _SOME_FEATURES and len(result.embedding) > 2 * N_COMPONENTS:
        advice = f"Set PCA to {N_COMPONENTS}: {n_features} features hold much noise."
    elif n_pca:
        advice = "Try another number of principal components (PCA), a transform, or other features."
    else:
        advice = "Try a transform, or other features."
    return f"That is hardly better than chance (0.50), so groups on this map may mean nothing. {advice}"


def describe_next_map(seen: Preview, parameters: Parameters) -> str:
    """Say what the next map will be made of, and which k it will use if there are too few cells for the k chosen.

    Raises
    ------
    ValueError
        If there are too few cells for the dimensions chosen.

    Examples
    --------
    >>> seen = Preview(14, 0, 0, 2, (), "14 cells, 2 of 2 features, standardised.")
    >>> describe_next_map(seen, Parameters())
    '14 cells, 2 of 2 features, standardised. 14 cells: k is 4, not 15.'
    """
    n_cells, d = seen.n_cells, parameters.n_components
    if n_cells <= d:
        there = f"there is only {n_cells}" if n_cells == 1 else f"there are only {n_cells}"
        raise ValueError(f"A map of {counted(d, 'dimension')} (d) needs at least {d + 1} cells; {there}.")
    return " ".join(filter(None, [seen.sentence, parameters.fitted_to(seen.n_cells)[1]]))


def far_out_note(count: int) -> list[str]:
    """Return a sentence on how many cells lie so far out that they are drawn at the edge, or none."""
    return [f"{counted(count, 'cell')} far out, drawn at the edge."] if count else []


def missing_colour_note(by: ColourBy, features: pd.DataFrame) -> list[str]:
    """Return a sentence that the cells lack the quantity that they should be coloured by, or none.

    Examples
    --------
    >>> from latentmap.session.cell_index import as_keys
    >>> missing_colour_note(ColourBy("feature", "aera"), pd.DataFrame({"area": [4.0]}, index=as_keys([("a", 0, 1)])))
    ['The cells have no feature "aera"; did you mean "area"? They are coloured by variance.']
    """
    known = colour_choices(features)
    if by in known or by.kind in ("stability", "layer", "frame"):
        return []
    similar = get_close_matches(by.name, [one.name for one in known if one.name], 3)
    hint = f"; did you mean {listed(similar)}?" if similar else "."
    what = f'feature "{by.name}"' if by.kind == "feature" else by.kind
    return [f"The cells have no {what}{hint} They are coloured by variance."]
