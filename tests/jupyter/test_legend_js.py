"""What is seen of a legend's groups in a browser, and what clicks on them tell Python."""

import base64

import pytest

from latentmap.jupyter.group_list import GroupList

SHOW = """async ([script, css, state]) => {
    const { default: legend } = await import(`data:text/javascript;base64,${script}`);
    document.head.append(Object.assign(document.createElement("style"), { textContent: css }));
    window.listeners = {};
    window.sent = [];
    window.state = state;
    const model = {
        get: (name) => state[name],
        set: (name, value) => { state[name] = value; (listeners[`change:${name}`] ?? []).forEach((hear) => hear()); },
        send: (message) => sent.push(message),
        on: (name, hear) => (listeners[name] ??= []).push(hear),
        off: (name, hear) => { listeners[name] = listeners[name].filter((one) => one !== hear); },
    };
    window.model = model;
    window.close = legend.render({ model, el: document.body });
}"""


@pytest.fixture
def page(browser):
    """A legend of two classes."""
    page, errors = browser.new_page(), []
    page.on("pageerror", lambda error: errors.append(str(error)))
    script = base64.b64encode(GroupList._esm.encode()).decode()
    state = {"names": ["B", "<T>"], "colours": ["#e69f00", "#56b4e9"], "can_rename": True, "about": "Click it."}
    page.evaluate(SHOW, [script, GroupList._css, state])
    yield page
    assert errors == []


def sent(page):
    return page.evaluate("sent.splice(0)")


def test_a_click_picks_a_group_in_the_mode_of_the_keys(page):
    line = page.get_by_role("button", name="<T>")
    assert line.locator("span").evaluate("it => getComputedStyle(it).backgroundColor") == "rgb(86, 180, 233)"
    assert line.get_attribute("title") == "Click it."
    line.click()
    line.click(modifiers=["Shift"])
    line.click(modifiers=["Alt"])
    assert sent(page) == [{"kind": "picked", "name": "<T>", "mode": m} for m in ("replace", "add", "subtract")]


@pytest.mark.parametrize(("key", "renames"), [("Enter", True), ("Tab", True), ("Escape", False)])
def test_a_double_click_renames_a_class(page, key, renames):
    page.get_by_role("button", name="B").dblclick()
    field = page.get_by_label('New name of "B"')
    field.fill("B cells")
    field.press(key)
    assert [one for one in sent(page) if one["kind"] == "renamed"] == [
        {"kind": "renamed", "name": "B", "to": "B cells"}
    ] * renames
    assert page.get_by_role("button").all_inner_texts() == ["B", "<T>"]  # until Python says so
    page.evaluate("model.set('names', ['B cells', '<T>'])")
    assert page.get_by_role("button").all_inner_texts() == ["B cells", "<T>"]


def test_the_values_of_a_column_are_not_renamed(page):
    page.evaluate("model.set('can_rename', false)")
    page.get_by_role("button", name="B").dblclick()
    assert page.locator("input").count() == 0
    page.evaluate("close()")
    assert page.evaluate("Object.values(listeners).flat().length") == 0
