"""The part of the panel for cells in time: tracks on the map, the frame shown, and playing."""

from magicgui.widgets import ComboBox, Container, PushButton
from magicgui.widgets.bases import Widget
from qtpy.QtCore import QTimer

from latentmap.napari_plugin.qt.number_fields import NumberSlider
from latentmap.napari_plugin.qt.rows import in_row, label_row
from latentmap.napari_plugin.qt.wrapped_label import wrapped_label
from latentmap.presenters.playing import SPEEDS, TIME, TRACK_CHOICES, PlayPresenter
from latentmap.presenters.track_lines import TrackLines
from latentmap.session import Session
from latentmap.session.display_settings import Tracks


class TimeSection(Container[Widget]):
    """Draws what `PlayPresenter` decides."""

    def __init__(self, session: Session, lines: TrackLines) -> None:
        self.tracks = ComboBox(choices=list(TRACK_CHOICES), value="none", tooltip=TIME["tracks"].about)
        self.frame = NumberSlider(0, minimum=0, slider_maximum=1, maximum=1, tooltip=TIME["frame"].about)
        self.play = PushButton(text=TIME["play"].label, tooltip=TIME["play"].about)
        self.speed = ComboBox(
            choices=[(f"{speed} {TIME['speed'].label}", speed) for speed in SPEEDS],
            value=SPEEDS[2],
            tooltip=TIME["speed"].about,
        )
        self.said = wrapped_label()
        super().__init__(
            widgets=[
                label_row(TIME["tracks"].label, self.tracks),
                label_row(TIME["frame"].label, self.frame),
                in_row(self.play, self.speed),
                self.said,
            ],
            labels=False,
        )
        self.margins = (0, 0, 0, 0)
        self._timer = QTimer(self.native)
        self.presenter = PlayPresenter(session, lines, self)
        self._timer.timeout.connect(self.presenter.step)
        self.tracks.changed.connect(self.presenter.choose)
        self.frame.changed.connect(self.presenter.go_to)
        self.play.changed.connect(self.presenter.press, max_args=0)
        self.speed.changed.connect(self.presenter.set_speed)
        self.presenter.refresh()

    def show_time(self, *, offered: bool, first: int, last: int, sentence: str) -> None:
        """Offer these frames, and say what tracks there are; hide everything if nothing is offered."""
        for part in (self.frame.slider, self.frame.number):
            part.setRange(first, last)
        self.said.value = sentence
        self.native.setVisible(offered)

    def show_frame(self, frame: int) -> None:
        """Show which frame is shown."""
        self.frame.value = frame

    def show_tracks(self, tracks: Tracks) -> None:
        """Show whose tracks are drawn."""
        self.tracks.value = tracks

    def show_playing(self, *, playing: bool) -> None:
        """Say on the button what it does."""
        action = TIME["stop" if playing else "play"]
        self.play.text, self.play.tooltip = action.label, action.about

    def start_timer(self, interval: int) -> None:
        """Step every so many milliseconds from now on."""
        self._timer.start(interval)

    def stop_timer(self) -> None:
        """Step no longer."""
        self._timer.stop()
