"""The figures of docs/trust.md: what says which cells and gaps of a map not to believe, and how right it is."""

from __future__ import annotations

from typing import Any

from benchmarks.report import Experiment, Paper, main
from benchmarks.trust import calibrating, changing, contacts, cost, null, number, places, seeds

_HEAD = """# What not to believe of a map, and how right that is

`latentmap.quality` says which cells and which gaps of a map not to believe. This page measures how far that can be
relied on, on made-up tables whose truth is known and on real ones. `python -m benchmarks.trust all` writes it. Every
figure about single cells stands beside that of the spacing alone: the mean distance of a cell's nearest neighbours on
the map, which anybody can see. Most real tables were drawn down to the number of rows beside
them, and the time at 100 000 cells was not measured.

What may be concluded:

- **The number to show for a cell is the share of its neighbours that the map has lost** (`lost_neighbors`). It is a
  fact about the map, and what one half of the cells says of it holds for the other half.
- **The variance of `LVM()` is not that number.** It says less, though more than nothing.
- **A cell is sure or doubtful against a null** (`neighborhood_test`): the same method maps the table with its columns
  shuffled. Of few columns, or of a few principal components that hold most of the variance, that map is good as well,
  and then few cells or none are sure. This does not mean that they are misplaced. Misplaced cells cost their group:
  with one cell in twenty moved, on five groups in 20 columns, 74 % of the cells that lie right became doubtful.
- **A gap or a contact between groups is tested by itself** (`group_contacts`).
- **Where else a cell could lie** (`other_places`) is what the model says, with all other cells held fixed. Its odds are
  not those with which it is right.
- **The probability that two cells coincide is calibrated only after `coincidence_calibration`.**
"""


def _experiment(name: str, title: str, n: int, module: Any) -> Experiment:
    return Experiment(
        name, title, n, 300, module.measure, getattr(module, "claims", lambda numbers: []), {}, module.lines
    )


PAPER = Paper(
    "trust",
    _HEAD,
    (
        _experiment("number", "Does a number predict lost neighbours?", 5000, number),
        _experiment("null", "Sure and doubtful cells", 5000, null),
        _experiment("contacts", "Torn and falsely joined groups", 600, contacts),
        _experiment("places", "Where else could a cell lie?", 600, places),
        _experiment("changes", "Two maps compared cell by cell", 2000, changing),
        _experiment("seeds", "Does sigma say where a cell lands under another seed?", 3000, seeds),
        _experiment("calibration", "Is the probability that two cells coincide right?", 5000, calibrating),
        _experiment("cost", "What it takes", 100_000, cost),
    ),
    max_iter=0,
    quick_iter=0,
)

if __name__ == "__main__":
    main(PAPER)
