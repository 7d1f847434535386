"""The example notebooks of the docs: run from top to bottom in JupyterLab, every widget with its picture."""

import io
import time
from base64 import b64encode
from pathlib import Path

import nbformat
from nbformat.v4.rwbase import rejoin_lines
from PIL import Image

FOLDER = Path(__file__).parents[2] / "docs" / "notebooks"
PICTURE = "image/png"
WIDGET = "application/vnd.jupyter.widget-view+json"

# Wide enough for parameters, map and image side by side, and high enough for all of a widget.
_SIZE = (1580, 1700)
_METADATA = {
    "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
    "language_info": {"name": "python"},
}
_CAPTION = "The widget as it was when no run was under way"
# Canvases that have something to draw yet: an image's, and a map's, which counts the frames that it has drawn.
_UNDRAWN = "canvas[data-state='waiting'], .latentmap-canvases > canvas:not([data-frame])"
_PAUSE = 250  # milliseconds; what they change nothing of is drawn
_PATIENCE = 300  # seconds


def render(page, path, stored=lambda png: png):
    """Run a notebook cell by cell, each as soon as the last one has ended and what it shows has come to rest.

    A widget is stored as its picture: all else that a file can hold of a widget is dead without its kernel. The picture
    is taken before the next cell, once the run that its cell has started is over: a picture of a run that is under way,
    or of what a later cell has made of the widget, would depend on how fast the machine is.

    Parameters
    ----------
    page : notebook_page.NotebookPage
    path : pathlib.Path
    stored : callable, optional
        What to make of the picture of a widget, a PNG, before it is stored, such as `small`, which takes a second.

    Returns
    -------
    nbformat.NotebookNode
        The notebook with its outputs.
    """
    example = nbformat.read(path, as_version=4)
    example.metadata = nbformat.from_dict(_METADATA)
    for number, cell in enumerate(code_cells(example), start=1):
        cell.update(outputs=[], execution_count=number)
    page.show(example, size=_SIZE)
    for place, cell in enumerate(example.cells):
        if cell.cell_type == "code":
            cell.outputs = nbformat.from_dict(page.run_cell(place))
            for at, output in enumerate(cell.outputs):
                if WIDGET in output.get("data", ()):
                    _store_picture(stored(_picture(page.outputs(place).nth(at))), output)
    return rejoin_lines(example)


def code_cells(example):
    """The cells of a notebook that are run."""
    return [cell for cell in example.cells if cell.cell_type == "code"]


def small(png):
    """The same picture in 256 colours, white being white."""
    picture, file = Image.open(io.BytesIO(png)).convert("RGB"), io.BytesIO()
    picture.quantize(method=Image.Quantize.MAXCOVERAGE, kmeans=3).save(file, "PNG", optimize=True)
    return file.getvalue()


def _store_picture(png, output):
    """Put its picture in the place of a widget."""
    output.data = {PICTURE: b64encode(png).decode()}
    output.metadata = {PICTURE: {"alt": _CAPTION}}


def _picture(widget):
    """A widget as PNG once no run is under way and all of it is drawn."""
    widget.locator(".jupyter-widgets").first.wait_for()
    assert widget.bounding_box()["height"] < 0.9 * _SIZE[1], "The widget is too high to be seen as a whole."
    cancel = widget.get_by_role("button", name="Cancel", exact=True).and_(widget.locator(":enabled"))
    deadline, before, now = time.monotonic() + _PATIENCE, None, widget.screenshot()
    while before != now or cancel.count() or widget.locator(_UNDRAWN).count():
        assert time.monotonic() < deadline, "The widget never comes to rest."
        widget.page.wait_for_timeout(_PAUSE)
        before, now = now, widget.screenshot()
    return now
