"""How far a run is."""

from collections.abc import Callable
from time import perf_counter

from magicgui.widgets import ProgressBar
from qtpy.QtCore import Qt
from qtpy.QtWidgets import QVBoxLayout
from superqt import QElidingLabel

from latentmap.display.run_words import RunWords, Told
from latentmap.session import Progress, Result


class RunProgressBar(ProgressBar):
    """A bar that names the stage of a run, and counts its iterations where there are any.

    Parameters
    ----------
    clock : callable
        Returns the time in seconds.
    """

    def __init__(self, clock: Callable[[], float] = perf_counter) -> None:
        super().__init__(value=0, max=1)
        self._says = RunWords(clock)
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
        self._says.forget()
        self._draw(Told(0, 1, ""))

    def busy(self, stage: str) -> None:
        """Show that something is being done and no one knows how long it takes.

        Parameters
        ----------
        stage : str
            What is being done.
        """
        self._draw(self._says.busy(stage))

    def count(self, done: int, total: int, what: str) -> None:
        """Show how much of something is done.

        Parameters
        ----------
        done, total : int
        what : str
            What is being done, such as "measuring frame".
        """
        self._draw(self._says.count(done, total, what))

    def follow(self, progress: Progress) -> None:
        """Show the stage, the iterations done of those allowed, and the log-likelihood."""
        self._draw(self._says.follow(progress))

    def pause(self) -> None:
        """Show that it waits; the time that passes is none that it takes."""
        self._says.forget()
        self._write(f"paused   {self.text}")

    def complete(self, text: str) -> None:
        """Show that it is done; most runs of EM converge before the last iteration allowed.

        Parameters
        ----------
        text : str
            What was done.
        """
        self._says.forget()
        self._draw(Told(1, 1, text))

    def end(self, result: Result) -> None:
        """Show that a map is done, after how many iterations and how likely it is."""
        self._draw(self._says.end(result))

    def stop(self, done: int, total: int, text: str) -> None:
        """Show how far it was when the user stopped it.

        Parameters
        ----------
        done, total : int
        text : str
            What to say of it.
        """
        self._says.forget()
        self._draw(Told(done, total, text))

    def _draw(self, told: Told) -> None:
        # Or else Qt draws the window at once, and with it the canvas.
        self.native.setUpdatesEnabled(False)
        self.native.setRange(0, told.total)
        self.native.setValue(told.done)
        self.native.setUpdatesEnabled(True)
        self._write(told.text)

    def _write(self, text: str) -> None:
        self.native.setFormat(text)
        self.native.setToolTip(text)
        self._words.setText(text)
