"""The progress of a run, in a notebook."""

import ipywidgets as w

from latentmap.display.run_words import Told

PACE = 0.4
"""Seconds between two updates of the progress bar and the map during a run.

Without a graphics card the browser draws on the cores that also compute, so both are updated rarely, and together.
"""


class RunProgress(w.VBox):
    """A progress bar, with text below it."""

    def __init__(self) -> None:
        self.bar = w.IntProgress(0, 0, 1, layout=w.Layout(width="auto"))
        self.words = w.Label()
        super().__init__([self.bar, self.words])

    def draw(self, told: Told) -> None:
        """Show how much is done, as a bar and as text."""
        # The bar is full and striped while the duration is unknown.
        self.bar.bar_style = "" if told.total else "info"
        with self.bar.hold_trait_notifications():
            self.bar.max, self.bar.value = max(told.total, 1), told.done if told.total else 1
        self.words.value = told.text
