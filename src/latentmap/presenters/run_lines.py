"""Texts and numbers in the list of the maps made so far."""

from collections.abc import Sequence

import numpy as np

from latentmap.display.progress_text import objective_text
from latentmap.display.run_status import stopped_sentence
from latentmap.session import Dropped, Run
from latentmap.session.alignment import describe_turn
from latentmap.session.differences import run_differences, supervision_differences

_MOST_OBJECTIVES = 8


def course(run: Run) -> str:
    """Describe a run line by line: its cells, its iterations, and how its objective changed."""
    if run.result is None:
        return "This map is being made."
    result, n_cells = run.result, len(run.result.embedding)
    if result.made_elsewhere:
        return "\n".join(
            [run.name, f"{n_cells} cells", f"From {result.made_elsewhere}.", *result.cells.notes, *result.remarks]
        )
    # There may be a value for each iteration; a few are shown, always with the first and the last.
    n = len(result.objective)
    shown = np.unique(np.linspace(0, n - 1, min(n, _MOST_OBJECTIVES)).astype(int))
    reached_at = zip(result.objective_iterations[shown], result.objective[shown], strict=True)
    lines = [
        run.name,
        f"{n_cells} cells by {len(run.parameters['features'])} features",
        *result.cells.notes,
        *result.remarks,
        *filter(None, [describe_turn(result.turn)]),
        f"{result.n_iter} iterations" + (f"; {stopped} by you" if (stopped := stopped_sentence(run)) else ""),
        *(
            f"{objective_text(result.method, value, n_cells)} at iteration {iteration}"
            for iteration, value in reached_at
        ),
    ]
    if not result.quality:
        lines.append("Recall and trustworthiness were not measured: the run was stopped, or there are too few cells.")
    return "\n".join(lines)


def against_above(run: Run, kept: Sequence[Run]) -> str:
    """Say in which parameters a run differs from the one in the line above it; empty for the first line."""
    line = kept.index(run)
    if not line:
        return ""
    above = kept[line - 1]
    if elsewhere := [one.name for one in (run, above) if one.made_elsewhere]:
        return f'"{elsewhere[0]}" was made elsewhere: its parameters are not known.'
    changes = run_differences(run.parameters, above.parameters)
    if run.result is not None and above.result is not None and run.result.method == above.result.method:
        changes += supervision_differences(run.result.supervision, above.result.supervision)
    return f'Compared with "{above.name}": {", ".join(changes) or "the same parameters"}.'


def variances(run: Run | None, dropped: Dropped) -> np.ndarray | None:
    """Return the variances of a map's cells that are not dropped, if they differ between cells; None otherwise."""
    if run is None or run.numbers is None or run.result is None or not run.result.has_distinct_variances:
        return None
    there = ~dropped.is_dropped(run.numbers)
    if there.all():
        return run.result.variances  # the same array as before, which no view need draw again
    return run.result.variances[there] if there.any() else None
