"""The experiments of the lecture on embeddings, one command each: ``python -m benchmarks.lecture NAME``."""

from benchmarks.lecture import cities, landmarks, mapping, roll
from benchmarks.report import Paper, main

_HEAD = """\
# The lecture's embeddings

A lecture on embeddings goes from classical multidimensional scaling over gradient descent to Isomap, names locally
linear embedding and Laplacian eigenmaps, and has two ways to place new rows: landmarks, and a mapping that is learned.
It states few numbers; what it says in words is set beside ours. Each experiment is one command,

```sh
uv run --group benchmarks python -m benchmarks.lecture NAME     # or: all
uv run --group benchmarks python -m benchmarks.lecture page     # writes this page
```

which draws its figures into `docs/images` and writes its numbers to `docs/lecture/NAME.json`. This page is made from
those files and from nothing else. `--quick` runs an experiment in seconds, on few rows, and leaves what it makes in
`benchmarks/results`.

Maps are made by `ClassicalMDS`, `GradientMDS`, `LandmarkMDS`, `Isomap`, `LocallyLinearEmbedding`, `LaplacianEigenmaps`
and `LearnedMapping` of `latentmap.methods`. Bars such as 0.99 are ours.
"""

PAPER = Paper(
    "lecture",
    _HEAD,
    (cities.EXPERIMENT, roll.EXPERIMENT, landmarks.EXPERIMENT, mapping.EXPERIMENT),
    max_iter=20_000,
    quick_iter=50,
)

if __name__ == "__main__":
    main(PAPER)
