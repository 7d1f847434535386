"""Cells in time: whose tracks are drawn, which frame is shown, and playing."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Protocol, cast

import numpy as np

from latentmap.display.actions import Action
from latentmap.presenters.track_lines import TrackLines
from latentmap.session import Session
from latentmap.session.display_settings import Tracks

TIME: Mapping[str, Action] = MappingProxyType(
    {
        "tracks": Action(
            "Tracks",
            "Draw the paths of cells through the map, in the colours of the cells, the latest steps strongest. Cells "
            "of the frame shown then stand out. Point at a cell to see its own path.",
        ),
        "play": Action("Play", "Go through the frames, on the map and in the images."),
        "stop": Action("Stop", "Stay at this frame."),
        "frame": Action("Frame", "The frame whose cells stand out on the map, and that the images show."),
        "speed": Action("per second", "How many frames are played in a second."),
    }
)
"""The labels and tooltips, by name."""

TRACK_CHOICES: tuple[tuple[str, Tracks], ...] = (("none", "none"), ("of the selection", "selected"), ("all", "all"))
"""The words and the value of each choice."""

SPEEDS = (1, 2, 5, 10, 20)
"""Frames per second."""


class PlayView(Protocol):
    """A choice of tracks, a slider of frames, a button, a choice of speeds, and a timer."""

    def show_time(self, *, offered: bool, first: int, last: int, sentence: str) -> None:
        """Offer these frames, and say what tracks there are; hide everything if nothing is offered."""

    def show_frame(self, frame: int) -> None:
        """Show which frame is shown."""

    def show_tracks(self, tracks: Tracks) -> None:
        """Show whose tracks are drawn."""

    def show_playing(self, *, playing: bool) -> None:
        """Say on the button what it does."""

    def start_timer(self, interval: int) -> None:
        """Call `PlayPresenter.step` every so many milliseconds from now on, in place of any earlier interval."""

    def stop_timer(self) -> None:
        """Call it no longer."""


class PlayPresenter:
    """Goes through the frames of the current map.

    Parameters
    ----------
    session : Session
    lines : TrackLines
    view : PlayView

    Attributes
    ----------
    playing : bool
        Whether it plays.
    speed : int
        Frames per second.
    """

    def __init__(self, session: Session, lines: TrackLines, view: PlayView) -> None:
        self._session, self._lines, self._view = session, lines, view
        self.playing, self.speed = False, SPEEDS[2]
        self._frames = np.zeros(1, dtype=np.int64)
        self._is_showing = False
        session.runs.changed.connect(self.refresh)
        session.dropped.changed.connect(self.refresh, max_args=0)
        session.playhead.changed.connect(self._show_frame)
        session.display_settings.events.tracks.connect(self._show_tracks, max_args=0)

    def refresh(self) -> None:
        """Offer the frames of the current map."""
        current = self._session.runs.current
        result = None if current is None else current.result
        tracks = None
        if current is not None and result is not None and current.numbers is not None:
            tracks = self._lines.tracks_of(result.cells, current.numbers)
        if tracks is not None:
            self._frames = np.unique(tracks.frames[tracks.frames >= 0])
        elif self.playing:
            self.pause()
        self._is_showing = True
        try:
            first, last = int(self._frames[0]), int(self._frames[-1])
            sentence = "" if tracks is None else tracks.sentence
            self._view.show_time(offered=tracks is not None, first=first, last=last, sentence=sentence)
            self._view.show_frame(min(max(self._session.playhead.frame, first), last))
            self._view.show_tracks(self._session.display_settings.tracks)
        finally:
            self._is_showing = False

    def choose(self, tracks: str) -> None:
        """Draw these tracks."""
        if not self._is_showing:
            self._session.display_settings.tracks = cast(Tracks, tracks)

    def go_to(self, frame: int) -> None:
        """Show this frame."""
        if not self._is_showing:
            self._session.playhead.frame = frame

    def set_speed(self, speed: int) -> None:
        """Play so many frames in a second."""
        self.speed = speed
        if self.playing:
            self._view.start_timer(round(1000 / speed))

    def press(self) -> None:
        """Play, or stay at this frame. Tracks of the selection are drawn if none were, as nothing would be seen."""
        if self.playing:
            self.pause()
            return
        if self._session.display_settings.tracks == "none":
            self._session.display_settings.tracks = "selected"
        self.playing = True
        self._view.show_playing(playing=True)
        self._view.start_timer(round(1000 / self.speed))

    def pause(self) -> None:
        """Stay at this frame."""
        self.playing = False
        self._view.stop_timer()
        self._view.show_playing(playing=False)

    def step(self) -> None:
        """Show the next frame that has cells, or the first one after the last."""
        if self.playing:
            after = np.searchsorted(self._frames, self._session.playhead.frame, side="right")
            self._session.playhead.frame = int(self._frames[after % len(self._frames)])

    def close(self) -> None:
        """Stop playing, and stop following the session."""
        if self.playing:
            self.pause()
        for signal, slot in (
            (self._session.runs.changed, self.refresh),
            (self._session.dropped.changed, self.refresh),
            (self._session.playhead.changed, self._show_frame),
            (self._session.display_settings.events.tracks, self._show_tracks),
        ):
            signal.disconnect(slot)

    def _show_frame(self, frame: int) -> None:
        self._is_showing = True
        try:
            self._view.show_frame(min(max(frame, int(self._frames[0])), int(self._frames[-1])))
        finally:
            self._is_showing = False

    def _show_tracks(self) -> None:
        self._is_showing = True
        try:
            self._view.show_tracks(self._session.display_settings.tracks)
        finally:
            self._is_showing = False
