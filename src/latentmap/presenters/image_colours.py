"""Whether the cells in the images have the colours of the map."""

from typing import Protocol

from latentmap.session import Session


def images_coloured(session: Session) -> bool:
    """Return whether the cells in the images have the colours of the map: as the user says, or once there are classes.

    Examples
    --------
    >>> from queue import SimpleQueue
    >>> session = Session(SimpleQueue().put)
    >>> numbers = session.cell_index.add([("nuclei", 0, 3)])
    >>> images_coloured(session)
    False
    >>> session.classes.assign("dividing", numbers)
    >>> images_coloured(session)
    True
    >>> session.display_settings.colour_images = False
    >>> images_coloured(session)
    False
    """
    wanted = session.display_settings.colour_images
    return len(session.classes) > 0 if wanted is None else wanted


class ImageColoursView(Protocol):
    """A check box."""

    def show_images_coloured(self, coloured: bool) -> None:
        """Show whether the cells in the images are coloured."""


class ImageColoursPresenter:
    """Switches the colours of the cells in the images."""

    def __init__(self, session: Session, view: ImageColoursView) -> None:
        self._session, self._view = session, view
        session.display_settings.events.colour_images.connect(self.refresh, max_args=0)
        session.classes.changed.connect(self.refresh, max_args=0)

    def refresh(self) -> None:
        """Show whether they are coloured."""
        self._view.show_images_coloured(images_coloured(self._session))

    def choose(self, coloured: bool) -> None:
        """Colour them or not, from now on whether there are classes or not."""
        if coloured != images_coloured(self._session):
            self._session.display_settings.colour_images = coloured
