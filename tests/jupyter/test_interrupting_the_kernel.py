"""The kernel of a notebook is interrupted in the midst of a fit, once and again, and of a run. No browser."""

import time

import pytest

manager = pytest.importorskip("jupyter_client.manager")

BEGIN = """
import numpy as np
from latentmap import LVM
from latentmap.jupyter import explore
X = np.random.default_rng(0).normal(size=(400, 6))
"""
FIT = """
import time
note = LVM._note
LVM._note = lambda self, X: (time.sleep(0.5), note(self, X))  # the map takes long to store
lvm = LVM(max_iter=10**7, tol=0, callback=lambda state: print("begun", flush=True) if state.iteration == 3 else None)
lvm.fit(X)
"""
LOOK = """
LVM._note = note
print(lvm.embedding_.shape, np.isfinite(lvm.embedding_).all(), lvm.transform(X[:2]).shape, lvm.n_iter_ >= 2)
"""
RUN = """
import pandas as pd, time
shown = explore(pd.DataFrame(X, columns=list("abcdef")).assign(label=range(1, 401)))
shown.session.parameters.max_iter = 10**6
shown.session.parameters.tol = 0
run = shown.embed()
print("begun", flush=True)
time.sleep(1000)
"""
GOES_ON = "print(shown.session.runs.running, run.status, shown.selected)"
STOP = """
while run.progress is None or run.progress.state is None:
    await asyncio.sleep(0.01)
shown.session.runs.stop()
print((await shown.finished()) is run, run.status, run.result.embedding.shape)
"""


class Kernel:
    """A kernel of this Python; a cell is executed, and interrupted where it says that it has begun."""

    def __init__(self):
        self.manager, self.client = manager.start_new_kernel(startup_timeout=120)

    def execute(self, code, n_interruptions=0):
        """Return what a cell has printed, and the name of its error or None."""
        asked, printed, error = self.client.execute(code), [], None
        until = time.monotonic() + 120
        while time.monotonic() < until:
            message = self.client.get_iopub_msg(timeout=120)
            kind, content = message["msg_type"], message["content"]
            if message["parent_header"].get("msg_id") != asked:
                continue
            if kind == "stream":
                printed.append(content["text"])
                if "begun" in content["text"]:
                    for _ in range(n_interruptions):
                        self.manager.interrupt_kernel()
                        time.sleep(0.1)
            elif kind == "error":
                error = content["ename"], content["evalue"]
            elif kind == "status" and content["execution_state"] == "idle":
                return "".join(printed), error
        raise AssertionError(f"The cell did not end: {code}")

    def close(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


@pytest.fixture(scope="module")
def kernel():
    kernel = Kernel()
    yield kernel
    kernel.close()


@pytest.mark.slow
@pytest.mark.parametrize("n_interruptions", [1, 4])
def test_the_last_map_of_an_estimator_stays(kernel, n_interruptions):
    assert kernel.execute(BEGIN)[1] is None
    _, error = kernel.execute(FIT, n_interruptions)
    assert error is not None
    assert error[0] == "KeyboardInterrupt"
    assert kernel.execute(LOOK) == ("(400, 2) True (2, 2) True\n", None)


@pytest.mark.slow
def test_a_run_of_the_widget_goes_on_and_can_be_stopped(kernel):
    assert kernel.execute(BEGIN)[1] is None
    _, error = kernel.execute(RUN, 1)
    assert error is not None
    assert error[0] == "KeyboardInterrupt"
    assert kernel.execute(GOES_ON) == ("True running ()\n", None)
    printed, error = kernel.execute("import asyncio\n" + STOP)
    assert error is None
    assert printed == "True stopped (400, 2)\n"
