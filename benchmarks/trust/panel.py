"""How long the buttons of the tab "Trust" take in a window of napari, as multiples of the fit's own time."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

from benchmarks.markdown import table
from benchmarks.report import Claim, Numbers, Run
from latentmap.presenters.trust.words import TRUST

_SCREEN = "1600x1200x24"
_MOST = 0.5


def measure(run: Run) -> Numbers:
    if not (xvfb := shutil.which("xvfb-run")):
        raise SystemExit("xvfb-run is missing: install the package xvfb.")
    screen = [xvfb, "--auto-servernum", "--server-args", f"-screen 0 {_SCREEN}"]
    module = [sys.executable, "-m", "benchmarks.trust.pressing", str(run.n)]
    environment = {**os.environ, "QT_QPA_PLATFORM": "xcb", "LIBGL_ALWAYS_SOFTWARE": "1"}
    done = subprocess.run([*screen, *module], env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return {"iterations": None, **json.loads(done.stdout.splitlines()[-1])}


def claims(numbers: Numbers) -> list[Claim]:
    shares = {name: one["seconds"] / numbers["fit"] for name, one in numbers["took"].items() if name != "cancel"}
    slowest = max(shares, key=shares.__getitem__)
    return [
        Claim(
            f"each button takes at most {_MOST:g} of the fit's time, unless it makes maps of its own",
            f"at most {shares[slowest]:.2f} ({TRUST[slowest].label})",
            shares[slowest] <= _MOST,
        )
    ]


def lines(numbers: Numbers) -> list[str]:
    fit = numbers["fit"]
    rows = [
        (
            f"*{TRUST[name].label}*",
            f"{one['seconds']:.1f} s",
            f"{one['seconds'] / fit:.2f}",
            f"{1000 * one['longest']:.0f} ms",
        )
        for name, one in numbers["took"].items()
        if name != "cancel"
    ]
    return [
        "Points with 10 features in a real window of napari on a virtual screen, drawn by software. *Embed*, from the "
        f"click to the finished map with its quality, took {fit:.1f} s. *Window still* is the longest time in which it "
        "could not answer.",
        "",
        *table(["button", "time", "share of the fit's", "window still"], rows),
        f"*{TRUST['stability'].label}* and *{TRUST['seeds'].label}* make maps of their own, about as long as a fit "
        f"each; *{TRUST['cancel'].label}* in the first of them took {numbers['took']['cancel']['seconds']:.2f} s.",
        "",
    ]
