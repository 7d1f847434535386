import gc
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from unittest.mock import Mock

import pytest

from latentmap.session.job import BackgroundJob


@pytest.fixture
def job(loop, no_thread_left):
    job = BackgroundJob(loop.calls.put)
    yield job
    job.drop()


@pytest.fixture
def heard():
    return []


@pytest.fixture
def start(job, heard):
    def start(steps):
        job.start(
            steps,
            yielded=lambda value: heard.append(("yielded", value)),
            returned=lambda value: heard.append(("returned", value)),
            failed=lambda error: heard.append(("failed", str(error))),
        )

    return start


def counting(seen=None):
    number = 0
    while not (yield number):
        number += 1
        if seen is not None:
            seen.append(number)
        time.sleep(0.001)
    return f"stopped at {number}"


def test_stopping_keeps_what_there_is(loop, job, start, heard):
    start(counting())
    loop.turn(lambda: len(heard) > 3)
    job.stop()
    loop.turn(lambda: not job.running)
    assert heard[-1][0] == "returned"
    assert heard[-1][1].startswith("stopped at")


@pytest.mark.parametrize("after", [0, 1])
@pytest.mark.parametrize("kind", [ValueError, RuntimeError])
def test_every_error_is_told(loop, job, start, heard, kind, after):
    def steps():
        yield from range(after)
        raise kind("broken")

    start(steps())
    loop.turn(lambda: not job.running)
    assert heard[-1] == ("failed", "broken")


def test_a_front_end_that_is_busy_hears_the_last_value_once(loop, job, start, heard):
    seen = []
    start(counting(seen))
    while len(seen) < 30:
        time.sleep(0.01)
    loop.turn(lambda: len(heard) > 0)
    assert heard[0][1] >= 29
    assert len(heard) == 1


def test_a_stale_run_is_not_heard(loop, job, start, heard):
    gate = threading.Event()

    def steps():
        yield "first"
        gate.wait(10)
        yield "second"

    start(steps())
    loop.turn(lambda: heard == [("yielded", "first")])
    start(iter_once("new"))
    gate.set()
    loop.turn(lambda: not job.running)
    time.sleep(0.05)
    assert loop.calls.empty()
    assert heard == [("yielded", "first"), ("yielded", "new"), ("returned", None)]


def iter_once(value):
    yield value


def test_a_dropped_run_is_closed_at_its_next_step(loop, job, start):
    closed = threading.Event()

    def steps():
        try:
            while True:
                yield 1
        finally:
            closed.set()

    start(steps())
    job.drop()
    assert closed.wait(10)
    assert not job.running


def test_pausing_and_going_on(loop, job, start, heard):
    seen = []
    start(counting(seen))
    loop.turn(lambda: len(seen) > 3)
    job.pause()
    assert job.paused
    assert job.running
    time.sleep(0.05)
    reached = len(seen)
    time.sleep(0.05)
    assert len(seen) == reached
    job.resume()
    loop.turn(lambda: len(seen) > reached + 3)
    assert not job.paused


@pytest.mark.parametrize("end", ["stop", "drop"])
def test_a_run_that_pauses_can_be_ended(loop, job, start, heard, end):
    start(counting())
    loop.turn(lambda: len(heard) > 0)
    job.pause()
    getattr(job, end)()
    loop.turn(lambda: not job.running)
    assert (heard[-1][0] == "returned") == (end == "stop")


def test_callbacks_come_where_they_are_posted_to_and_work_is_done_elsewhere(loop, job):
    threads = []

    def steps():
        threads.append(threading.current_thread())
        yield 1

    job.start(
        steps(),
        yielded=lambda _: threads.append(threading.current_thread()),
        returned=lambda _: threads.append(threading.current_thread()),
        failed=threads.append,
    )
    loop.turn(lambda: not job.running)
    assert threads[0] is not threading.main_thread()
    assert set(threads[1:]) == {threading.main_thread()}


def blocked(begun, gate, name):
    begun.append(name)
    yield name
    gate.wait(10)
    yield name


def workers():
    return [thread for thread in threading.enumerate() if thread.name == "latentmap run"]


def test_of_many_starts_during_a_long_step_only_the_last_begins(loop, job, start, heard):
    begun, gate = [], threading.Event()
    start(blocked(begun, gate, "first"))
    loop.turn(lambda: heard == [("yielded", "first")])
    for number in range(200):
        start(blocked(begun, gate, number))
    assert len(workers()) == 1
    assert begun == ["first"]
    assert job.running
    gate.set()
    loop.turn(lambda: not job.running)
    assert begun == ["first", 199]
    assert {value for _, value in heard} == {"first", 199, None}


def test_runs_never_work_at_the_same_time(loop, job, start, heard):
    at_work, most = set(), []

    def steps(number):
        for _ in range(5):
            at_work.add(number)
            most.append(len(at_work))
            time.sleep(0.002)
            at_work.discard(number)
            yield number

    for number in range(20):
        start(steps(number))
        time.sleep(0.003)
    loop.turn(lambda: not job.running)
    assert max(most) == 1
    assert heard[-2:] == [("yielded", 19), ("returned", None)]


def test_a_run_dropped_while_it_waits_never_begins(loop, job, start, heard):
    begun, gate = [], threading.Event()
    start(blocked(begun, gate, "first"))
    loop.turn(lambda: begun == ["first"])
    start(blocked(begun, gate, "second"))
    job.drop()
    gate.set()
    loop.turn(lambda: not workers())
    assert begun == ["first"]
    start(blocked(begun, gate, "third"))
    loop.turn(lambda: not job.running)
    assert heard[-1] == ("returned", None)


def test_a_run_can_be_stopped_or_made_to_pause_while_it_waits(loop, job, start, heard):
    gate = threading.Event()
    start(blocked([], gate, "first"))
    loop.turn(lambda: heard == [("yielded", "first")])
    start(counting())
    job.pause()
    gate.set()
    loop.turn(lambda: heard[-1] == ("yielded", 0))
    assert job.paused
    job.stop()
    loop.turn(lambda: not job.running)
    assert heard[-1] == ("returned", "stopped at 0")


def test_a_front_end_that_takes_no_more_calls_does_not_block_the_next_run(monkeypatch):
    errors = []
    monkeypatch.setattr(threading, "excepthook", errors.append)
    begun, gate, is_open = [], threading.Event(), threading.Event()

    def schedule(call):
        if not is_open.is_set():
            raise RuntimeError("the window is closed")
        call()

    job = BackgroundJob(schedule)
    heard = []
    job.start(blocked(begun, gate, "first"), yielded=heard.append, returned=heard.append, failed=heard.append)
    while begun != ["first"] or workers():
        time.sleep(0.001)
    is_open.set()
    gate.set()
    job.start(iter_once("second"), yielded=heard.append, returned=heard.append, failed=heard.append)
    end = time.monotonic() + 10
    while "second" not in heard or workers():
        assert time.monotonic() < end, "in vain"
        time.sleep(0.001)
    assert [str(error.exc_value) for error in errors] == ["the window is closed"]


@pytest.mark.slow
def test_the_process_ends_in_the_midst_of_a_long_step():
    script = """
import time
from latentmap.session.job import BackgroundJob
def steps():
    yield print("begun", flush=True)
    time.sleep(600)
    yield
calls = []
for _ in range(3):
    job = BackgroundJob(calls.append)
    job.start(steps(), yielded=print, returned=print, failed=print)
    job.start(steps(), yielded=print, returned=print, failed=print)
while len(calls) < 1:
    time.sleep(0.01)
"""
    assert (
        "begun"
        in subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60).stdout
    )


@pytest.mark.slow
def test_a_search_for_garbage_leaves_out_what_was_there_before_the_job():
    """In a process of its own, as jobs of other tests may still be at work in this one."""
    code = """
import gc, threading
from queue import SimpleQueue
from latentmap.session import BackgroundJob

calls, seen = SimpleQueue(), []

def steps():
    seen.append(gc.get_freeze_count())
    yield

before = gc.get_freeze_count()
job = BackgroundJob(calls.put)
job.start(steps(), yielded=lambda _: None, returned=lambda _: None, failed=lambda _: None)
while job.running:
    calls.get()()
for thread in threading.enumerate():
    if thread is not threading.current_thread():
        thread.join()
print(seen[0] > before + 10_000, gc.get_freeze_count() <= before)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split() == ["True", "True"]


def test_what_was_frozen_before_a_job_stays_so_and_is_counted_once(monkeypatch):
    calls, count = SimpleQueue(), gc.get_freeze_count
    counted = Mock(side_effect=count)
    monkeypatch.setattr(gc, "get_freeze_count", counted)
    monkeypatch.setattr("latentmap.session.job._is_frozen_by_others", False)
    job = BackgroundJob(calls.put)
    gc.freeze()
    try:
        before = count()
        for _ in range(2):
            job.start(iter(()), yielded=lambda _: None, returned=lambda _: None, failed=lambda _: None)
            while job.running:
                calls.get()()
            for thread in threading.enumerate():
                if thread.name == "latentmap run":
                    thread.join(10)
            assert count() > before / 2
        counted.assert_called_once_with()
    finally:
        gc.unfreeze()


def test_the_interpreter_takes_short_turns_while_a_job_works_and_its_own_afterwards():
    calls, seen, usual = SimpleQueue(), [], sys.getswitchinterval()

    def steps():
        seen.append(sys.getswitchinterval())
        yield

    job = BackgroundJob(calls.put)
    job.start(steps(), yielded=lambda _: None, returned=lambda _: None, failed=lambda _: None)
    while job.running:
        calls.get()()
    assert seen[0] < usual
    deadline = time.monotonic() + 10
    while sys.getswitchinterval() != usual and time.monotonic() < deadline:
        time.sleep(0.001)
    assert sys.getswitchinterval() == usual


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux gives a thread a priority of its own")
def test_a_run_stands_back_behind_the_front_end(loop, job, start, heard):
    def priority():
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    def first():
        go_on.wait()
        yield

    def second():
        with ThreadPoolExecutor(1) as pool:
            return [priority(), pool.submit(priority).result()]
        yield

    go_on, usual = threading.Event(), priority()
    start(first())
    start(second())  # begins when the first has ended
    go_on.set()
    loop.turn(lambda: not job.running)
    assert heard == [("returned", [min(usual + 10, 19)] * 2)]
    assert priority() == usual
