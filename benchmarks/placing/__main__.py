"""How good the places of new rows are: ``python -m benchmarks.placing all``."""

from __future__ import annotations

from functools import partial

from benchmarks.peers.data_sets import DATA_SETS
from benchmarks.placing import comparing
from benchmarks.placing.comparing import TABLES
from benchmarks.report import Claim, Experiment, Numbers, Paper, main

_HEAD = """\
# New rows beside those of the map

`LVM.transform` places new rows on a finished map, which does not change:

```python
lvm = latentmap.LVM().fit(cells_of_march)
places = lvm.transform(cells_of_april)
```

How well does it? A fifth of a table is held out, a map is made of the rest, and the fifth is placed on it; five times,
so that each row is new once.

- **Error, placed**: how often the 9 nearest rows of the map tell the class of a new row wrongly.
- **Error, fitted**: the same for the same rows, told by the same others, had they been there from the first: on a map
  of all rows.
- **Difference** of the two, ± its standard error over the five lots. Where it is not larger than twice that, it may be
  chance. The goal is 0.2 %.
- **Recall**: the share of the ten nearest of the other rows in the table that are among the ten nearest on the map.

Beside ours stand the peers that can place new rows, at their defaults, and two rules that need no model, both on the
map of `LVM()`: a new row at the place of its nearest row, and at the median place of its five nearest.

`python -m benchmarks.placing all` measures it and writes this page.
"""


def claims(numbers: Numbers) -> list[Claim]:
    """There is no paper to hold this against."""
    return []


def _experiment(name: str) -> Experiment:
    rows = min(DATA_SETS[name].rows, 6000)
    measure = partial(comparing.measure, name=name)
    return Experiment(name, DATA_SETS[name].title, rows, 120, measure, claims, {}, comparing.lines)


PAPER = Paper("placing", _HEAD, tuple(map(_experiment, TABLES)), max_iter=0, quick_iter=0)

if __name__ == "__main__":
    main(PAPER)
