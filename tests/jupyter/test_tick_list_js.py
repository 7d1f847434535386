"""What is seen of the list of features in a browser, and what comes of ticking."""

import base64

import pytest

from latentmap.jupyter.feature_list import FeatureList

SHOW = """async ([script, names, chosen]) => {
    const { default: list } = await import(`data:text/javascript;base64,${script}`);
    window.listeners = {};
    window.state = { names, chosen };
    window.nSaved = 0;
    const model = {
        get: (name) => state[name],
        set: (name, value) => { state[name] = value; (listeners[`change:${name}`] ?? []).forEach((hear) => hear()); },
        save_changes: () => nSaved++,
        on: (name, hear) => (listeners[name] ??= []).push(hear),
        off: (name, hear) => { listeners[name] = listeners[name].filter((one) => one !== hear); },
    };
    window.model = model;
    window.close = list.render({ model, el: document.body });
}"""


@pytest.fixture
def page(browser):
    """A list of three features, of which one is ticked."""
    page, errors = browser.new_page(), []
    page.on("pageerror", lambda error: errors.append(str(error)))
    script = base64.b64encode(FeatureList._esm.encode()).decode()
    page.evaluate(SHOW, [script, ["Area", "perimeter", "mean <b>area</b>"], ["perimeter"]])
    yield page
    assert errors == []


def ticked(page):
    """What is ticked, as the list shows it and as Python is told."""
    shown = page.locator("label:has(:checked)").all_inner_texts()
    return [text.strip() for text in shown], page.evaluate("state.chosen")


def test_ticks_are_told_in_the_order_of_the_names(page):
    assert ticked(page) == (["perimeter"], ["perimeter"])
    page.get_by_label("mean <b>area</b>").check()
    page.get_by_label("Area", exact=True).check()
    assert ticked(page) == (["Area", "perimeter", "mean <b>area</b>"],) * 2
    page.get_by_label("perimeter").uncheck()
    assert ticked(page) == (["Area", "mean <b>area</b>"],) * 2
    assert page.get_by_text("2 of 3 ticked").is_visible()
    assert page.evaluate("nSaved") == 3


def test_buttons_tick_what_is_found_and_leave_the_others(page):
    page.get_by_label("Search").fill("AREA")
    assert page.locator("label").count() == 2
    page.get_by_role("button", name="all").click()
    page.get_by_label("Search").fill("mean")
    page.get_by_role("button", name="none").click()
    page.get_by_label("Search").fill("")
    assert ticked(page) == (["Area", "perimeter"],) * 2
    page.get_by_label("Search").fill("x")
    assert page.get_by_text("No feature matches.").is_visible()


def test_the_list_follows_python_until_it_is_closed(page):
    page.evaluate("model.set('chosen', ['Area'])")
    assert ticked(page)[0] == ["Area"]
    page.evaluate("model.set('names', [])")
    assert page.get_by_text("No features yet.").is_visible()
    page.evaluate("close()")
    assert page.evaluate("Object.values(listeners).flat().length") == 0
