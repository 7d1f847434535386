"""The part of the panel for cells in time: tracks on the map, the frame shown, and playing."""

import asyncio
from collections.abc import Callable

from latentmap.jupyter import widgets as w
from latentmap.jupyter.fields import labelled, paragraph
from latentmap.presenters.playing import SPEEDS, TIME, TRACK_CHOICES, PlayPresenter
from latentmap.presenters.track_lines import TrackLines
from latentmap.session import Session
from latentmap.session.display_settings import Tracks

_WIDE = {"flex": "1 1 0", "width": "auto", "min_width": "0"}


class TimeSection(w.VBox):
    """Draws what `PlayPresenter` decides.

    Parameters
    ----------
    session : Session
    lines : TrackLines
    is_busy : callable
        Whether the browser still draws the frame before: then a frame is shown longer, and none is left out.
    """

    def __init__(self, session: Session, lines: TrackLines, is_busy: Callable[[], bool] = lambda: False) -> None:
        self._is_busy = is_busy
        self._timer: asyncio.TimerHandle | None = None
        self.tracks = w.Dropdown(options=TRACK_CHOICES, tooltip=TIME["tracks"].about, layout=w.look(**_WIDE))
        self.frame = w.IntSlider(min=0, max=1, tooltip=TIME["frame"].about, layout=w.look(**_WIDE))
        self.play = w.Button(description=TIME["play"].label, tooltip=TIME["play"].about, layout=w.look(**_WIDE))
        self.speed = w.Dropdown(
            options=[(f"{speed} {TIME['speed'].label}", speed) for speed in SPEEDS],
            value=SPEEDS[2],
            tooltip=TIME["speed"].about,
            layout=w.look(**_WIDE),
        )
        self.said = w.HTML()
        rows = [
            labelled(TIME["tracks"].label, self.tracks, TIME["tracks"].about),
            labelled(TIME["frame"].label, self.frame, TIME["frame"].about),
            w.HBox([self.play, self.speed]),
            self.said,
        ]
        super().__init__(rows)
        self.presenter = PlayPresenter(session, lines, self)
        self.tracks.observe(lambda change: self.presenter.choose(change["new"]), "value")
        self.frame.observe(lambda change: self.presenter.go_to(change["new"]), "value")
        self.play.on_click(lambda _: self.presenter.press())
        self.speed.observe(lambda change: self.presenter.set_speed(change["new"]), "value")
        self.presenter.refresh()

    def close(self) -> None:
        """Stop playing, and stop following the session."""
        self.presenter.close()
        super().close()

    def show_time(self, *, offered: bool, first: int, last: int, sentence: str) -> None:
        """Offer these frames, and say what tracks there are; hide everything if nothing is offered."""
        # In this order, as no range may be empty.
        self.frame.max = max(last, self.frame.min)
        self.frame.min = first
        self.frame.max = last
        self.said.value = paragraph(sentence)
        w.set_visible(self, offered)

    def show_frame(self, frame: int) -> None:
        """Show which frame is shown."""
        self.frame.value = frame

    def show_tracks(self, tracks: Tracks) -> None:
        """Show whose tracks are drawn."""
        self.tracks.value = tracks

    def show_playing(self, *, playing: bool) -> None:
        """Say on the button what it does."""
        action = TIME["stop" if playing else "play"]
        self.play.description, self.play.tooltip = action.label, action.about

    def start_timer(self, interval: int) -> None:
        """Step every so many milliseconds from now on."""
        self.stop_timer()
        self._timer = asyncio.get_running_loop().call_later(interval / 1000, self._tick, interval)

    def stop_timer(self) -> None:
        """Step no longer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _tick(self, interval: int) -> None:
        self.start_timer(interval)
        if not self._is_busy():
            self.presenter.step()
