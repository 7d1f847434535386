"""Every method on the same five data sets: ``python -m benchmarks.side_by_side all``."""

from __future__ import annotations

from functools import partial

from benchmarks.markdown import table
from benchmarks.report import Claim, Experiment, Numbers, Paper, Run, main
from benchmarks.side_by_side import limits
from benchmarks.side_by_side.data import DATA
from benchmarks.side_by_side.measuring import measure
from latentmap.methods import METHODS

_HEAD = """\
# Every method, side by side

Every method of `latentmap.methods.available()` with its own defaults, one after the other in one process, on the same
rows of five data sets:

```sh
uv run --group benchmarks python -m benchmarks.side_by_side all      # or one data set
uv run --group benchmarks python -m benchmarks.side_by_side page     # writes this page
```

**time** is the time of the fit as a multiple of the latent variable model's on the same rows, with seconds in
brackets; compiling on first use is not counted. **recall** is the share of the 10 nearest rows that are among the 10
nearest on the map, **trustworthiness** that of 10 neighbours, **triplets** the share of random triplets of rows whose
order of distances is kept: 0.5 is chance. **error** is the share of rows whose nearest row on the map has another
class. Data without classes have **R²** instead: how well the mean of a row's 10 nearest rows on the map predicts what
is known of it, its position along the roll or its area. **uncertainty**, for methods with variances, is the rank
correlation of a row's variance with the share of its neighbours that the map has lost: the higher, the better the
variance shows which positions not to trust. In brackets is that with the spacing of the map held fixed, and
**spacing alone** is the same correlation of the mean distance of a row's 10 nearest rows on the map, which anybody can
see. A sentence below each table says which variances reach 0.2 with the spacing held fixed. `comparisons`
got 500 comparisons that are true by class or by what is known, so it has seen more than the others; `siamese` got no
classes. All numbers are from one seed, and no method is tuned: where the roll is not unrolled, fewer neighbours may
do it.

## When to use which

"""


# From this correlation on, with the spacing held fixed, we say that a variance shows which rows have lost neighbours.
_SHOWS = 0.2


def _head() -> str:
    return _HEAD + "\n".join(table(["method", "", "when"], _when()))


def _when() -> list[tuple[str, str, str]]:
    return [(f"`{name}`", method.title, method.about) for name, method in METHODS.items()]


def lines(numbers: Numbers) -> list[str]:
    found = numbers["methods"]
    by = "error" if numbers["is_class"] else "R²"
    rows = []
    for name, measured in found.items():
        ratio = measured["seconds"] / found["lvm"]["seconds"]
        sure = measured["uncertainty"]
        known = f"{measured['error']:.1%}" if numbers["is_class"] else f"{measured['order']:.2f}"
        rows.append(
            (
                f"`{name}`",
                f"{_two_digits(ratio)} ({_two_digits(measured['seconds'])} s)",
                *(f"{measured[part]:.3f}" for part in ("recall", "trustworthiness", "triplets")),
                known,
                "–" if sure is None else f"{sure:.2f} ({_or_dash(measured.get('beyond_spacing'))})",
                _or_dash(measured.get("spacing")),
            )
        )
    head = ["method", "time", "recall", "trustworthiness", "triplets", by, "uncertainty", "spacing alone"]
    return table(head, rows) + _verdict(found)


def _or_dash(number: float | None) -> str:
    """Return a number in words; a record made before it was measured has none."""
    return "–" if number is None else f"{number:.2f}"


def _two_digits(number: float) -> str:
    return f"{float(f'{number:.2g}'):g}"


def _verdict(found: dict[str, Numbers]) -> list[str]:
    """Say which methods' variances show the rows that have lost neighbours, and which do not."""
    values = {name: one["beyond_spacing"] for name, one in found.items() if one.get("beyond_spacing") is not None}
    if not values:
        return []
    showing, silent = (
        " and ".join(f"`{name}` ({value:.2f})" for name, value in values.items() if (value >= _SHOWS) == shows)
        for shows in (True, False)
    )
    if not showing:
        return [f"Beyond the spacing, the variance of {silent} does not show which rows have lost neighbours.", ""]
    others = f"; that of {silent} does not" if silent else ""
    return [f"Beyond the spacing, the variance of {showing} shows which rows have lost neighbours{others}.", ""]


def claims(numbers: Numbers) -> list[Claim]:
    """There is no paper to hold this against."""
    return []


def _experiment(name: str) -> Experiment:
    title = DATA[name][0]
    return Experiment(
        name,
        title,
        800,
        80,
        partial(_measured, name=name),
        claims,
        {f"{name}-maps": f"{title}: the maps of all methods, coloured by what is known of the rows"},
        lines,
    )


def _measured(run: Run, name: str) -> Numbers:
    return measure(run, name, DATA[name][2])


PAPER = Paper(
    "side_by_side",
    _head(),
    (*(_experiment(name) for name in DATA), limits.EXPERIMENT),
    max_iter=0,
    quick_iter=5,
)

if __name__ == "__main__":
    main(PAPER)
