"""What is said of clusters, and what becomes of them."""

import numpy as np
import pandas as pd
import pytest

from latentmap.session.cluster_search import ClusterSearch
from latentmap.table import CellTable

N = 60


@pytest.fixture
def session(session, loop):
    clumps = np.repeat([[0, 0], [30, 0], [0, 30]], (30, 20, 10), axis=0)
    values = np.random.default_rng(0).normal(size=(N, 2)) + clumps
    rows = pd.DataFrame(values, columns=["area", "DNA"]).assign(label=np.arange(1, N + 1))
    session.parameters.features, session.parameters.method = ("area", "DNA"), "classical-mds"
    session.embed(CellTable.read(rows, layer="cells"))
    loop.turn(lambda: not session.runs.running, 60)
    return session


@pytest.fixture
def search(session, loop):
    said = []
    search = ClusterSearch(session, loop.calls.put, said.append)

    def find():
        search.start("k-means", 3)
        loop.turn(lambda: not search.running, 60)
        return said[-1]

    return find


def test_each_cluster_is_a_class(session, search):
    assert search() == "3 clusters found, each a class now."
    assert session.classes.names == ("cluster 1", "cluster 2", "cluster 3")


def test_dropped_cells_are_in_no_cluster(session, search):
    search()
    session.dropped.drop([0, *range(50, 60)])
    session.classes.assign("dead", [0])
    assert search() == "3 clusters found, each a class now."
    names = session.classes.names_of(np.arange(N))
    assert names[0] == "dead"
    assert set(names[1:50]) == {"cluster 1", "cluster 2", "cluster 3"}
    assert set(names[50:]) == {""}


def test_no_cluster_is_said_to_be_none(session, loop):
    said = []
    search = ClusterSearch(session, loop.calls.put, said.append)
    search.start("hdbscan", 31)
    loop.turn(lambda: not search.running, 60)
    assert said[-1] == "No clusters found; 60 cells in no cluster."


def test_clusters_all_of_whose_cells_have_a_class_of_the_user_s_become_none(session, search):
    session.classes.assign("dividing", np.arange(30, 50))
    assert search() == ("3 clusters found, 2 of them classes now; 20 cells left in the classes that you named.")
    assert session.classes.names == ("dividing", "cluster 1", "cluster 3")
    session.classes.assign("resting", np.arange(30))
    assert search().startswith("3 clusters found, 1 of them a class now; 50 cells left")
    session.classes.assign("other", np.arange(50, 60))
    assert search().startswith("3 clusters found, none of them classes now; 60 cells left")


def test_without_a_map_nothing_is_looked_for(loop, new):
    said, session = [], new()
    search = ClusterSearch(session, loop.calls.put, said.append)
    search.start("hdbscan")
    assert (said, search.running) == ([], False)


def test_more_clusters_than_cells_are_refused_in_a_sentence(session, loop):
    said = []
    search = ClusterSearch(session, loop.calls.put, said.append)
    search.start("k-means", N + 1)
    loop.turn(lambda: not search.running, 60)
    assert said == ["Looking for clusters …", f"{N} cells cannot be divided into {N + 1} clusters: ask for fewer."]
    assert session.classes.names == ()


def test_an_error_of_the_program_is_told_and_not_hidden(session, loop, monkeypatch):
    def broken(*_, **settings):
        raise RuntimeError("out of order")

    monkeypatch.setattr("latentmap.session.cluster_search.cluster", broken)
    said = []
    search = ClusterSearch(session, loop.calls.put, said.append)
    search.start("hdbscan")
    with pytest.raises(RuntimeError, match="out of order"):
        loop.turn(lambda: not search.running, 60)
    assert said[-1] == "out of order"


def test_clusters_of_a_search_that_was_stopped_become_no_classes(session, loop):
    said = []
    search = ClusterSearch(session, loop.calls.put, said.append)
    search.start("k-means", 3)
    search.stop()
    loop.turn(lambda: not search.running, 60)
    assert (said, session.classes.names) == (["Looking for clusters …"], ())
