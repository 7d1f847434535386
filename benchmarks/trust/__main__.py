"""The figures of docs/trust.md: what says which cells and gaps of a map not to believe, and how right it is."""

from __future__ import annotations

from benchmarks.report import Paper, main, of_module
from benchmarks.trust import calibrating, changing, contacts, cost, null, number, panel, places, seeds, stable

_HEAD = """# Where not to trust a map, and how well we can tell

`latentmap.quality` says which cells and which gaps of a map not to believe. This page measures how far that can be
relied on, on made-up tables whose truth is known and on real ones. `python -m benchmarks.trust all` writes it. Every
figure about single cells stands beside that of the spacing alone: the mean distance of a cell's nearest neighbours on
the map, which anybody can see. Most real tables were subsampled to the number of rows shown.

What may be concluded:

- **The number to show for a cell is the share of its neighbours that the map has lost** (`lost_neighbors`). It is a
  fact about the map, and what one half of the cells says of it holds for the other half.
- **The variance of `LVM()` is not that number.** It says less, though more than nothing.
- **Sigma (the root of the variance) does not say which cells move farther with another seed**: how far hardly
  correlates with it, or with the spacing. Depending on the table, the median cell moves .8 to 1.4 sigma.
- **A cell is sure or doubtful against a null** (`neighborhood_test`): the same method maps Gaussian noise of as many
  directions. On such noise, and on noise whose columns are uniform or counts, no cell was sure. Cells misplaced by hand
  are found, and hardly make those around them doubtful where the table has twenty columns or more; with 8 columns
  (nuclei) they do. A table of two or three columns is mapped well even if it is noise: none of its cells can be sure,
  which does not mean that they are misplaced. Columns that vary more than others, or are very skewed, count as
  structure, even if they are independent of each other. With `null="columns"` they do not, but then few cells or none
  are sure of tables whose variance lies in a few principal components.
- **A gap or a contact between groups is tested by itself** (`group_contacts`).
- **Where else a cell could lie** (`other_places`) is what the model says, with all other cells held fixed. Its odds
  are not the odds that it is right, and most cells at a tear get no second place.
- **How much of a neighbourhood stays when the map is made again** (`neighbor_stability`) says what will change once
  more. With a fifth of the cells left out each time it also says something of the neighbours lost, beyond the spacing.
- **Cells that changed between two maps are found** (`compare_maps`) beyond what seeds change of the same cells. On
  Gaussian noise, where a seed changes a quarter of all neighbours, those moved by hand were not.
- **The probability that two cells coincide is calibrated only after `LVM.calibrate`**, which learns it from the map
  itself, or `coincidence_calibration`, which measures a method on a table.
- **At 100 000 cells the measures take less than half of the fit's time**, except those that make maps of their own.
  At 1 500 cells, where a fit takes .2 s, the null takes .7 times as long, and the calibration 2.9 times.
"""


PAPER = Paper(
    "trust",
    _HEAD,
    (
        of_module("number", "Does a number predict lost neighbours?", 5000, 300, number),
        of_module("null", "Sure and doubtful cells", 5000, 300, null),
        of_module("contacts", "Torn and falsely joined groups", 600, 300, contacts),
        of_module("places", "Where else could a cell lie?", 600, 300, places),
        of_module("changes", "Two maps compared cell by cell", 2000, 300, changing),
        of_module("stable", "How much of a neighbourhood stays when the map is made again?", 2000, 300, stable),
        of_module("seeds", "Does sigma say where a cell lands under another seed?", 3000, 300, seeds),
        of_module("calibration", "Is the probability that two cells coincide right?", 5000, 300, calibrating),
        of_module("cost", "What it takes", 100_000, 300, cost),
        of_module("panel", "What the buttons of the tab Trust take", 100_000, 300, panel),
    ),
    max_iter=0,
    quick_iter=0,
)

if __name__ == "__main__":
    main(PAPER)
