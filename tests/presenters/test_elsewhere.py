"""Maps made elsewhere, as every front end offers them."""

import numpy as np
import pandas as pd
import pytest

from latentmap.presenters.elsewhere import ElsewherePresenter
from latentmap.table import CellTable


@pytest.fixture
def there(cells):
    """The cells of the tissue with a map made elsewhere; a test may replace them."""
    area = cells.features["area"].to_numpy(dtype=float)
    return [CellTable(cells.features.assign(UMAP1=area, UMAP2=np.sqrt(area)), cells.notes)]


@pytest.fixture
def presenter(session, view, there, calls, told):
    def add(given):
        session.add_map(there[0], given)

    presenter = ElsewherePresenter(session, view, lambda: there[0], calls.put, add, told.append)
    yield presenter
    presenter.stop()


def test_the_map_in_the_table_is_offered_first_and_added(presenter, session, view, there, calls):
    with_map, there[0] = there[0], CellTable(there[0].features.drop(columns=["UMAP1", "UMAP2"]))
    presenter.refresh()
    assert view.last("show_maps") == (["two columns of the table …"], 0, True)
    there[0] = with_map
    presenter.refresh()
    assert view.last("show_maps") == (["UMAP (from the table)", "two columns of the table …"], 0, True)
    assert view.last("show_columns") == []
    presenter.add()
    calls.until(lambda: not session.runs.running)
    assert session.runs.current.name == "UMAP (from the table)"
    assert set(session.runs.current.result.quality) == {"recall", "trustworthiness"}
    presenter.choose(1)
    assert view.last("show_columns") == there[0].numeric
    presenter.add("area", "dab_mean")
    calls.until(lambda: not session.runs.running)
    assert session.runs.current.name == "area and dab_mean (from the table)"
    # The choice stays when the lists are filled again.
    presenter.refresh()
    assert view.last("show_maps")[1] == 1


def test_two_times_the_same_column_is_no_map(presenter, session, told):
    presenter.refresh()
    presenter.choose(1)
    presenter.add("area", "area")
    assert told[-1].startswith("A map takes two columns or more")
    assert not session.runs.running


@pytest.mark.parametrize("named", [False, True])
def test_a_map_of_another_file_is_matched_by_key(presenter, session, view, there, calls, told, tmp_path, named):
    rows = there[0].features.reset_index()[["frame", "label"]].assign(tsne_1=1.0 * np.arange(313), tsne_2=-0.5)
    rows.loc[0, "tsne_2"] = 3.0
    if named:
        rows["layer"] = "the name that another tool uses"
    rows.iloc[::-1].iloc[:300].to_csv(tmp_path / "tsne.csv", index=False)
    presenter.open(tmp_path / "tsne.csv")
    calls.until(lambda: not presenter.running)
    assert told[-1].startswith('tsne.csv: 300 rows; found "t-SNE", and press Add this map.')
    assert ("its rows are taken as cells of" in told[-1]) == named
    labels = view.last("show_maps")[0]
    assert labels[:2] == ["t-SNE (from tsne.csv)", "UMAP (from the table)"]
    presenter.add()
    calls.until(lambda: not session.runs.running)
    result = session.runs.current.result
    assert result.embedding[:, 0].tolist() == list(range(13, 313))
    assert any(note.startswith("13 of 313 cells left out: no position in") for note in result.cells.notes)


def test_what_cannot_be_read_or_matched_is_said(presenter, session, there, calls, told, tmp_path):
    path = tmp_path / "umap.csv"
    for text, sentence in [("", "has no rows"), ("a,b\n1.5,2.5\n", "does not say which cell")]:
        path.write_text(text)
        presenter.open(path)
        calls.until(lambda: not presenter.running)
        assert sentence in told[-1] or "umap.csv" in told[-1]
    presenter.open(tmp_path / "absent.csv")
    calls.until(lambda: not presenter.running)
    assert told[-1].startswith("There is no file")
    # Rows that name no layer belong to none of several.
    two = pd.concat([there[0].features, there[0].features.rename(index={"cells": "others"}, level=0)])
    there[0] = CellTable(two)
    path.write_text("label,UMAP1,UMAP2\n1,0.5,0.25\n")
    presenter.open(path)
    calls.until(lambda: not presenter.running)
    assert 'add a column "layer"' in told[-1]
    there[0] = None
    presenter.open(path)
    assert told[-1].startswith("Open the cells first")
