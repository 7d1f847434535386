"""Several changes to points at once, which napari has no public way for.

The private names used here exist in napari 0.9.2.
"""

from collections.abc import Generator
from contextlib import ExitStack, contextmanager

from napari.layers import Points


@contextmanager
def changed_together(points: Points, thumbnail: bool = True) -> Generator[None, None, None]:
    """Apply several changes to points at once, which takes napari a quarter of the time.

    Without a new thumbnail, napari does not redraw its list of layers.
    """
    redrawing = (
        points._block_refresh(),
        *(colours.events.blocker_all() for colours in (points._face, points._border)),
        *(event.blocker() for event in (points.events.face_color, points.events.border_color, points.events.symbol)),
    )
    with ExitStack() as together:
        for block in redrawing:
            together.enter_context(block)
        yield
    points.refresh(thumbnail=thumbnail)
