"""The frame shown, of cells in time."""

from psygnal import Signal


class Playhead:
    """The frame that stands out on the maps, and that the images show.

    Examples
    --------
    >>> playhead = Playhead()
    >>> _ = playhead.changed.connect(print)
    >>> playhead.frame = 3
    3
    >>> playhead.frame = 3
    """

    changed = Signal(int)
    """Emitted with the frame."""

    def __init__(self) -> None:
        self._frame = 0

    @property
    def frame(self) -> int:
        """Its number, as in the keys of the cells."""
        return self._frame

    @frame.setter
    def frame(self, frame: int) -> None:
        if frame != self._frame:
            self._frame = int(frame)
            self.changed.emit(self._frame)
