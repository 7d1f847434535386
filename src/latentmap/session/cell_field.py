"""The likelihood of one cell over a finished map, which is drawn as a faint field on it."""

import numpy as np
from psygnal import Signal

from latentmap.quality import Field
from latentmap.session.run import Run


class CellField:
    """Where else on a map one cell could lie: a field that was asked for, and whether it is drawn.

    Examples
    --------
    >>> field = CellField()
    >>> field.is_known, field.is_drawn
    (False, False)
    """

    changed = Signal()
    """Emitted when another field is to be drawn, or none."""

    def __init__(self) -> None:
        self._run: Run | None = None
        self._embedding: np.ndarray | None = None
        self._field: Field | None = None
        self._is_drawn = False

    @property
    def is_known(self) -> bool:
        """Whether there is a field to be drawn."""
        return self._field is not None

    @property
    def is_drawn(self) -> bool:
        """Whether it is drawn; without a field, nothing can be."""
        return self._is_drawn

    @is_drawn.setter
    def is_drawn(self, is_drawn: bool) -> None:
        if (is_drawn and self.is_known) != self._is_drawn:
            self._is_drawn = is_drawn and self.is_known
            self.changed.emit()

    def show(self, run: Run, field: Field) -> None:
        """Draw the field of a cell on the map of a run, in place of any other.

        Parameters
        ----------
        run : Run
        field : Field
            Its grid lies along the axes of the map as it is drawn.
        """
        self._run, self._embedding, self._field = run, run.finished().embedding, field
        self._is_drawn = True
        self.changed.emit()

    def forget(self) -> None:
        """Draw no field, and know of none."""
        was_known, self._run, self._embedding, self._field = self.is_known, None, None, None
        self._is_drawn = False
        if was_known:
            self.changed.emit()

    def of(self, run: Run) -> Field | None:
        """Return the field to be drawn on the map of a run; None for none, as on any map but the one that was asked."""
        if not self._is_drawn or run is not self._run or run.result is None:
            return None
        return self._field if run.result.embedding is self._embedding else None
