"""The maps that are kept: showing, renaming and deleting one, and using its parameters again."""

from collections.abc import Callable, Collection

from latentmap.session import Parameters, Run, Runs


class KeptRunsPresenter:
    """Does what the user wants done with a map, and says so.

    Parameters
    ----------
    runs : Runs
    parameters : Parameters
        Set to those of a run when the user asks for that.
    features : callable
        Returns the names of the features that a map can be made of now.
    tell : callable
        Takes a sentence for the user.
    """

    def __init__(
        self,
        runs: Runs,
        parameters: Parameters,
        features: Callable[[], Collection[str]],
        tell: Callable[[str], None],
    ) -> None:
        self._runs, self._parameters, self._features, self._tell = runs, parameters, features, tell

    def use(self, run: Run) -> None:
        """Set the parameters to those of a run; features that the cells no longer have are left out and named."""
        there = self._features()
        features = tuple(name for name in run.parameters["features"] if name in there)
        gone = [name for name in run.parameters["features"] if name not in there]
        self._parameters.take_all({**run.parameters, "features": features})
        left_out = f" Left out, because these cells do not have them: {', '.join(gone)}." if gone else ""
        self._tell(f'The parameters are those of "{run.name}".{left_out}')

    def delete(self, run: Run) -> None:
        """Delete a run."""
        self._runs.delete(run)
        self._tell(f'The map "{run.name}" is deleted.')

    def rename(self, run: Run, name: str) -> bool:
        """Give a run another name; return whether that was possible, and say why not."""
        try:
            self._runs.rename(run, name)
        except ValueError as error:
            self._tell(str(error))
            return False
        return True
