"""How far a run is, in a notebook."""

import ipywidgets as w

from latentmap.display.run_words import RunWords, Told
from latentmap.session import Progress, Result

PACE = 0.4
"""Seconds between two sights of a run that is under way.

Without a graphics card the browser draws on the cores that also compute: so the bar and the map change seldom, and at
the same time.
"""


class RunProgress(w.VBox):
    """A bar that counts iterations, and the words below it."""

    def __init__(self) -> None:
        self._says = RunWords()
        self.bar = w.IntProgress(0, 0, 1, layout=w.Layout(width="auto"))
        self.words = w.Label()
        super().__init__([self.bar, self.words])

    def clear(self) -> None:
        """Show that nothing is being done."""
        self._says.forget()
        self._show(Told(0, 1, ""))

    def busy(self, stage: str) -> None:
        """Show that something is being done and no one knows how long it takes."""
        self._show(self._says.busy(stage))

    def follow(self, progress: Progress) -> None:
        """Show the stage, the iterations done of those allowed, and the log-likelihood."""
        self._show(self._says.follow(progress))

    def pause(self) -> None:
        """Show that it waits."""
        self._says.forget()
        self.words.value = f"paused   {self.words.value}"

    def end(self, result: Result) -> None:
        """Show that a map is done."""
        self._show(self._says.end(result))

    def _show(self, told: Told) -> None:
        # Full and striped while no one knows how long it takes.
        self.bar.bar_style = "" if told.total else "info"
        with self.bar.hold_trait_notifications():
            self.bar.max, self.bar.value = max(told.total, 1), told.done if told.total else 1
        self.words.value = told.text
