"""The experiments of the locally linear model's paper, one command each: ``python -m benchmarks.llvm NAME``."""

from benchmarks.llvm import digits, rain, shortcut, simulated
from benchmarks.report import Paper, main

_HEAD = """\
# The locally linear latent variable model's experiments

Mijung Park, Wittawat Jitkrittum, Ahmad Qamar, Zoltan Szabo, Lars Buesing and Maneesh Sahani, "Bayesian manifold
learning: the locally linear latent variable model (LL-LVM)", NIPS 2015: each of its experiments is one command,

```sh
uv run --group benchmarks python -m benchmarks.llvm NAME     # or: all
uv run --group benchmarks python -m benchmarks.llvm page     # writes this page
```

which draws its figures into `docs/images` and writes its numbers to `docs/llvm/NAME.json`. This page is made from
those files and from nothing else. `--quick` runs an experiment in seconds, on few rows and for few iterations, and
leaves what it makes in `benchmarks/results`.

Maps are made by `latentmap.methods.LLLVM`. GP-LVM, with which the paper compares, is not implemented here; Isomap, LLE
and LTSA are scikit-learn's. Where the paper and its own programs differ, this is the paper, and four things are to be
known of it:

- **The likelihood is not normalised.** (23) counts each edge twice, once with C_i and once with C_j, which may not
  agree, and f in (24) is not e'Σe, as completing the square would need. The constant (31) is that of a normal
  distribution all the same. So (37) bounds the log of a density whose integral over y is below 1. An edge that is added
  earns half of log(1 + r) for each column, where r is its resistance in the graph, and pays γ times what it does not
  fit: the bound tells a short-circuit where noise is low, and may welcome it where rows are few (Fig. 4, below).
- **(57) lacks a factor.** The expected C_i'C_i has d_y times the covariance, as (72) has it; without it the bound falls
  at some half steps (tried on the irises).
- **α is hardly held by the data.** Its optimum is far below 0.001 where a map has unfolded, and far above where it has
  not. By the paper's steps alone, and from random maps C, it goes up before the map opens, and all rows of the roll
  stay in the middle; the authors' programs hold it at 0.001. With the step below, and β learned too, it stays low
  from every start tried; from the spectral one it gives about the same map as held, with a slightly higher bound.
- **EM finds the map's unit slowly.** Places times s and maps divided by s fit alike. After each iteration the s of the
  highest bound is taken, which has a closed form. This is not in the paper; the bound never falls by it.
"""

PAPER = Paper(
    "llvm",
    _HEAD,
    (simulated.EXPERIMENT, shortcut.EXPERIMENT, digits.EXPERIMENT, rain.EXPERIMENT),
    max_iter=40,
    quick_iter=3,
)

if __name__ == "__main__":
    main(PAPER)
