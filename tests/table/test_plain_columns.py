"""Columns of odd types: a map is made, coloured and saved, and the session opens again with the same words."""

import datetime as dt
from decimal import Decimal
from pathlib import Path
from queue import SimpleQueue

import numpy as np
import pandas as pd
import pytest

from latentmap.session import ColourBy, Session, cell_colours, load, save
from latentmap.table import CellTable, MapTable, read_table, write_table
from latentmap.table.plain_columns import plain_columns

N = 24
AREA = np.random.default_rng(0).random(N)
ODD = {
    "cut": (pd.cut(AREA, [0, 0.5, 1]), ["(0.0, 0.5]", "(0.5, 1.0]"]),
    "period": (pd.period_range("2026-01", periods=N, freq="M"), ["2026-01"]),
    "time zone": (pd.date_range("2026-01-01", periods=N, tz="Europe/Berlin"), ["2026-01-01 00:00:00+01:00"]),
    "date": ([dt.date(2026, 1, 1)] * (N - 1) + [None], ["2026-01-01"]),
    "path": ([Path("a", "b")] * N, [str(Path("a", "b"))]),
    "complex": (AREA[0] * 1j + np.zeros(N), [str(AREA[0] * 1j)]),
    "mixed": ([1, "a", None, Decimal("2.5")] * (N // 4), ["1", "a", "2.5"]),
}


@pytest.mark.parametrize("name", ODD)
def test_they_are_words_and_all_can_be_saved(tmp_path, name):
    column, words = ODD[name]
    rows = pd.DataFrame({"label": np.arange(1, N + 1), "area": AREA, "DNA": AREA[::-1], name: column})
    cells = CellTable.read(rows, layer="cells")
    is_missing = pd.isna(pd.Series(column)).to_numpy()
    found = cells.features[name]
    assert (found.isna().to_numpy() == is_missing).all()
    assert set(words) <= set(found.dropna())
    assert all(isinstance(word, str) for word in found.dropna())
    calls = SimpleQueue()
    session = Session(calls.put)
    session.parameters.features, session.parameters.max_iter = ("area", "DNA"), 2
    run = session.embed(cells)
    while session.runs.running:
        calls.get()()
    assert cell_colours(ColourBy("feature", name), found.to_frame(), AREA, session.classes, run.numbers).names
    save(session, tmp_path / "kept.latentmap")
    again = Session(calls.put)
    load(tmp_path / "kept.latentmap").restore(again)
    pd.testing.assert_series_equal(next(iter(again.runs)).result.cells.features[name], found)
    for ending in ("csv", "parquet", "h5ad"):
        write_table(MapTable(cells.features.reset_index(), ("area", "DNA")), tmp_path / f"cells.{ending}")
        back = read_table(tmp_path / f"cells.{ending}", layer="cells").features[name]
        # A text has no missing words.
        assert back.astype(object).fillna("").astype(str).tolist() == found.astype(object).fillna("").tolist()


def test_decimals_and_numbers_of_arrow_and_sparse_ones_can_be_mapped():
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    numbers = [None, *range(1, N)]
    rows = pd.DataFrame({"label": np.arange(1, N + 1)})
    rows["dose"] = [None if one is None else Decimal(one) / 4 for one in numbers]
    rows["count"] = pd.array(numbers, dtype="int64[pyarrow]")
    rows["money"] = pd.array(rows["dose"], dtype=pd.ArrowDtype(__import__("pyarrow").decimal128(9, 2)))
    rows["spots"] = pd.arrays.SparseArray(np.arange(N) % 2)
    rows["kind"] = pd.array(["a", "b"] * (N // 2), dtype="string[pyarrow]").astype("category")
    cells = CellTable.read(rows, layer="cells")
    assert cells.mappable == ["dose", "count", "money", "spots"]
    known = pd.Series(numbers, dtype=float)
    for name, factor in (("dose", 4), ("money", 4), ("count", 1)):
        assert cells.features[name].dtype == float
        pd.testing.assert_series_equal(cells.features[name].reset_index(drop=True) * factor, known, check_names=False)
    assert cells.features["spots"].tolist() == (np.arange(N) % 2).tolist()
    assert cells.features["kind"].tolist() == ["a", "b"] * (N // 2)


def test_what_is_plain_is_not_copied():
    rows = pd.DataFrame(
        {"area": AREA, "n": pd.array([None, *range(1, N)], dtype="Int64"), "kind": ["a", None] * (N // 2)}
    )
    rows["mixed"] = [1, "a", None, 2.5] * (N // 4)
    assert plain_columns(rows) is rows


def test_categories_that_are_one_word_are_one_word():
    column = pd.Series(pd.Categorical([1, "1", dt.date(2026, 1, 1)], categories=[1, "1", dt.date(2026, 1, 1)]))
    assert plain_columns(pd.DataFrame({"kind": column}))["kind"].tolist() == ["1", "1", "2026-01-01"]
