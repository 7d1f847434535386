"""Cells in time in a notebook: tracks on the map, and frames that are played on the map and in the image."""

import pytest

CELLS = """
from latentmap.jupyter import explore
from latentmap.measuring import measure
from latentmap.samples.synthetic import time_lapse
film = time_lapse(numbering="track")
cells = measure(film.labels, film.image, layer="cells", has_frames=True)
shown = explore(cells, film.image, film.labels, layer="cells", has_frames=True)
shown.session.parameters.n_neighbors, shown.session.parameters.max_iter = 8, 5
shown
"""
MAP = ".latentmap-map canvas"


@pytest.mark.browser
def test_tracks_are_drawn_and_played(notebook):
    notebook.open(CELLS).run_all()
    page = notebook.page

    def seen(what, value):
        page.wait_for_function(
            "([at, what, value]) => document.querySelector(at)?.dataset[what] === value", arg=[MAP, what, value]
        )

    page.get_by_role("button", name="Embed", exact=True).click()
    page.get_by_text("cells on the map").wait_for()
    page.get_by_role("tab", name="Explore").click()
    page.get_by_text('by "label"').wait_for()
    seen("lines", "0")
    tracks = page.locator(".widget-dropdown select").filter(has=page.locator("option", has_text="of the selection"))
    tracks.select_option(label="all")
    n_links = notebook.ask(
        "print(len(shown.maps.lines.tracks_of(shown.maps.shown[0].cells, shown.maps.shown[0].numbers).links))"
    )
    assert int(n_links) > 100
    seen("lines", n_links.strip())
    seen("now", "0")

    # The frame of the image is that of the map, whichever is changed.
    notebook.ask("shown.images.pane.go_to('cells', 4, 0, 0, 0)")
    seen("now", "4")
    page.get_by_role("button", name="Play", exact=True).click()
    seen("now", "6")
    page.get_by_role("button", name="Stop", exact=True).click()
    # Frames go round, so Stop may have come in any of them; that of the kernel is that of the image.
    frame = notebook.ask("print(shown.session.playhead.frame)").strip()
    assert notebook.ask("print(shown.images.pane.view.frame)").strip() == frame
    seen("now", frame)

    # The path of the cell under the mouse, from the kernel as from the hand.
    notebook.ask("shown.maps.lines.point_at(int(shown.maps.shown[0].numbers[0]))")
    page.wait_for_function("at => Number(document.querySelector(at).dataset.path) > 0", arg=MAP)
