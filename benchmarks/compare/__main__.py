"""The experiments on comparisons and Siamese networks, one command each: ``python -m benchmarks.compare NAME``."""

from benchmarks.compare import cities, crops, digits, network
from benchmarks.report import Paper, main

_HEAD = """\
# Embeddings from comparisons, and Siamese networks

Parts E and F of a lecture on embeddings: maps from pairs, triplets and quadruplets, and mappings learned by a network
from pairs (Bromley et al. 1993). The lecture poses the problems and reports no experiment, so what is set beside our
numbers is what it asks for, or what one should expect of it. Each experiment is one command,

```sh
uv run --group benchmarks python -m benchmarks.compare NAME     # or: all
uv run --group benchmarks python -m benchmarks.compare page     # writes this page
```

which draws its figures into `docs/images` and writes its numbers to `docs/compare/NAME.json`. This page is made from
those files and from nothing else. `--quick` runs an experiment in seconds, on few rows and for few iterations, and
leaves what it makes in `benchmarks/results`.

Maps are made by `latentmap.methods.ComparisonEmbedding` and `latentmap.methods.Siamese` (50 epochs) with their
defaults, but for what is said. The cities have no features: `feature_weight` is 0 there, no comparison is held out, and
the kernel is the Gaussian unless it is called heavy-tailed.
"""

PAPER = Paper(
    "compare",
    _HEAD,
    (cities.EXPERIMENT, digits.EXPERIMENT, network.EXPERIMENT, crops.EXPERIMENT),
    max_iter=300,
    quick_iter=10,
)

if __name__ == "__main__":
    main(PAPER)
