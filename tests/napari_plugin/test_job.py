import threading
import time

import pytest

from latentmap.napari_plugin.job import Job


@pytest.fixture
def heard():
    return []


@pytest.fixture
def start(heard):
    def start(job, function, *args):
        job.start(
            function,
            *args,
            yielded=lambda value: heard.append(("yielded", value)),
            returned=lambda value: heard.append(("returned", value)),
            failed=lambda error: heard.append(("failed", str(error))),
        )

    return start


def steps(gate):
    yield "first"
    gate.wait(10)
    yield "second"


def until_told():
    while (answer := (yield "waiting")) is None:
        time.sleep(0.01)
    return answer


def test_values_come_and_a_sent_one_arrives(qtbot, start, heard):
    job = Job()
    start(job, until_told)
    qtbot.wait_until(lambda: len(heard) > 2)
    job.send("stop")
    qtbot.wait_until(lambda: not job.running)
    assert set(heard[:-1]) == {("yielded", "waiting")}
    assert heard[-1] == ("returned", "stop")


@pytest.mark.parametrize("kind", [ValueError, RuntimeError])
def test_every_error_is_told(qtbot, start, heard, kind):
    def fail():
        raise kind("broken")

    def fail_in_a_step():
        yield 1
        raise kind("broken later")

    job = Job()
    start(job, fail)
    qtbot.wait_until(lambda: not job.running)
    start(job, fail_in_a_step)
    qtbot.wait_until(lambda: not job.running)
    assert heard == [("failed", "broken"), ("yielded", 1), ("failed", "broken later")]


def test_a_stale_run_is_not_heard(qtbot, start, heard):
    job, gate = Job(), threading.Event()
    start(job, steps, gate)
    qtbot.wait_until(lambda: heard == [("yielded", "first")])
    start(job, lambda: "new")
    gate.set()
    qtbot.wait_until(lambda: not job.running)
    qtbot.wait(100)
    assert heard == [("yielded", "first"), ("returned", "new")]


def test_callbacks_come_in_the_gui_s_thread(qtbot):
    threads = []
    job = Job()
    job.start(
        lambda: threads.append(threading.current_thread()),
        returned=lambda _: threads.append(threading.current_thread()),
        failed=threads.append,
    )
    qtbot.wait_until(lambda: not job.running)
    assert threads[0] is not threading.main_thread()
    assert threads[1] is threading.main_thread()
