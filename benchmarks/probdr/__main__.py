"""The figures of ProbDR's paper, one command each: ``python -m benchmarks.probdr NAME``."""

from benchmarks.probdr import balance, checked, derivation, estimates, large, maps
from benchmarks.report import Paper, main

_HEAD = """\
# ProbDR's figures

Aditya Ravuri and Neil D. Lawrence, "Towards one model for classical dimensionality reduction: a probabilistic
perspective on UMAP and t-SNE", 2024: each experiment is one command,

```sh
uv run --group benchmarks --group peers python -m benchmarks.probdr NAME     # or: all
uv run --group benchmarks python -m benchmarks.probdr page                   # writes this page
```

which draws its figures into `docs/images` and writes its numbers to `docs/probdr/NAME.json`. This page is made from
those files and from nothing else. `--quick` runs an experiment in seconds, on few rows and for few iterations, and
leaves what it makes in `benchmarks/results`.

Maps are made by `latentmap.methods.ProbDR` with the paper's 10 neighbours, 5 negatives, first step of 1.0 and, unless
said otherwise, 50 epochs. An epoch is one step of all rows here; what it is in the paper is not said. So CNE and the
Bernoulli model have 500 epochs too: the figures of both are told, and those of 500 decide. The paper has up to 25 000
rows in 10 groups, and a GPU for the determinants; here the Wishart models have fewer rows, but for [one map](#large) of
the first of them (5), which has landmarks for the determinant. What is said of that map rests on them, and was
[checked](#landmarks) for fewer rows alone.

Of the paper's data only the digits are at hand. Cells of two lines and their mixture, of the same paper as its blood
cells (Zheng et al. 2017), and a mixture of human and mouse cells, of the same paper as its retina (Macosko et al.
2015), stand in for the others; they have 2 and 3 groups. Of the other blood cells only is known whether they met
interferon: cells of all kinds did, so that what needs groups is not measured of them.

n_#, by which n~ = n_- n_# / n, is 10 in the paper, "the average number of neighbours set for a point". Here it is k =
10, which is what is set; as two rows are neighbours if either is among the other's 10 nearest, a row has more than 10
on average.

The paper has pytorch's Adam. Here Adam has one scale for each point, where pytorch has one for each coordinate; it
keeps 0.99 of the squared gradients, not 0.999; and its rate falls in a straight line to 1 % of the first. The paper
calls its rate of 1.0 the initial one, and does not say how it falls.

The paper calls maps t-SNE-like or UMAP-like by eye. Here maps of scikit-learn's t-SNE and of umap-learn, both at their
defaults but for UMAP's 10 neighbours, are measured beside ours:

- *recall*: how many of the 10 nearest neighbours are kept.
- *silhouette* of the groups: towards 1, they are far apart for their size.
- *size*: how far a group's rows are from their mean, in parts of the distance to the next group's mean.
- *filled*: of the squares of a grid over the map, one for every 10 rows, how many have a row. t-SNE spreads rows
  evenly, UMAP leaves more of the map empty.

A map is the more UMAP-like of two by a measure if it lies further in the direction from t-SNE's map to UMAP's.
"""

PAPER = Paper(
    "probdr",
    _HEAD,
    (
        maps.EXPERIMENT,
        large.EXPERIMENT,
        checked.EXPERIMENT,
        derivation.EXPERIMENT,
        balance.EXPERIMENT,
        estimates.EXPERIMENT,
    ),
    max_iter=50,
    quick_iter=5,
)

if __name__ == "__main__":
    main(PAPER)
