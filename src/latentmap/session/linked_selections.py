"""The selections of several sessions, linked by the cells' keys."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from latentmap.session.session import Session


class LinkedSelections:
    """Selects in each of several sessions the cells that are selected in another.

    Cells are matched by key: layer, frame and label. What is selected in one session becomes the selection of the
    others, without cells that they do not know or that are dropped there.

    Parameters
    ----------
    *sessions : Session
        At least two, which may be of napari and of a notebook in one process.

    Raises
    ------
    ValueError
        If there are fewer than two different sessions.

    Examples
    --------
    >>> from queue import SimpleQueue
    >>> first, second = Session(SimpleQueue().put), Session(SimpleQueue().put)
    >>> _ = first.cell_index.add([("cells", 0, 3), ("cells", 0, 7)])
    >>> _ = second.cell_index.add([("cells", 0, 7), ("cells", 0, 9)])
    >>> link = LinkedSelections(first, second)
    >>> first.selection.select([0, 1])
    >>> second.selection.keys.tolist()
    [('cells', 0, 7)]
    >>> link.unlink()
    """

    def __init__(self, *sessions: Session) -> None:
        if len({id(session) for session in sessions}) < max(2, len(sessions)):
            raise ValueError("Give at least two different explorers or sessions to link.")
        self._sessions = sessions
        self._is_following = False
        self._heard: list[Callable[..., None]] = []
        for session in sessions:
            hear = self._follower(session)
            session.selection.changed.connect(hear)
            self._heard.append(hear)

    def unlink(self) -> None:
        """Let each session have its own selection again."""
        for session, hear in zip(self._sessions, self._heard, strict=False):
            session.selection.changed.disconnect(hear, missing_ok=True)
        self._heard = []

    def _follower(self, source: Session) -> Callable[..., None]:
        def follow(added: np.ndarray, removed: np.ndarray) -> None:
            if self._is_following:
                return
            self._is_following = True
            try:
                keys = source.selection.keys
                for other in self._sessions:
                    if other is not source:
                        numbers = other.cell_index.numbers_of(keys)
                        numbers = numbers[numbers >= 0]
                        other.selection.select(numbers[~other.dropped.is_dropped(numbers)], how="linked view")
            finally:
                self._is_following = False

        return follow
