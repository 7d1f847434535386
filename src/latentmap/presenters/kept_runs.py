"""The maps made so far: deleting and renaming one, and using its parameters again."""

from collections.abc import Callable, Collection

from latentmap.session import Parameters, Run, Runs


class KeptRunsPresenter:
    """Carries out what the user does with a map, and says so.

    `features` returns the names of the features that a map can be made from now; `tell` shows the user a sentence.
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
        if run.made_elsewhere:
            self._tell(f'"{run.name}" was made elsewhere: its parameters are not known, and those in the form stay.')
            return
        known = self._features()
        features = tuple(name for name in run.parameters["features"] if name in known)
        missing = [name for name in run.parameters["features"] if name not in known]
        self._parameters.take_all({**run.parameters, "features": features})
        note = f" Left out, because these cells do not have them: {', '.join(missing)}." if missing else ""
        self._tell(f'The parameters are those of "{run.name}".{note}')

    def delete(self, run: Run) -> None:
        """Delete a run."""
        self._runs.delete(run)
        self._tell(f'Deleted the map "{run.name}".')

    def rename(self, run: Run, name: str) -> bool:
        """Rename a run; return False and say why if that is not possible."""
        try:
            self._runs.rename(run, name)
        except ValueError as error:
            self._tell(str(error))
            return False
        return True
