"""What is said of a map that is hardly better than chance, and of one for which there are too few cells."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from latentmap.display.map_facts import map_facts
from latentmap.display.map_sentences import describe_map, describe_next_map
from latentmap.quality import recall_and_trustworthiness
from latentmap.session import Parameters, iter_run
from latentmap.table import CellTable, Preview


def mapped(n_features, n_cells=400, **parameters):
    """Return the map of cells whose features are noise."""
    values = np.random.default_rng(0).normal(size=(n_cells, n_features))
    rows = pd.DataFrame(values, columns=[f"gene {i}" for i in range(n_features)]).assign(label=1 + np.arange(n_cells))
    cells = CellTable.read(rows, layer="nuclei")
    steps = iter_run(cells, Parameters(features=tuple(cells.numeric), max_iter=60, **parameters))
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def test_a_map_of_noise_says_that_it_means_nothing_and_what_may_help():
    result = mapped(300)
    assert result.quality["trustworthiness"] < 0.7
    said = describe_map(result)
    assert "hardly better than chance (0.50)" in said
    assert "Set PCA to 50: 300 features hold much noise." in said


@pytest.mark.parametrize(
    ("n_features", "n_pca", "advice"),
    [(300, 50, "another number of principal components"), (30, 0, "Try a transform, or other features.")],
)
def test_the_advice_is_what_was_not_tried(n_features, n_pca, advice):
    result = mapped(n_features, n_pca=n_pca)
    doubtful = replace(result, quality={"recall": 0.1, "trustworthiness": 0.69})
    assert advice in describe_map(doubtful)


def test_a_map_that_is_better_than_chance_is_not_doubted():
    result = replace(mapped(3), quality={"recall": 0.1, "trustworthiness": 0.7})
    assert "chance" not in describe_map(result)


@pytest.mark.parametrize("n_cells", [1000, 1001])
def test_it_is_said_if_not_all_cells_were_measured(n_cells):
    result = mapped(3, n_cells, method="classical-mds")
    values = result.cells.features.iloc[:, :3].to_numpy()
    values = (values - values.mean(axis=0)) / values.std(axis=0)
    measured = recall_and_trustworthiness(values, result.embedding, 10, n_samples=1000)
    np.testing.assert_allclose(list(result.quality.values()), measured, rtol=1e-6)
    facts = {fact.name: fact.value for fact in map_facts(result, (), n_cells)}
    said = " (measured on 1000 cells drawn at random)"
    for sentence in (describe_map(result), facts["Trustworthiness"], facts["Recall of 10 neighbours"]):
        assert (said in sentence) == (n_cells > 1000)
    landmarks = replace(result, members=np.zeros(1, dtype=int))
    assert ("measured on 1000 landmarks" in describe_map(landmarks)) == (n_cells > 1000)


@pytest.mark.parametrize(("n_cells", "there"), [(3, "are only 3"), (1, "is only 1")])
def test_too_few_cells_for_the_dimensions_are_refused_in_words(n_cells, there):
    seen = Preview(n_cells, 0, 0, 2, (), "some cells.")
    with pytest.raises(ValueError, match=rf"^A map of 3 dimensions \(d\) needs at least 4 cells; there {there}\.$"):
        describe_next_map(seen, Parameters(n_components=3))
    assert describe_next_map(replace(seen, n_cells=4), Parameters(n_components=3)).startswith("some cells.")
