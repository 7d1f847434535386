"""How far a run is."""

from magicgui.widgets import ProgressBar

from latentmap.session import Progress


class RunProgressBar(ProgressBar):
    """A bar that names the stage of a run, and counts its iterations where there are any."""

    def __init__(self) -> None:
        super().__init__(value=0, max=1)
        self.native.setTextVisible(True)
        self.clear()

    def clear(self) -> None:
        """Show that nothing is being done."""
        self._draw(1, 0, "")

    def busy(self, stage: str) -> None:
        """Show that something is being done and no one knows how long it takes."""
        self._draw(0, 0, stage)

    def follow(self, progress: Progress) -> None:
        """Show the stage, and the iterations done of those allowed."""
        if progress.stage == "embedding":
            self._draw(progress.max_iter, progress.iteration, f"{progress.stage}  %v / %m")
        else:
            self.busy(progress.stage)

    def complete(self, text: str) -> None:
        """Show that it is done; most runs converge before the last iteration allowed."""
        self._draw(1, 1, text)

    def _draw(self, maximum: int, value: int, text: str) -> None:
        self.native.setRange(0, maximum)
        self.native.setValue(value)
        self.native.setFormat(text)
