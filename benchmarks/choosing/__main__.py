"""How good the parameters are that ``latentmap.choose`` chooses: ``python -m benchmarks.choosing all``."""

from __future__ import annotations

from functools import partial

from benchmarks.choosing import comparing
from benchmarks.choosing.comparing import TABLES
from benchmarks.peers.data_sets import DATA_SETS
from benchmarks.report import Claim, Experiment, Numbers, Paper, main

_HEAD = """\
# Choosing k, s, l and d

`latentmap.choose` compares candidates by what their maps tell of rows that were held out:

```python
choice = latentmap.choose(X, {"n_neighbors": [10, 15, 30], "n_steps": [2, 3]})
choice.table  # a DataFrame: one row for each candidate
choice.best  # such as {"n_neighbors": 15, "n_steps": 3}
choice.simplest  # the simplest one no further behind than one standard error
choice.table.plot(x="n_neighbors", y="score", yerr="standard_error")
```

`latentmap choose cells.parquet --try n_neighbors=10,15,30` does so in a shell, and in scikit-learn
`latentmap.quality.neighbor_log_score` is a scorer for `GridSearchCV`.

## The score

Some rows are held out, a map is made of the others, and the rows held out are placed on it by `transform`. The score
is the mean log probability that the map gives to the 10 true neighbours of each such row among all rows, minus that of
a guess. The probability that row *j* is a neighbour of row *i* is proportional to (1 + r²/w²)^-a, with *r* their
distance on the map; *w* and *a* are found for each map from half of the rows held out and applied to the other half.
So maps of any width, k, s, l and d, and of any method that places new rows, are comparable. The likelihood is not: k
and d change what it is a likelihood of. A map that tells nothing has 0, one that puts the true neighbours of each row,
and no other rows, around it has log(n / 10). Beside it stands the score of as many principal components.

What counts as a true neighbour must not change with the candidates: it is `n_true`, 10 by default. With more, larger
neighbourhoods count, and larger k win.

## What it is good for, and what not

- It rules out what is bad, such as k = 5, and says by how much a map tells more than principal components.
- It does not tune. On tables of cells the scores of k = 10 to 50 lie close together, often within their standard
  errors, and so do the class errors: then keep the default. On the two tables of digits, k = 50 has lower scores and
  three tenths more errors.
- It says nothing of classes. The tables below set its choice beside the map with the fewest errors of 9 nearest
  neighbours, which somebody without classes cannot know. The two seldom agree, and seldom differ by more than a few
  cells.
- A map of three dimensions has the higher score, since there is more room in it. `simplest` does not change that.
  Choose d by what you want to look at, and leave it out of the candidates.

## How it was measured

Ten candidates for each table: the defaults with other k, and those with other s, l or d alone. `choose` has them with
5 lots of 200 rows held out; the class error is that of two maps of all rows (two seeds), by 9 nearest neighbours.
`python -m benchmarks.choosing all` measures it and writes this page.
"""


def claims(numbers: Numbers) -> list[Claim]:
    """There is no paper to hold this against."""
    return []


def _experiment(name: str) -> Experiment:
    return Experiment(
        name, DATA_SETS[name].title, 2000, 90, partial(comparing.measure, name=name), claims, {}, comparing.lines
    )


PAPER = Paper("choosing", _HEAD, tuple(map(_experiment, TABLES)), max_iter=250, quick_iter=5)

if __name__ == "__main__":
    main(PAPER)
