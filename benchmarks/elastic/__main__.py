"""The experiments of the elastic embedding's paper, one command each: ``python -m benchmarks.elastic NAME``."""

from benchmarks.elastic import coil, pair, roll, spiral, splittings
from benchmarks.report import Paper, main

_HEAD = """\
# The elastic embedding's experiments

Miguel A. Carreira-Perpinan, "The elastic embedding algorithm for dimensionality reduction", ICML 2010: each of its
experiments is one command,

```sh
uv run --group benchmarks python -m benchmarks.elastic NAME     # or: all
uv run --group benchmarks python -m benchmarks.elastic page     # writes this page
```

which draws its figures into `docs/images` and writes its numbers to `docs/elastic/NAME.json`. This page is made from
those files and from nothing else. `--quick` runs an experiment in seconds, on few rows and for few iterations, and
leaves what it makes in `benchmarks/results`.

Maps are made by `latentmap.methods.ElasticEmbedding`, that of the spiral with A = 4 D+ and the paper's way to stop: a
relative change of the cost below 1e-3, or 50 iterations for each lambda. The roll takes A = 4 L+ instead, with which it
unfolds ([the splittings](#splittings) are compared below). The ten objects take 4 L+ too, up to 400 iterations, and a
lambda that was chosen here. Isomap, Laplacian eigenmaps and t-SNE are scikit-learn's. No library used here has SNE; its
cost (5) is written down for these pages, and goes down by scipy's L-BFGS. On any map its gradient is that of the
elastic embedding at lambda = 1 with the weights w- = (1/Z + 1/Z')/2, where Z is the sum of exp(-|x - x'|²) over all
others of a point, so that both have the same code for all pairs.
"""

PAPER = Paper(
    "elastic",
    _HEAD,
    (pair.EXPERIMENT, spiral.EXPERIMENT, roll.EXPERIMENT, coil.EXPERIMENT, splittings.EXPERIMENT),
    max_iter=50,
    quick_iter=5,
)

if __name__ == "__main__":
    main(PAPER)
