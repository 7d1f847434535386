"""What both front ends say about a run that the user has stopped."""

from latentmap.session import Parameters, Run


def stopped_sentence(run: Run) -> str:
    """Say after how many iterations a run with a map was stopped; empty for all other runs.

    Examples
    --------
    >>> from queue import SimpleQueue
    >>> from latentmap.session import Session
    >>> from latentmap.samples.tissue import tissue
    >>> calls = SimpleQueue()
    >>> session = Session(calls.put)
    >>> session.parameters.features, session.parameters.max_iter = ("area", "dab_mean"), 9000
    >>> run = session.embed(tissue().cells)
    >>> while run.progress is None or run.progress.iteration < 3:
    ...     calls.get()()
    >>> session.runs.stop()
    >>> while session.runs.running:
    ...     calls.get()()
    >>> stopped_sentence(run).startswith("stopped after"), stopped_sentence(run).endswith("of 9000 iterations")
    (True, True)
    """
    if run.status != "stopped" or run.result is None:
        return ""
    done, total = run.result.n_iter, allowed_iterations(run)
    if done >= total:
        return "stopped before recall and trustworthiness were measured"
    return f"stopped after {done} of {total} iterations"


def interim_sentence(run: Run) -> str:
    """Say that the map shown is not yet the one asked for; empty once it is.

    Examples
    --------
    >>> from types import MappingProxyType
    >>> from latentmap.session import RunProgress
    >>> from latentmap.samples.tissue import tissue
    >>> cells = tissue().cells
    >>> interim = RunProgress("interim", 3, 100, cells)
    >>> run = Run("2: k 30", cells, MappingProxyType({}), interim=interim, interim_differences=("k 15 instead of 30",))
    >>> interim_sentence(run)
    'Map as before: k 15 instead of 30, until its neighbours are found.'
    """
    if run.interim is None or run.has_own_map:
        return ""
    if not run.interim_differences:
        return "The map goes on along the links of the one before, until its own are made."
    still = ", ".join(run.interim_differences)
    return f"Map as before: {still}, until its neighbours are found."


def allowed_iterations(run: Run) -> int:
    """Return how many iterations a run was allowed, even if it comes from a session file."""
    if run.progress is not None:
        return run.progress.max_iter
    return int(getattr(Parameters(**run.parameters).estimator(), "max_iter", 1))
