"""Saving a map as a table or as a script, and the messages about it."""

from collections.abc import Callable, Sequence
from pathlib import Path

from latentmap.session import Run, Session, write_script
from latentmap.table import write_into_h5ad, write_table

Write = Callable[[], str]
"""Writes a file, in any thread, and returns a message about it."""


class SavePresenter:
    """Captures what is to be saved as it is now, for the front end to write at once or in a thread."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @property
    def has_map(self) -> bool:
        """Whether there is a map to save, and no run under way."""
        return self._session.runs.current is not None and not self._session.runs.running

    def current(self) -> Run:
        """Return the run whose map would be saved; raise ValueError if there is none."""
        if (current := self._session.runs.current) is None:
            raise ValueError("There is no map yet: press Embed.")
        return current

    def table(self, path: Path) -> Write:
        """Capture the table of the map, to be written in the format that the file's ending names."""
        map_table = self._session.map_table(self.current())

        def write() -> str:
            return " ".join([f"Saved {len(map_table.rows)} cells in {write_table(map_table, path)}.", *map_table.notes])

        return write

    def into_anndata(self, path: Path) -> Write:
        """Capture coordinates, variances and classes, to be added by key to the rows of an AnnData file."""
        map_table = self._session.map_table(self.current())
        layers = map_table.rows["layer"].unique()
        # Of several images, rows that name none could be of any, and labels are often the same in all.
        layer = str(layers[0]) if len(layers) == 1 else ""
        return lambda: " ".join([f"Written into {path.name}.", *write_into_h5ad(path, map_table, layer=layer)])

    def write_back(self, write: Callable[[Session, Run], Sequence[str]]) -> str:
        """Write the map, with variances and classes, into what its cells came from; return a message.

        Parameters
        ----------
        write : callable
            Writes the map of a run, and returns sentences. Raises ValueError or OSError, which are passed on.
        """
        return " ".join(write(self._session, self.current()))

    def script(self, path: Path) -> tuple[str, str]:
        """Write a script that makes the map again, and the table that it reads; return a message and the script."""
        written, table, text = write_script(self.current(), path, tuple(self._session.gates))
        return f"{written.name} makes this map again from {table.name}.", text


def failure(name: str, error: Exception) -> str:
    """Say why a file could not be written or read.

    Examples
    --------
    >>> failure("map.csv", FileNotFoundError(2, "No such file or directory"))
    '"map.csv": No such file or directory.'
    """
    return f'"{name}": {error.strerror}.' if isinstance(error, OSError) and error.strerror else str(error)
