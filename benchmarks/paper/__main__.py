"""The experiments of Saul's paper, one command each: ``python -m benchmarks.paper NAME``."""

from benchmarks.paper import digits, dimensions, pairs, roll, updates, variants, words
from benchmarks.paper.fitting import PAPER_SETTINGS, compile_kernels
from benchmarks.report import Paper, main

_HEAD = """\
# The paper's experiments

Lawrence K. Saul, "A tractable latent variable model for nonlinear dimensionality reduction", PNAS 117(27), 2020,
[doi:10.1073/pnas.1916012117](https://doi.org/10.1073/pnas.1916012117): each of its experiments is one command,

```sh
uv run --group benchmarks python -m benchmarks.paper NAME     # or: all
uv run --group benchmarks python -m benchmarks.paper page     # writes this page
```

which draws its figures into `docs/images` and writes its numbers to `docs/paper/NAME.json`. This page is made from
those files and from nothing else: what it says was measured. `--quick` runs an experiment in seconds, on few rows and
for few iterations, and leaves what it makes in `benchmarks/results`. The data are in the folder that `LATENTMAP_DATA`
names, by default `../shared/data`.

All maps are made as the paper makes them: `LVM(**PAPER, momentum=0.9, tol=0)`, 400 iterations with
Gaussian latent variables, started from the Laplacian's eigenvectors, with the votes for landmarks squared as a program
of the author's has them. How large the start is the paper does not say; here eigenvectors have norm 1 in units of the
width of the table, so that a table in other units gives the same map in these. One thing differs: where the graph of
neighbours falls apart, the parts are joined by their shortest bridges (`connect="bridge"`), so that no row is lost;
the paper embeds the largest part. Images of digits are given by their first 50 principal components, as in the paper.
Errors on all 70 000 of them are those of the 10 000 test images classified by the 60 000 training images, all in one
map; on fewer they are cross-validated (5 folds). Figs. S6 to S9 are made with three seeds, which choose the landmarks
and, where not all are taken, the rows; a claim about them holds where it does in each. An error or recall is on the map
unless it says otherwise.
"""

PAPER = Paper(
    "paper",
    _HEAD,
    (
        digits.EXPERIMENT,
        *variants.EXPERIMENTS,
        dimensions.EXPERIMENT,
        words.EXPERIMENT,
        roll.EXPERIMENT,
        pairs.EXPERIMENT,
        updates.EXPERIMENT,
    ),
    max_iter=400,
    quick_iter=20,
    prepare=compile_kernels,
    settings=repr(PAPER_SETTINGS),
)

if __name__ == "__main__":
    main(PAPER)
