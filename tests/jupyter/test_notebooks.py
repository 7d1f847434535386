"""The example notebooks of the docs run from top to bottom, and what is stored with them is what comes of it."""

import base64
import io
import re

import nbformat
import numpy as np
import pytest
from example import FOLDER, PICTURE, WIDGET, code_cells, render, small
from nbconvert import HTMLExporter
from PIL import Image
from skimage.io import imread

NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
NUMBER = re.compile(r"-?\d+\.\d+")
every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])


def outputs(example):
    return [output for cell in code_cells(example) for output in cell.outputs]


def kinds(example):
    """What each cell gives, by kind."""
    return [
        [sorted(output.get("data", [output.output_type])) for output in cell.outputs] for cell in code_cells(example)
    ]


def text(output):
    shown = output.get("text") or output.get("data", {}).get("text/plain", "")
    # anndata 0.13, which comes with Python 3.12 or newer, says where X is.
    return shown.replace("\n    layers: None (.X)", "")


def pictures(example):
    """All pictures: red, green and blue."""
    stored = [output.data[PICTURE] for output in outputs(example) if PICTURE in output.get("data", ())]
    return [imread(io.BytesIO(base64.b64decode(picture)))[..., :3] for picture in stored]


def colourful(picture):
    """The share of the pixels that are not grey."""
    return np.mean(np.ptp(picture.astype(int), axis=-1) > 40)


@pytest.mark.slow
@every_notebook
def test_a_notebook_runs_and_gives_what_is_stored(path, notebook):
    stored, fresh = nbformat.read(path, as_version=4), render(notebook, path)
    assert kinds(fresh) == kinds(stored)
    for now, before in zip(outputs(fresh), outputs(stored), strict=True):
        assert NUMBER.sub("", text(now)) == NUMBER.sub("", text(before))
        # The last digits may be another machine's.
        numbers = [np.array(NUMBER.findall(text(one)), dtype=float) for one in (now, before)]
        np.testing.assert_allclose(*numbers, rtol=0.1, atol=0.03, err_msg=text(now))
    for now, before in zip(pictures(fresh), pictures(stored), strict=True):
        np.testing.assert_allclose(now.shape, before.shape, rtol=0.1)
        np.testing.assert_allclose(colourful(now), colourful(before), rtol=0.25)
    for shown in notebook.page.locator(".latentmap-map .latentmap-canvases").all():
        notebook.wait_for_picture(lambda picture: colourful(picture) > 0.003, part=shown)  # the points of a map


def test_a_picture_is_stored_small_and_white_stays_white():
    rng, file = np.random.default_rng(0), io.BytesIO()
    picture = np.full((300, 400, 3), 255, dtype=np.uint8)
    picture[100:200, 100:300] = rng.normal([90, 60, 160], 12, size=(100, 200, 3))
    Image.fromarray(picture).save(file, "PNG")
    stored = small(file.getvalue())
    assert len(stored) < 0.5 * len(file.getvalue())
    found = imread(io.BytesIO(stored))[..., :3]
    np.testing.assert_array_equal((found == 255).all(axis=2), (picture == 255).all(axis=2))
    assert np.abs(found.astype(int) - picture).mean() < 3
    assert len(np.unique(found.reshape(-1, 3), axis=0)) <= 256


@pytest.mark.slow
@every_notebook
def test_what_is_stored_is_seen_without_a_kernel_or_a_network(path):
    stored = nbformat.read(path, as_version=4)
    nbformat.validate(stored)
    assert "widgets" not in stored.metadata
    assert all(WIDGET not in output.get("data", ()) for output in outputs(stored))
    n_pictures = len(pictures(stored))
    assert n_pictures
    page, _ = HTMLExporter().from_notebook_node(stored)
    assert page.count('src="data:image/png;base64,') == n_pictures
    assert path.stat().st_size < 300_000 * n_pictures


def test_the_docs_name_every_notebook():
    page = (FOLDER.parent / "notebook.md").read_text(encoding="utf-8")
    assert {path.name for path in NOTEBOOKS} == set(re.findall(r"\(notebooks/([\w-]+\.ipynb)\)", page))
