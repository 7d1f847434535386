"""What of a map not to believe, in a notebook's widget and in a real browser."""

import asyncio
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from latentmap.jupyter import explore
from latentmap.session import LOST, STABILITY

N = 90
RNG = np.random.default_rng(0)
FEATURES = pd.DataFrame(RNG.normal(size=(N, 6)), columns=[*"abcdef"]).assign(label=np.arange(1, N + 1))
FEATURES.loc[N // 2 :, [*"abc"]] += 9
CODE = """import numpy as np, pandas as pd
from latentmap.jupyter import explore
rng = np.random.default_rng(0)
table = pd.DataFrame(rng.normal(size=(90, 6)), columns=[*"abcdef"]).assign(label=range(1, 91))
table.loc[45:, [*"abc"]] += 9
shown = explore(table)
shown.session.parameters.max_iter = 60
shown"""

SETTLES = 1000  # ms in which the panel scrolls to what was found, so that a click may miss it


def test_a_map_is_checked_and_groups_are_looked_between():
    async def test(shown):
        trust = shown.trust
        assert trust.checking.check.disabled
        shown.session.parameters.max_iter = 60
        shown.embed()
        run = await shown.finished()
        trust.checking.colour.click()
        assert shown.session.display_settings.colour_by == LOST
        assert shown.explore.colours.by.value == LOST
        run.result = replace(run.result, lost_neighbors=np.where(np.arange(N) < 7, 0.8, 0.2))
        shown.session.runs.checked.emit(run)
        trust.checking.most_lost.children[0].click()
        assert (shown.selection.numbers == np.sort(run.numbers[:7])).all()
        trust.checking.check.click()
        await idle(trust.work)
        is_sure = run.result.check.is_sure
        assert trust.checking.sure.description == f"{int(is_sure.sum())} cells sure"
        trust.checking.doubtful.click()
        assert (shown.selection.numbers == run.numbers[~is_sure]).all()
        trust.checking.hollow.value = True
        pane = shown.maps.shown[0].pane
        drawn = np.unpackbits(np.frombuffer(pane.hollow, np.uint8))[:N] if pane.hollow else np.zeros(N)
        assert (drawn == ~is_sure).all()
        shown.classes.assign("low", run.numbers[: N // 2])
        shown.classes.assign("high", run.numbers[N // 2 :])
        positions = run.result.embedding.copy()
        positions[N // 2 :] = positions[: N // 2] + 1e-6
        run.result = replace(run.result, embedding=positions)
        trust.contacts.look.click()
        await idle(trust.work)
        (finding,) = trust.contacts.found.children
        assert finding.description.startswith("high and low touch on the map but not in the data")
        finding.click()
        assert len(shown.selection.numbers) > N // 2
        trust.cell.tick.value = True
        shown.maps.lines.point_at(int(run.numbers[3]))
        path = np.frombuffer(pane.path, "<u4").reshape(-1, 2)
        assert path.tolist() == [[3, near] for near in run.result.neighbors[3]]

    explored(test)


@pytest.mark.slow
def test_another_map_other_places_and_candidates():
    async def test(shown):
        trust, proposing = shown.trust, shown.proposing
        shown.session.parameters.max_iter = 5
        shown.embed()
        run = await shown.finished()
        assert trust.changes.compare.disabled
        assert trust.cell.ask.disabled
        shown.selection.select(run.numbers[:1], how="click")
        trust.cell.ask.click()
        await idle(trust.work)
        assert trust.cell.found.children[0].description.startswith("where it lies")
        trust.cell.found.children[0].click()
        assert len(shown.selection.numbers) == 15
        shown.session.parameters.n_neighbors = 12
        shown.embed()
        await shown.finished()
        assert trust.changes.other.options == ((run.name, 0),)
        trust.changes.compare.click()
        await idle(trust.work)
        assert "neighbours of 90 cells differ" in trust.changes.said.value
        trust.changes.found.children[0].click()
        proposing.name.value = "n_steps"
        proposing.button.click()
        await idle(proposing.work)
        assert [line.description[:4] for line in proposing.found.children] == ["s 1:", "s 2:", "s 3:"]
        proposing.found.children[2].click()
        assert shown.session.parameters.n_steps == 3

    explored(test)


def test_a_faint_field_and_stable_neighbourhoods():
    async def test(shown):
        trust = shown.trust
        shown.session.parameters.max_iter = 20
        shown.embed()
        run = await shown.finished()
        pane = shown.maps.shown[0].pane
        shown.selection.select(run.numbers[:1], how="click")
        assert trust.cell.field.disabled
        trust.cell.ask.click()
        await idle(trust.work)
        assert trust.cell.field.value
        inks = np.frombuffer(pane.field, np.uint8).reshape(-1, pane.field_width, 2)
        assert inks[..., 0].max() > 80
        assert np.unravel_index(np.argmax(inks[..., 0]), inks.shape[:2]) == np.unravel_index(
            np.argmax(inks[..., 1]), inks.shape[:2]
        )
        left, lower, right, upper = pane.field_box
        places = np.frombuffer(pane.places, "<f4").reshape(-1, 2)
        assert left < places[:, 0].min() < places[:, 0].max() < right
        assert lower < places[:, 1].min() < places[:, 1].max() < upper
        pane._receive(None, {"kind": "escaped"}, None)
        assert pane.field == b""
        assert not trust.cell.field.value
        trust.cell.field.value = True
        assert pane.field
        shown.selection.select(run.numbers[1:2], how="click")
        assert pane.field == b""
        assert trust.stability.leave_out.value  # with other seeds alone, so few cells have the same map each time
        trust.stability.make.click()
        await idle(trust.work)
        kept = run.result.stability.kept
        assert f"{kept.mean():.0%} are among its nearest" in trust.stability.said.value
        trust.stability.colour.click()
        assert shown.explore.colours.by.value == STABILITY
        assert f"{int((kept >= 0.5).sum())} cells stable" in shown.status.value
        trust.stability.found.children[1].click()
        assert (shown.selection.numbers == np.sort(run.numbers[kept < 0.5])).all()

    explored(test)


async def idle(work):
    """Wait until nothing is looked for."""
    while work.running:
        await asyncio.sleep(0.01)


def explored(test):
    """Run a test with a widget on the cells."""

    async def main():
        shown = explore(FEATURES)
        try:
            await test(shown)
        finally:
            shown.close()

    asyncio.run(main())


def test_in_a_browser_numbers_are_clicked_and_hollow_cells_drawn(notebook):
    notebook.open(CODE)
    notebook.run_all()
    page = notebook.page
    page.get_by_role("button", name="Embed", exact=True).click()
    page.get_by_text("cells on the map").wait_for()
    page.get_by_role("tab", name="Trust").click()
    page.get_by_role("button", name="Check the map").click()
    doubtful = page.get_by_role("button", name=" doubtful")
    doubtful.wait_for()
    number = doubtful.inner_text().split()[0]
    assert int(number) > 0
    page.wait_for_timeout(SETTLES)
    doubtful.click()
    assert notebook.ask("len(shown.selection.numbers)") == number
    page.get_by_label("draw doubtful cells hollow").check()
    page.wait_for_timeout(200)
    assert notebook.ask("len(shown.maps.shown[0].pane.hollow) > 0") == "True"
    # A faint field of one cell, which Escape takes away wherever the focus is.
    notebook.run("shown.selection.select([0], how='click')")
    page.get_by_role("button", name="Where else could it lie?").click()
    page.wait_for_function("document.querySelector('.latentmap-map canvas').dataset.field === '64'")
    page.keyboard.press("Escape")
    page.wait_for_function("document.querySelector('.latentmap-map canvas').dataset.field === '0'")
    assert not page.get_by_label("faint field on the map").is_checked()
    page.get_by_role("tab", name="Explore").click()


# How far the bar reaches below what the tab shows of itself, and whether there is more of the tab than it shows.
_BELOW = """() => {
    const shown = [...document.querySelectorAll(".latentmap-work")].find(one => one.offsetHeight);
    const tab = shown.closest(".latentmap-page");
    tab.scrollTop = 0;
    const below = shown.getBoundingClientRect().bottom - tab.getBoundingClientRect().bottom;
    return [below, tab.scrollHeight - tab.clientHeight];
}"""


_WHERE = """() => [...document.querySelectorAll(".latentmap-page")].find(one => one.offsetHeight).scrollTop"""
_SCROLLED = """() => {
    const page = [...document.querySelectorAll(".latentmap-page")].find(one => one.offsetHeight);
    page.scrollTop = page.scrollHeight;
}"""


def test_in_a_browser_cancel_is_in_sight_wherever_the_tab_is_scrolled(notebook):
    notebook.open(CODE)
    notebook.run_all()
    page = notebook.page
    page.get_by_role("tab", name="Trust").click()
    notebook.run("shown.trust.bar.show_work('Mapping noise …', 0.5)")
    page.get_by_text("Mapping noise …", exact=True).wait_for()
    below, hidden = page.evaluate(_BELOW)
    assert hidden > 0
    assert below <= 1
    # Other tabs stay where they were, and so does this one.
    page.evaluate(_SCROLLED)
    page.get_by_role("tab", name="Explore").click()
    assert page.evaluate(_WHERE) == 0
    page.get_by_role("tab", name="Trust").click()
    assert page.evaluate(_WHERE) > 0


# Makes a tab so low that a button is the last thing in view, and presses it.
_PRESS_AT_THE_END = """button => {
    const tab = button.closest(".latentmap-page");
    tab.style.flex = "none";
    tab.style.height = `${button.getBoundingClientRect().bottom - tab.getBoundingClientRect().top}px`;
    button.click();
}"""
# How far a sentence reaches below what the tab shows of itself.
_BELOW_THE_TAB = """said => {
    const tab = said.closest(".latentmap-page");
    return said.getBoundingClientRect().bottom - tab.getBoundingClientRect().bottom;
}"""


def test_in_a_browser_the_tab_scrolls_to_what_was_found(notebook):
    notebook.open(CODE)
    notebook.run_all()
    page = notebook.page
    page.get_by_role("button", name="Embed", exact=True).click()
    page.get_by_text("cells on the map").wait_for()
    page.get_by_role("tab", name="Trust").click()
    page.get_by_role("button", name="Look for torn and joined groups").evaluate(_PRESS_AT_THE_END)
    said = page.get_by_text("Nothing is found torn or falsely joined")
    said.wait_for()
    page.wait_for_timeout(500)
    assert said.evaluate(_BELOW_THE_TAB) <= 0
