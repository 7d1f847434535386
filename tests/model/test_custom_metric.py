"""Words and other objects that only a function tells apart."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from latentmap import LVM
from latentmap import methods as others

STEMS = ["nucleus", "membrane", "cytoplasm", "ribosome", "vesicle"]


def levenshtein(a, b):
    """How many letters are to be changed, added or left out to make b of a, by the book (Wagner and Fischer 1974)."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        diagonal, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (x != y))
    return row[-1]


def words(n=60, seed=0):
    """Words that are each one of a few, with some letters changed; and which one."""
    rng = np.random.default_rng(seed)
    stems = np.arange(n) % len(STEMS)
    texts = []
    for stem in stems:
        letters = list(STEMS[stem])
        for place in rng.choice(len(letters), 2, replace=False):
            letters[place] = "abcdefghij"[rng.integers(10)]
        texts.append("".join(letters))
    return texts, stems


def between(texts, known):
    return np.array([[levenshtein(a, b) for b in known] for a in texts], float)


METHODS = {
    "lvm": LVM(metric=levenshtein, max_iter=20),
    "classical": others.ClassicalMDS(metric=levenshtein),
    "gradient": others.GradientMDS(metric=levenshtein, max_iter=20),
    "isomap": others.Isomap(metric=levenshtein, n_neighbors=8),
    "landmark": others.LandmarkMDS(metric=levenshtein, n_landmarks=20),
    "laplacian": others.LaplacianEigenmaps(metric=levenshtein, n_neighbors=8),
    "elastic": others.ElasticEmbedding(metric=levenshtein, max_iter=20),
    "probdr": others.ProbDR(metric=levenshtein, max_iter=20),
}


@pytest.mark.filterwarnings("ignore::latentmap.DataWarning")
@pytest.mark.parametrize("name", METHODS)
def test_the_map_of_words_is_that_of_their_distances(name):
    texts, _ = words()
    of_words = METHODS[name].fit(texts)
    of_distances = (
        METHODS[name].__class__(**{**of_words.get_params(), "metric": "precomputed"}).fit(between(texts, texts))
    )
    np.testing.assert_allclose(of_words.embedding_, of_distances.embedding_, atol=1e-6 * np.ptp(of_words.embedding_))


@pytest.mark.filterwarnings("ignore::latentmap.DataWarning")
@pytest.mark.parametrize("name", ["lvm", "classical", "isomap", "landmark", "elastic"])
def test_new_words_find_their_places(name):
    texts, stems = words(90)
    method = METHODS[name].fit(texts[:75])
    placed = method.transform(texts[75:])
    known = (
        METHODS[name].__class__(**{**method.get_params(), "metric": "precomputed"}).fit(between(texts[:75], texts[:75]))
    )
    np.testing.assert_allclose(placed, known.transform(between(texts[75:], texts[:75])), rtol=1e-5, atol=1e-5)
    nearest = np.linalg.norm(placed[:, None] - method.embedding_, axis=2).argmin(axis=1)
    assert (stems[nearest] == stems[75:]).mean() > 0.8


@pytest.mark.parametrize("kind", [tuple, np.array, pd.Series, lambda texts: np.array(texts, dtype=object)])
def test_words_may_come_as_what_holds_them(kind):
    texts, _ = words()
    np.testing.assert_array_equal(*(METHODS["lvm"].fit_transform(X) for X in (texts, kind(texts))))


def test_objects_of_any_kind():
    """Sets of genes, by how many are in one of two only."""
    rng = np.random.default_rng(0)
    sets = np.empty(40, dtype=object)
    sets[:] = [frozenset(rng.choice(10, 4, replace=False) + 10 * (i % 2)) for i in range(40)]
    Y = LVM(5, metric=lambda a, b: len(a ^ b), max_iter=100).fit_transform(sets)
    within = np.linalg.norm(Y[::2] - Y[::2].mean(axis=0), axis=1).mean()
    assert np.linalg.norm(Y[::2].mean(axis=0) - Y[1::2].mean(axis=0)) > within


def test_arguments_of_the_function_reach_it():
    texts, _ = words(30)
    seen = set()
    LVM(5, metric=lambda a, b, cost: seen.add(cost) or cost * levenshtein(a, b), metric_params={"cost": 3}).fit(texts)
    assert seen == {3}


@pytest.mark.parametrize(
    ("X", "parameters", "said"),
    [
        (words()[0], {"metric": "euclidean"}, "Set metric to a function that returns the distance of two of them"),
        (words()[0], {"metric": lambda a, b: -1.0}, "The metric gives -1.0 for '"),
        (words()[0], {"metric": lambda a, b: np.nan}, "The metric gives nan for '"),
        (words()[0], {"metric": lambda a, b: 0.0}, "all rows are the same"),
        (words()[0], {"neighbors": "approximate"}, 'neighbors="approximate" needs rows of numbers'),
        ([*words()[0], None], {}, "1 of 61 rows are missing, the first is row 60"),
        (pd.Series([np.nan, *words()[0], pd.NA]), {}, "2 of 62 rows are missing, the first is row 0"),
    ],
)
def test_what_cannot_be_mapped_is_said(X, parameters, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        LVM(**{"metric": levenshtein, **parameters}).fit(X)


def test_new_rows_must_be_of_the_same_kind():
    texts, _ = words()
    numbers = np.random.default_rng(0).normal(size=(60, 4))
    with pytest.raises(ValueError, match="made from words or other objects, but X holds rows of numbers"):
        METHODS["lvm"].fit(texts).transform(numbers)
    with pytest.raises(ValueError, match="made from rows of numbers, but X holds words or other objects"):
        LVM(metric=lambda a, b: float(abs(a - b).sum()), max_iter=2).fit(numbers).transform(texts)


def test_more_than_memory_holds_is_refused(monkeypatch):
    monkeypatch.setattr("latentmap.memory.free_memory", lambda: 8 * 50**2)
    with pytest.raises(ValueError, match="Choose up to 50 of the rows"):
        clone(METHODS["lvm"]).set_params(n_neighbors=3).fit(words()[0])
