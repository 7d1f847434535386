"""A fit that waits in its course until the test lets it go on."""

from contextlib import closing
from threading import Event


class Held:
    """Where a fit waits: `reached` is set when it does, the test sets `open`, and `n_after` counts its steps since."""

    def __init__(self):
        self.reached, self.open, self.n_after = Event(), Event(), 0


def hold(monkeypatch, kind, when):
    """Have the fits of a method wait at the first step of which a function says so, before they yield it."""
    held, iter_fit = Held(), kind.iter_fit

    def iter_fit_held(self, X, y=None):
        with closing(iter_fit(self, X, y)) as steps:
            for step in steps:
                if held.reached.is_set():
                    held.n_after += 1
                elif when(step):
                    held.reached.set()
                    assert held.open.wait(60)
                yield step

    monkeypatch.setattr(kind, "iter_fit", iter_fit_held)
    return held


def before_the_map(step):
    """Where the last is done that comes before the map."""
    return step.stage == "start"


def with_a_map(step):
    """After some iterations, or the one that there is."""
    return step.state is not None and step.iteration == min(3, step.max_iter)
