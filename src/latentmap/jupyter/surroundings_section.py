"""The part of the panel that adds to the table which cells lie around each cell."""

from collections.abc import Callable, Sequence
from functools import partial

from latentmap.display.actions import ACTIONS
from latentmap.jupyter import widgets as w
from latentmap.jupyter.fields import labelled, paragraph
from latentmap.jupyter.labelled_image import LabelledImage, common_unit, pyramid
from latentmap.presenters.counts import CLASS
from latentmap.presenters.surroundings import Added, CellPlaces, SurroundingsPresenter
from latentmap.session import ColourBy, Schedule, Session
from latentmap.table import CellTable
from latentmap.table.centroids import centroid_columns, centroids

_LARGEST = 1_000_000


class SurroundingsSection(w.Accordion):
    """Draws what `SurroundingsPresenter` decides; folded away at first.

    Parameters
    ----------
    session : Session
    schedule : callable
        Schedules a function in the kernel's thread.
    cells : callable
        Returns the table of cells.
    places : callable
        Returns where the cells lie.
    added : callable
        Takes the new columns.
    """

    def __init__(
        self,
        session: Session,
        schedule: Schedule,
        cells: Callable[[], CellTable | None],
        places: Callable[[], CellPlaces],
        added: Added,
    ) -> None:
        self.presenter = SurroundingsPresenter(session, self, schedule, cells, places, added)
        wide = {"flex": "1", "min_width": "0"}
        self.of = w.Dropdown(options=[("class", CLASS)], tooltip=ACTIONS["around"].about, layout=w.look(**wide))
        self.radius = w.BoundedFloatText(
            0.0, min=0.0, max=_LARGEST, step=1.0, tooltip=ACTIONS["radius"].about, layout=w.look(**wide)
        )
        self.button = w.Button(
            description=ACTIONS["surroundings"].label,
            tooltip=ACTIONS["surroundings"].about,
            layout=w.look(width="auto"),
        )
        self.said = w.HTML()
        rows = [
            labelled(ACTIONS[name].label, box, ACTIONS[name].about)
            for name, box in (("around", self.of), ("radius", self.radius))
        ]
        super().__init__([w.VBox([*rows, self.button, self.said])], titles=("Surroundings in the image",))
        self.button.on_click(lambda _: self.presenter.add(self.of.value, self.radius.value))
        self.observe(lambda _: self.presenter.refresh(), "selected_index")

    def close(self) -> None:
        """Stop looking."""
        self.presenter.stop()
        super().close()

    def offer(self, choices: Sequence[tuple[str, ColourBy]], chosen: ColourBy) -> None:
        """Offer these groups, and show the one chosen."""
        self.of.options = tuple(choices)
        self.of.value = chosen

    def show_surroundings(self, sentence: str, *, can_add: bool) -> None:
        """Show what was added, or why nothing was."""
        self.said.value = paragraph(sentence) if sentence else ""
        self.button.disabled = not can_add


def places_of(pictures: Sequence[LabelledImage], cells: CellTable) -> CellPlaces:
    """Return where the cells lie: in the labels of the images or, without any, by the columns of the table.

    Raises
    ------
    ValueError
        If neither says it.
    """
    labelled_ones = [picture for picture in pictures if picture.labels is not None]
    if labelled_ones:
        finders = [
            partial(centroids, pyramid(one.labels)[0], layer=one.name, has_frames=one.has_frames, spacing=one.scale)
            for one in labelled_ones
        ]
        return CellPlaces(finders, common_unit(labelled_ones) or "pixels")
    if (columns := centroid_columns(cells.features)) is None:
        raise ValueError(
            "Where the cells lie is not known: there are no labels, and the table has no columns such as centroid-0 "
            "and centroid-1, or X_centroid and Y_centroid."
        )
    return CellPlaces([columns.copy], "units of the centroids")
