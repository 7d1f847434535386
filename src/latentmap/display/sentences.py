"""What both front ends say of a map."""

from collections.abc import Sequence

from latentmap.session import Result
from latentmap.session.wording import counted


def about_map(result: Result, left_out: Sequence[str] = ()) -> str:
    """Say whether a map is finished, of how many cells, how faithful, what its method found out, and who was left out.

    Parameters
    ----------
    result : Result
    left_out : sequence of str
        What the front end has to add on what it does not draw.

    Returns
    -------
    str
    """
    said = [f"{len(result.embedding)} cells on the map."]
    if result.stopped:
        said = [f"Stopped after {counted(result.n_iter, 'iteration')}, before the map was finished.", *said]
    if result.quality:
        recall, trust = result.quality["recall"], result.quality["trustworthiness"]
        said.append(
            f"Of each cell's 10 most similar ones {10 * recall:.1f} are still among its 10 nearest; trust {trust:.2f}."
        )
    if not result.has_variances:
        said.append("The method gives no variance: colour the points by something else.")
    return " ".join([*said, *result.remarks, *left_out, *result.cells.notes])


def far_out(count: int) -> list[str]:
    """Say how many cells are not drawn where they lie.

    Parameters
    ----------
    count : int

    Returns
    -------
    list of str
        A sentence, or none.
    """
    return [f"{counted(count, 'cell')} far out, drawn at the edge."] if count else []
