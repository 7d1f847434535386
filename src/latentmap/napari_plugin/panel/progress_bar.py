"""How far a run is."""

from collections.abc import Callable
from time import perf_counter

from magicgui.widgets import ProgressBar
from qtpy.QtCore import Qt
from qtpy.QtWidgets import QVBoxLayout
from superqt import QElidingLabel

from latentmap.session import Progress, Result

_STAGES = {
    "neighbours": "finding each cell's neighbours",
    "graph": "tying neighbours together",
    "coarse-graining": "summing up distant cells",
    "start": "placing the cells for a start",
    "quality": "measuring how faithful the map is",
}
# Seconds: before that much has passed, and for less than that, no one needs to be told how long it takes.
_SHORT = 2


class RunProgressBar(ProgressBar):
    """A bar that names the stage of a run, and counts its iterations where there are any.

    Parameters
    ----------
    clock : callable
        Returns the time in seconds.
    """

    def __init__(self, clock: Callable[[], float] = perf_counter) -> None:
        super().__init__(value=0, max=1)
        self._clock = clock
        self._began: tuple[str, int, float] | None = None
        # Qt's own text is not drawn while no one knows how long it takes.
        self.native.setTextVisible(False)
        self._words = QElidingLabel(self.native)
        self._words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._words.setStyleSheet("background: transparent; padding: 0px; font-size: 9pt")
        self._words.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        inside = QVBoxLayout(self.native)
        inside.setContentsMargins(4, 0, 4, 0)
        inside.addWidget(self._words)
        self.clear()

    @property
    def text(self) -> str:
        """What the bar says; where there is too little room for it, the tooltip has it all."""
        return self._words.text()

    def clear(self) -> None:
        """Show that nothing is being done."""
        self._draw(1, 0, "")

    def busy(self, stage: str) -> None:
        """Show that something is being done and no one knows how long it takes.

        Parameters
        ----------
        stage : str
            What is being done.
        """
        self._draw(0, 0, _STAGES.get(stage, stage))

    def count(self, done: int, total: int, what: str) -> None:
        """Show how much of something is done.

        Parameters
        ----------
        done, total : int
        what : str
            What is being done, such as "measuring frame".
        """
        self._draw(total, done, "   ".join([f"{what} {done} / {total}", *self._left(what, done, total)]))

    def follow(self, progress: Progress) -> None:
        """Show the stage, the iterations done of those allowed, and the log-likelihood.

        Parameters
        ----------
        progress : Progress
        """
        if progress.stage != "embedding" or progress.state is None:
            self.busy(progress.stage)
            return
        done, total = progress.iteration, progress.max_iter
        phrases = [f"{done} / {total}"]
        if progress.log_likelihood is not None:
            phrases.append(_per_cell(progress.log_likelihood, len(progress.state.embedding)))
        self._draw(total, done, "   ".join([*phrases, *self._left("embedding", done, total)]))

    def pause(self) -> None:
        """Show that it waits; the time that passes is none that it takes."""
        self._began = None
        self._write(f"paused   {self.text}")

    def complete(self, text: str) -> None:
        """Show that it is done; most runs of EM converge before the last iteration allowed.

        Parameters
        ----------
        text : str
            What was done.
        """
        self._draw(1, 1, text)

    def end(self, result: Result) -> None:
        """Show that a map is done, after how many iterations and how likely it is.

        Parameters
        ----------
        result : Result
        """
        likelihood = _per_cell(float(result.log_likelihood[-1]), len(result.embedding))
        self.complete(f"{result.n_iter} iterations   {likelihood}")

    def _left(self, what: str, done: int, total: int) -> list[str]:
        """Say how long it still takes, once that can be known."""
        now = self._clock()
        if self._began is None or self._began[0] != what or self._began[1] > done:
            self._began = what, done, now
        _, first, then = self._began
        if now - then < _SHORT:
            return []
        left = (total - done) * (now - then) / max(done - first, 1)
        return [f"{_rounded(left)} left"] if left >= _SHORT else []

    def _draw(self, maximum: int, value: int, text: str) -> None:
        if value in (0, maximum):
            self._began = None
        # Or else Qt draws the window at once, and with it the canvas.
        self.native.setUpdatesEnabled(False)
        self.native.setRange(0, maximum)
        self.native.setValue(value)
        self.native.setUpdatesEnabled(True)
        self._write(text)

    def _write(self, text: str) -> None:
        self.native.setFormat(text)
        self.native.setToolTip(text)
        self._words.setText(text)


def _per_cell(log_likelihood: float, n_cells: int) -> str:
    share = f"{log_likelihood / n_cells:.2f}".replace("-", "−")
    return f"log-likelihood {share} per cell"


def _rounded(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min"
