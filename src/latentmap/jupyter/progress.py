"""How far a run is, in a notebook."""

import ipywidgets as w

from latentmap.display.run_words import Told

PACE = 0.4
"""Seconds between two sights of a run that is under way.

Without a graphics card the browser draws on the cores that also compute: so the bar and the map change seldom, and at
the same time.
"""


class RunProgress(w.VBox):
    """A bar that counts iterations, and the words below it."""

    def __init__(self) -> None:
        self.bar = w.IntProgress(0, 0, 1, layout=w.Layout(width="auto"))
        self.words = w.Label()
        super().__init__([self.bar, self.words])

    def draw(self, told: Told) -> None:
        """Show how much is done, and say it."""
        # Full and striped while no one knows how long it takes.
        self.bar.bar_style = "" if told.total else "info"
        with self.bar.hold_trait_notifications():
            self.bar.max, self.bar.value = max(told.total, 1), told.done if told.total else 1
        self.words.value = told.text
