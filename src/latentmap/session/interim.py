"""The map of a run that goes on from another at once, before the run's own neighbours are found."""

from collections.abc import Generator
from dataclasses import asdict
from time import perf_counter, sleep

from latentmap.methods import METHODS
from latentmap.session.differences import run_differences
from latentmap.session.embedding import RunProgress
from latentmap.session.parameters import Parameters
from latentmap.session.result import Result
from latentmap.session.warm_start import WarmStart

# What an interim map follows at once (`LVM.iter_interim`), and what has no influence on it.
_FOLLOWED = ("repulsion", "similarity_scale", "row_normalized", "tied_variances", "max_iter", "random_state", "init")
# After each step the search has the processor for twice as long, but the next change must not wait for more than this.
_REST, _LONGEST_REST = 2.0, 0.1


def can_go_on(result: Result, parameters: Parameters, shown: WarmStart) -> bool:
    """Return whether the map shown can go on at once on the graph of a finished map.

    Parameters
    ----------
    result : Result
        The finished map.
    parameters : Parameters
        Of the run that is to come.
    shown : WarmStart
        The map as it is drawn now.

    Returns
    -------
    bool
        It can by the same method in as many dimensions, if it has all cells of the finished map, and that was made
        since the session was opened.
    """
    return (
        result.estimator is not None
        and not result.made_elsewhere
        and result.method == parameters.method
        and hasattr(result.estimator["map"], "iter_interim")
        and result.embedding.shape[1] == shown.embedding.shape[1] == parameters.n_components
        and bool((shown.find(result.cells.features.index) >= 0).all())
    )


def iter_interim(result: Result, parameters: Parameters, shown: WarmStart) -> Generator[RunProgress, bool | None, None]:
    """Let the map shown go on along the graph of a finished map, step by step.

    Parameters
    ----------
    result, parameters, shown
        As for :func:`can_go_on`, which must be true.

    Yields
    ------
    RunProgress
        After each step, of the stage "interim".

    Examples
    --------
    >>> from latentmap.generators import result_of
    >>> from latentmap.samples.tissue import tissue
    >>> from dataclasses import replace
    >>> from latentmap.session.embedding import iter_run
    >>> parameters = Parameters(features=("area", "dab_mean"), max_iter=5)
    >>> result = result_of(iter_run(tissue().cells, parameters))
    >>> shown = WarmStart("1", result.cells.features.index, result.drawn, result.variances)
    >>> asked = replace(parameters, n_neighbors=30)
    >>> can_go_on(result, asked, shown), next(iter_interim(result, asked, shown)).iteration
    (True, 1)
    """
    if result.estimator is None:
        return
    keys = result.cells.features.index
    parameters, _ = parameters.fitted_to(len(keys))
    asked, warm = parameters.estimator(), METHODS[parameters.method].warm_start
    asked.set_params(**{**warm, "max_iter": min(asked.max_iter, warm["max_iter"])})
    rows = shown.find(keys)
    begun = perf_counter()
    for state in asked.iter_interim(result.estimator["map"], shown.embedding[rows], shown.variances[rows]):
        if state.iteration == 0:
            continue
        took = perf_counter() - begun
        if (
            yield RunProgress(
                "interim", state.iteration, asked.max_iter, result.cells, state, None, True, parameters.method
            )
        ):
            return
        sleep(min(_REST * took, _LONGEST_REST))
        begun = perf_counter()


def not_followed(result: Result, parameters: Parameters) -> tuple[str, ...]:
    """Say in which parameters an interim map is still like the finished map whose graph it has.

    Parameters
    ----------
    result, parameters
        As for :func:`can_go_on`.

    Returns
    -------
    tuple of str
        One phrase for each parameter.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> before = SimpleNamespace(parameters=asdict(Parameters(n_neighbors=15)))
    >>> not_followed(before, Parameters(n_neighbors=30, repulsion=5.0))
    ('k 15 instead of 30',)
    """
    asked = asdict(parameters)
    before = {**result.parameters, **{name: asked[name] for name in _FOLLOWED if name in asked}}
    return tuple(run_differences(before, asked))
