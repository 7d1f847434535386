"""Counts of cells by class, image and condition, and how well images are mixed."""

from collections import Counter
from dataclasses import replace
from queue import SimpleQueue

import numpy as np
import pandas as pd
import pytest

from latentmap.presenters.counts import CLASS, LAYER, NOTHING, CountPresenter, as_grouping, session_counts
from latentmap.session import ColourBy, Session
from latentmap.session.counting import MOST_GROUPS
from latentmap.table import CellTable

TREATMENT = ColourBy("feature", "treatment")
N = 90


@pytest.fixture
def cells():
    """Three images that lie apart, with two treatments, unknown for a few cells."""
    rng = np.random.default_rng(0)
    layer = np.repeat(["a", "b", "c"], N // 3)
    treatment = np.array(["control", "drug"], dtype=object)[rng.integers(0, 2, N)]
    treatment[:3] = None
    values = rng.normal(size=(N, 3)) + 20 * ((layer == "c") - 1.0 * (layer == "b"))[:, None]
    rows = pd.DataFrame(values, columns=["x", "y", "z"]).assign(
        layer=layer, label=np.tile(np.arange(1, N // 3 + 1), 3), treatment=treatment, many=[f"n{i}" for i in range(N)]
    )
    return CellTable.read(rows.sample(frac=1, random_state=0), layer="a")


@pytest.fixture(autouse=True)
def parameters(session):
    session.parameters.features, session.parameters.n_neighbors = ("x", "y", "z"), 8


@pytest.fixture
def run(session, cells, calls):
    run = session.embed(cells)
    calls.until(lambda: not session.runs.running)
    session.classes.assign("B <cells>", run.numbers[:20])
    session.classes.assign("T", run.numbers[20:50])
    session.dropped.drop(run.numbers[[0, 25]])
    return run


@pytest.fixture
def counting(session, view, calls, told):
    presenter = CountPresenter(session, view, calls.put, told.append)
    yield presenter
    presenter.stop()


def literal(session, run):
    """The cells of each image, treatment and class, one by one."""
    found = Counter()
    for number, (key, row) in zip(run.numbers, run.result.cells.features.iterrows(), strict=True):
        if number not in session.dropped.numbers:
            name = session.classes.names_of(np.array([number]))[0] or "none"
            found[key[0], row["treatment"] if isinstance(row["treatment"], str) else "none", name] += 1
    return found


def test_counts_are_those_of_a_literal_count(session, run):
    table = session_counts(session, CLASS, [LAYER, TREATMENT]).table()
    expected = literal(session, run)
    assert list(table) == ["layer", "treatment", "class", "cells", "share"]
    assert table["cells"].sum() == N - 2
    for row in table.itertuples():
        assert row.cells == expected[row.layer, row.treatment, row[3]]
        whole = sum(n for key, n in expected.items() if key[:2] == (row.layer, row.treatment))
        assert row.share == pytest.approx(row.cells / whole)
    assert set(zip(table["layer"], table["treatment"], strict=True)) == {key[:2] for key in expected}
    by_image = session_counts(session).table()
    assert by_image["cells"].sum() == N - 2
    assert list(by_image["class"].unique()) == ["B <cells>", "T", "none"]


def test_they_are_shown_while_the_section_is_open_and_saved_as_csv(session, counting, view, cells, calls, tmp_path):
    counting.refresh()
    assert view.calls == []
    counting.open(True)
    assert view.last("show_counts") == ("There is no map yet: press Embed.", False)
    run = session.embed(cells)
    calls.until(lambda: not session.runs.running)
    session.classes.assign("B <cells>", run.numbers[:20])
    choices, *chosen = view.last("offer")
    # "many" has more values than can be counted.
    assert [name for name, _ in choices] == ["class", "image (layer)", "treatment"]
    assert chosen == [CLASS, LAYER, NOTHING]
    html, can_save = view.last("show_counts")
    assert can_save
    assert "B &lt;cells&gt;" in html
    assert f"bgcolor='{session.classes['B <cells>'].colour}'" in html
    counting.choose(CLASS, LAYER, TREATMENT)
    assert "a, control (" in view.last("show_counts")[0]
    assert counting.save(tmp_path / "counts.csv").startswith("Saved the counts")
    pd.testing.assert_frame_equal(
        pd.read_csv(tmp_path / "counts.csv", keep_default_na=False),
        session_counts(session, CLASS, [LAYER, TREATMENT]).table(),
        check_dtype=False,
    )
    counting.open(False)
    before = len(view.calls)
    session.classes.assign("T", run.numbers[20:50])
    assert len(view.calls) == before


def test_what_cannot_be_counted_is_said(session, run):
    with pytest.raises(ValueError, match=f'"many" has 88 different values, but at most {MOST_GROUPS}'):
        session_counts(session, as_grouping("many"))
    with pytest.raises(ValueError, match='no column "typo"'):
        session_counts(session, CLASS, [as_grouping("typo")])
    with pytest.raises(ValueError, match="no map yet"):
        session_counts(Session(SimpleQueue().put))


def test_the_mixing_of_images_is_said_in_a_sentence(session, run, counting, view, calls):
    counting.open(True)
    counting.measure_mixing()
    assert "neighbours …" in view.last("show_mixing")
    calls.until(lambda: not counting.running)
    said = view.last("show_mixing")
    assert said.startswith("Images lie apart on the map: of each cell's 15 nearest, ")
    assert "batch effect" in said
    counting.choose(CLASS, TREATMENT, NOTHING)
    counting.measure_mixing()
    calls.until(lambda: not counting.running)
    assert view.last("show_mixing").startswith('Values of "treatment" are well mixed on the map')
    session.dropped.drop(run.numbers[run.result.cells.features.index.get_level_values("layer") != "a"])
    counting.choose(CLASS, LAYER, NOTHING)
    counting.measure_mixing()
    assert view.last("show_mixing") == "All cells on the map are of one layer: there is nothing to mix."


def test_a_group_called_none_is_told_from_cells_without_a_group(session, cells, calls):
    features = cells.features.assign(treatment=cells.features["treatment"].replace("control", "none"))
    run = session.embed(replace(cells, features=features))
    calls.until(lambda: not session.runs.running)
    session.classes.assign("none", run.numbers[:20])
    by_class = session_counts(session).table().groupby("class")["cells"].sum()
    assert by_class.to_dict() == {"none": 20, "(none)": N - 20}
    by_treatment = session_counts(session, CLASS, [TREATMENT]).table().groupby("treatment")["cells"].sum()
    assert by_treatment["(none)"] == 3
    assert by_treatment["none"] == (features["treatment"] == "none").sum()


@pytest.mark.parametrize("name", ["cells", "share", "class"])
def test_a_column_named_like_one_of_the_table_stays_in_it(name, session, cells, calls):
    session.embed(replace(cells, features=cells.features.rename(columns={"treatment": name})))
    calls.until(lambda: not session.runs.running)
    table = session_counts(session, CLASS, [LAYER, ColourBy("feature", name)]).table()
    assert list(table.columns) == list(dict.fromkeys(table.columns))
    assert {"control", "drug", "none"} == set(table.iloc[:, 1])
    assert table["cells"].sum() == N


def test_landmarks_count_for_the_cells_that_they_stand_for(session, cells, calls):
    run = session.outline(cells)
    calls.until(lambda: not session.runs.running)
    assert len(run.numbers) < N / 2
    everyone = session.cell_index.numbers_of(cells.features.index)
    session.classes.assign("T", everyone[:40])
    session.dropped.drop(everyone[:4])
    table = session_counts(session).table()
    assert table["cells"].sum() == N - 4
    assert table["cells"][table["class"] == "T"].sum() == 36
    in_image = cells.features.index.get_level_values("layer")[4:].value_counts()
    assert table.groupby("layer")["cells"].sum().to_dict() == in_image.to_dict()
