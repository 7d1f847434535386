"""The kinds of file that a notebook can save of what it shows."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from latentmap.jupyter.save_tab import CLASS_ENDING, Kind
from latentmap.presenters.class_labels import ALL_CLASSES, LabelsImage, save_class_images
from latentmap.presenters.figure import save_figure
from latentmap.presenters.placing import save_placed
from latentmap.presenters.saving import SavePresenter
from latentmap.table.files.formats import WRITABLE

if TYPE_CHECKING:
    from latentmap.jupyter.explorer import Explorer


def saved_kinds(
    shown: "Explorer", saving: SavePresenter, labels_images: Callable[[], list[LabelsImage]]
) -> tuple[Kind, ...]:
    """Return what the tab *Save* of an explorer offers, in its order."""

    def save_classes(path: Path) -> str:
        chosen = shown.keep.class_name.value or ALL_CLASSES
        return save_class_images(shown.session, chosen, labels_images(), path)

    return (
        *(Kind(f"table: {one.name}", one.ending, lambda path: saving.table(path)()) for one in WRITABLE),
        Kind("classes as labels", CLASS_ENDING, save_classes),
        Kind("counts, as chosen in Explore", ".counts.csv", lambda path: shown.explore.counts.presenter.save(path)),
        Kind("cells placed on the map", ".placed.csv", lambda path: save_placed(shown.placed, path)),
        Kind("session", ".latentmap", lambda path: f"Saved the session in {shown.save(path)}."),
        *(
            Kind("figure", ending, lambda path: save_figure(shown.figure(), path))
            for ending in (".png", ".svg", ".pdf")
        ),
        Kind("page of maps and images", ".html", lambda path: f"Saved the page in {shown.export_html(path)}."),
        Kind("script, with its table", ".py", lambda path: saving.script(path)[0]),
    )
