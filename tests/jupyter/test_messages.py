"""What a notebook is told: few messages at once, since ZeroMQ drops what waits, and none of them lost."""

import asyncio
from types import SimpleNamespace

import comm
import ipywidgets
import numpy as np
import pandas as pd
import pytest

from latentmap.jupyter import explore, kernel, widgets

MOST = 650
FEATURES = pd.DataFrame({"label": np.arange(1, 31), **{f"f{at}": np.arange(30.0) ** at for at in range(4)}})
IMAGES = {"DNA": np.ones((30, 10))}, np.repeat(np.arange(1, 31), 10).reshape(30, 10)


MANY = """
import ipywidgets, numpy as np, pandas as pd
from latentmap.jupyter import explore
before = len(ipywidgets.widgets.widget._instances)
kept = [explore(pd.DataFrame({"label": np.arange(1, 31), "area": np.arange(30.0)})) for _ in range(12)]
print(len(ipywidgets.widgets.widget._instances) - before)
"""


@pytest.mark.slow
def test_no_message_is_lost_where_many_explorers_open_at_once():
    """This client reads nothing until all is sent, as a page that is busy drawing."""
    manager, client = pytest.importorskip("jupyter_client.manager").start_new_kernel(startup_timeout=120)
    try:
        asked = client.execute(MANY)
        assert client.get_shell_msg(timeout=120)["content"]["status"] == "ok"
        opened, ended = 0, False
        while not ended:
            message = client.get_iopub_msg(timeout=60)
            opened += message["msg_type"] == "comm_open"
            if message["msg_type"] == "stream":
                n_widgets = int(message["content"]["text"])
            ended = (
                message["parent_header"].get("msg_id") == asked and message["content"].get("execution_state") == "idle"
            )
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    assert opened == n_widgets > 3000


def test_a_kernel_without_such_a_socket_is_left_alone(monkeypatch):
    for shell in (None, SimpleNamespace(), SimpleNamespace(kernel=SimpleNamespace(iopub_thread=None))):
        monkeypatch.setattr(kernel, "get_ipython", lambda shell=shell: shell)
        kernel.keep_messages()


@pytest.fixture
def told(monkeypatch):
    """The kinds of messages that were sent to the notebook."""
    sent = []

    class Comm(comm.base_comm.BaseComm):
        def publish_msg(self, msg_type, **content):
            sent.append(msg_type)

    monkeypatch.setattr(comm, "create_comm", Comm)
    return sent


def test_an_explorer_is_opened_and_closed_in_few_messages(told):
    instances = ipywidgets.widgets.widget._instances

    async def act():
        before = set(instances)
        shown = explore(FEATURES, *IMAGES)
        opening, n_open = len(told), len(set(instances) - before)
        told.clear()
        shown.close()
        return opening, n_open, len(told), [instances[one] for one in set(instances) - before]

    opening, n_open, closing, left = asyncio.run(act())
    assert n_open > 300  # else this counts nothing
    assert opening < MOST
    assert closing < MOST
    assert all(isinstance(one, ipywidgets.Layout | ipywidgets.Style) for one in left), "Only what is shared stays."


def test_widgets_that_look_alike_share_what_they_look_like():
    one, other = widgets.Button(layout=widgets.look(width="auto")), widgets.Button(layout=widgets.look(width="auto"))
    assert one.layout is other.layout
    assert one.style is other.style
    assert widgets.Button().layout is widgets.HTML().layout is not one.layout
    assert widgets.HTML().style is not one.style
    widgets.close_widgets(one)
    assert other.layout.comm is not None


def test_one_of_them_is_hidden_alone():
    one, other = widgets.Button(layout=widgets.look(width="auto")), widgets.Button(layout=widgets.look(width="auto"))
    widgets.set_visible(one, False)
    assert (one.layout.display, one.layout.width, other.layout.display) == ("none", "auto", None)
    widgets.set_visible(one, True)
    assert one.layout is other.layout


def test_what_is_shared_does_not_change():
    button = widgets.Button()
    with pytest.raises(TypeError, match="share this layout"):
        button.layout.width = "9px"
    assert widgets.HTML().layout.width is None


def test_a_look_that_was_closed_is_made_again():
    before = widgets.look(width="7px")
    before.close()
    after = widgets.look(width="7px")
    assert after is not before
    assert after.comm is not None


def test_the_look_of_an_explorer_is_its_own():
    async def act():
        one, other = explore(FEATURES), explore(FEATURES)
        one.layout.width = "50%"
        width = other.layout.width
        for shown in (one, other):
            shown.close()
        return width

    assert asyncio.run(act()) is None


@pytest.mark.slow
def test_a_new_map_and_a_new_class_leave_the_lines_of_the_others(told):
    async def act():
        shown = explore(FEATURES)
        shown.session.parameters.max_iter = 3
        for n_neighbors in range(3, 9):
            shown.session.parameters.n_neighbors = n_neighbors
            shown.embed()
            await shown.finished()
        for at in range(9):
            shown.classes.assign(f"class {at}", [at])
        await asyncio.sleep(0)
        runs, classes = shown.runs.lines.children, shown.explore.selected.classes.children
        shown.session.parameters.n_neighbors = 9
        shown.embed()
        await shown.finished()
        shown.classes.assign("class 9", [9])
        await asyncio.sleep(0)
        now = shown.runs.lines.children, shown.explore.selected.classes.children
        shown.close()
        return (runs, classes), now

    (runs, classes), (more_runs, more_classes) = asyncio.run(act())
    assert (len(runs), len(more_runs), len(classes), len(more_classes)) == (6, 7, 9, 10)
    assert more_runs[:5] == runs[:5]  # the last was the current one
    assert more_runs[5] is not runs[5]
    assert more_classes[:9] == classes
