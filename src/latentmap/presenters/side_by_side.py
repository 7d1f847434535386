"""Which maps are in view: the current one, and those that the user keeps next to it."""

from psygnal import Signal

from latentmap.session import Run, Runs


class SideBySide:
    """Keeps other maps in view next to the current one, until they are deleted.

    Examples
    --------
    >>> from types import MappingProxyType
    >>> from latentmap.session import Session
    >>> from latentmap.samples.tissue import tissue
    >>> runs = Session(lambda act: act()).runs
    >>> first, second = (Run(name, tissue().cells, MappingProxyType({})) for name in ("first", "second"))
    >>> runs.restore([first, second], second, 2)
    >>> maps = SideBySide(runs)
    >>> maps.keep(first)
    >>> [run.name for run in maps.shown]
    ['first', 'second']
    """

    kept_changed = Signal()
    """Emitted whenever `kept` is set."""
    shown_changed = Signal(list)
    """Emitted with the runs whose maps are in view, whenever these change."""

    def __init__(self, runs: Runs) -> None:
        self._runs = runs
        self._kept: list[Run] = []
        self._last_shown = self.shown
        runs.changed.connect(self._runs_changed)

    @property
    def kept(self) -> list[Run]:
        """The runs whose maps stay next to the current one, in the order in which they were made."""
        return [run for run in self._runs if run in self._kept]

    @kept.setter
    def kept(self, runs: list[Run]) -> None:
        self._kept = list(runs)
        self.kept_changed.emit()
        self._announce()

    @property
    def shown(self) -> list[Run]:
        """The runs whose maps are in view, in the order in which they were made."""
        return [run for run in self._runs if run is self._runs.current or run in self._kept]

    def keep(self, run: Run, kept: bool = True) -> None:
        """Keep a map next to the current one, or keep it no longer."""
        if kept != (run in self._kept):
            self.kept = [*self._kept, run] if kept else [one for one in self._kept if one is not run]

    def _runs_changed(self) -> None:
        self._kept = self.kept
        self._announce()

    def _announce(self) -> None:
        if self._last_shown != (shown := self.shown):
            self._last_shown = shown
            self.shown_changed.emit(shown)
