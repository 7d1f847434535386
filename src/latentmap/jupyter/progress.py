"""The progress of a run, in a notebook."""

from latentmap.display.progress_text import ProgressText
from latentmap.jupyter import widgets as w

UPDATE_INTERVAL = 0.4
"""Seconds between two updates of the progress bar and the map during a run.

Without a graphics card the browser draws on the cores that also compute, so both are updated rarely, and together.
"""


class RunProgressBar(w.VBox):
    """A progress bar, with text below it."""

    def __init__(self) -> None:
        self.bar = w.IntProgress(0, 0, 1, layout=w.look(width="auto", height="10px"))
        self.words = w.Label(layout=w.look(height="22px"))
        super().__init__([self.bar, self.words])

    def draw(self, progress_text: ProgressText) -> None:
        """Show how much is done, as a bar and as text."""
        # The bar is full and striped while the duration is unknown.
        self.bar.bar_style = "" if progress_text.total else "info"
        with self.bar.hold_trait_notifications():
            self.bar.max, self.bar.value = max(progress_text.total, 1), progress_text.done if progress_text.total else 1
        self.words.value = progress_text.text
