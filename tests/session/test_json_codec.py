"""Dataclasses as JSON and back: what is of another shape or type than it should be is refused."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any, Literal, NamedTuple
from zipfile import ZipFile

import numpy as np
import pytest

from latentmap.session.array_store import ArrayStore, Damaged
from latentmap.session.json_codec import decode, encode


class Step(NamedTuple):
    name: str
    n: int = 1


@dataclass(frozen=True)
class Record:
    mode: Literal["add", "remove"]
    size: float
    pair: tuple[int, str]
    steps: tuple[Step, ...]
    values: np.ndarray
    scale: float | str
    parent: str | None = None
    notes: Mapping[str, int] = field(default_factory=dict)


RECORD = Record("add", 2.5, (3, "x"), (Step("first"), Step("second", 2)), np.arange(3), "auto", None, {"cells": 4})


@pytest.fixture
def store():
    with ZipFile(BytesIO(), "w") as archive:
        yield ArrayStore(archive)


@pytest.fixture
def plain(store):
    return encode(Record, RECORD, store)


def test_a_record_comes_back(plain, store):
    found = decode(Record, plain, store)
    np.testing.assert_array_equal(found.values, RECORD.values)
    assert {name: getattr(found, name) for name in Record.__dataclass_fields__ if name != "values"} == {
        name: getattr(RECORD, name) for name in Record.__dataclass_fields__ if name != "values"
    }


def test_what_has_a_default_may_be_missing(plain, store):
    for name in ("parent", "notes"):
        del plain[name]
    del plain["steps"][0]["n"]
    found = decode(Record, plain, store)
    assert (found.parent, found.notes, found.steps[0]) == (None, {}, Step("first", 1))


@pytest.mark.parametrize("name", ["mode", "size", "pair", "steps", "values", "scale"])
def test_what_has_no_default_must_be_there(plain, store, name):
    del plain[name]
    with pytest.raises(Damaged, match=f"Record has the wrong fields: {name}$"):
        decode(Record, plain, store)


@pytest.mark.parametrize(("where", "kind"), [((), "Record"), (("steps", 1), "Step")])
def test_an_unknown_field_is_named(plain, store, where, kind):
    inner: Any = plain
    for part in where:
        inner = inner[part]
    inner["extra"] = 1
    with pytest.raises(Damaged, match=f"{kind} has the wrong fields: extra$"):
        decode(Record, plain, store)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("mode", "replace"),
        ("size", "2.5"),
        ("size", True),
        ("size", None),
        ("pair", [3]),
        ("pair", [3, "x", 4]),
        ("pair", ["x", 3]),
        ("pair", [True, "x"]),
        ("pair", {"0": 3, "1": "x"}),
        ("steps", "first"),
        ("steps", [["first", 1]]),
        ("values", [0, 1, 2]),
        ("values", "no such array"),
        ("scale", None),
        ("scale", [1.0]),
        ("parent", 3),
        ("notes", {"cells": 1.5}),
        ("notes", [["cells", 4]]),
    ],
)
def test_a_value_of_another_type_is_refused(plain, store, name, value):
    with pytest.raises(Damaged):
        decode(Record, {**plain, name: value}, store)


def test_what_cannot_be_read_again_is_not_written(store):
    with pytest.raises(ValueError, match="A session file cannot hold"):
        encode(dict[str, object], {"cells": {1, 2}}, store)
    with pytest.raises(Damaged):
        encode(float, True, store)


def test_a_whole_number_passes_as_a_float(store):
    assert decode(float, 2, store) == 2
    assert decode(Record, {**encode(Record, RECORD, store), "size": 3}, store).size == 3
