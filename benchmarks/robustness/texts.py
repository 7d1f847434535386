"""Cases of tables: text as programs of all countries write it, and what is read of it; what we write and read back."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.robustness.outcomes import Lost
from latentmap.session import Parameters, iter_run
from latentmap.table import CellTable, MapTable, read_table, write_table

_NAMES = (
    "area",
    "mean DNA",
    "Fläche (µm²)",
    "CD3/CD28",
    "=1+1",
    "-2",
    "+x",
    "@sum",
    "<script>alert(1)</script>",
    'say "hi"',
    "a,b",
    "a;b",
    "a\tb",
    "two\nlines",
    "NA",
    "nan",
    "1e5",
    "007",
    "X",
    " spaced ",
    "x" * 300,
    "_index",
    "index ",
    "Label",
    "map_1",
    "variance",
    "class",
    "cell_name",
    "ѐ漢字🙂",
    "Unnamed: 3",
)
_WORDS = (
    "G1",
    "",
    "NA",
    "n/a",
    "None",
    "=cmd|'/c calc'!A0",
    "=HYPERLINK(1)",
    "@x",
    "+1",
    "-",
    "1,5",
    "1.5",
    "1e5",
    "007",
    "True",
    "<b>",
    'a"b',
    "a,b",
    "a;b",
    "two\nlines",
    " x ",
    "2020-01-01",
    "ünï",
    "#N/A",
    "inf",
)
_KINDS = (
    "floats",
    "floats",
    "whole numbers",
    "words",
    "mixed",
    "gaps",
    "constant",
    "empty",
    "large",
    "small",
    "infinite",
)
_LABELS = (
    "plain",
    "plain",
    "plain",
    "shuffled",
    "large",
    "float text",
    "repeated",
    "zero",
    "negative",
    "words",
    "missing",
)
_QUIRKS = (
    "blank lines",
    "trailing separators",
    "ragged row",
    "short row",
    "repeated name",
    "empty name",
    "row numbers",
    "declared separator",
    "no header",
    "comment",
    "nul",
    "no cells",
    "no last newline",
)


def draw_text(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a text table."""
    comma = rng.random() < 0.2
    return {
        "n": int(rng.choice([1, 2, 3, 5, 12, 40])),
        "columns": _columns(rng),
        "labels": str(rng.choice(_LABELS)),
        "separator": str(rng.choice([";", "\t"] if comma else [",", ",", ";", "\t"])),
        "decimal": "," if comma else ".",
        "encoding": str(rng.choice(["utf-8", "utf-8", "utf-8-sig", "utf-16", "cp1252"])),
        "newline": str(rng.choice(["\n", "\r\n", "\r"], p=[0.6, 0.35, 0.05])),
        "quoting": int(rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])),
        "quirks": [str(rng.choice(_QUIRKS))] if rng.random() < 0.4 else [],
        "ending": str(rng.choice([".csv", ".tsv", ".txt"])),
        "then": str(rng.choice(["nothing", "map"])),
    }


def draw_written(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a table that is written and read back."""
    return {
        "n": int(rng.choice([1, 2, 3, 5, 12])),
        "columns": _columns(rng),
        "labels": str(rng.choice(["plain", "shuffled", "large"])),
        "layers": [str(rng.choice(_WORDS)) or "x" for _ in range(int(rng.integers(1, 3)))],
        "ending": str(rng.choice([".csv", ".tsv", ".parquet", ".h5ad"])),
    }


def _columns(rng: np.random.Generator) -> list[list[str]]:
    names = rng.choice(len(_NAMES), size=int(rng.integers(0, 5)), replace=False)
    return [[_NAMES[at], str(rng.choice(_KINDS))] for at in names]


def values(kind: str, n: int, rng: np.random.Generator) -> list[Any]:
    """Return the values of a column."""
    match kind:
        case "whole numbers":
            return rng.integers(-1000, 1000, n).tolist()
        case "words":
            return [_WORDS[at] for at in rng.integers(len(_WORDS), size=n)]
        case "mixed":
            return [float(rng.normal()) if at % 2 else _WORDS[int(rng.integers(len(_WORDS)))] for at in range(n)]
        case "gaps":
            return [None if rng.random() < 0.4 else float(rng.normal()) for _ in range(n)]
        case "constant":
            return [1.25] * n
        case "empty":
            return [None] * n
        case "large":
            return (1e300 * rng.normal(size=n)).tolist()
        case "small":
            return (1e-300 * rng.normal(size=n)).tolist()
        case "infinite":
            return [float("inf") if rng.random() < 0.3 else float(rng.normal()) for _ in range(n)]
    return rng.normal(size=n).tolist()


def labels_of(kind: str, n: int, rng: np.random.Generator) -> list[str]:
    """Return labels as a program writes them."""
    numbers = list(range(1, n + 1))
    match kind:
        case "shuffled":
            return [str(one) for one in rng.permutation(numbers)]
        case "large":
            return [str(2**62 + one) for one in numbers]
        case "float text":
            return [f"{one}.0" for one in numbers]
        case "repeated":
            return [str((one + 1) // 2) for one in numbers]
        case "zero":
            return [str(one - 1) for one in numbers]
        case "negative":
            return [str(-one) for one in numbers]
        case "words":
            return [f"cell{one}" for one in numbers]
        case "missing":
            return ["" if one % 3 == 0 else str(one) for one in numbers]
    return [str(one) for one in numbers]


def perform_text(case: dict[str, Any], rng: np.random.Generator, folder: Path) -> list[str]:
    """Write a text as another program does, read it, and compare; return the sentences heard."""
    n, separator = case["n"], case["separator"]
    columns = {name: values(kind, n, rng) for name, kind in case["columns"]}
    labels = labels_of(case["labels"], n, rng)
    path = folder / f"cells{case['ending']}"
    path.write_bytes(_text(case, columns, labels, separator).encode(case["encoding"], "replace"))
    cells = read_table(path, layer="nuclei")
    said = list(cells.notes)
    if not {"row numbers", "empty name", *(["repeated name"] if columns else [])} & {*case["quirks"]}:
        if "short row" in case["quirks"] and not labels[-1]:
            columns, labels = {name: column[:-1] for name, column in columns.items()}, labels[:-1]
        columns, labels = _without_blank_rows(columns, labels)
    # A sentence says so where a whole column "Label" is taken rather than "label" with gaps.
    is_keyed_otherwise = any('in column "Label" say which cell' in sentence for sentence in said)
    is_plain = not case["quirks"] and case["encoding"] != "cp1252" and not is_keyed_otherwise
    if is_plain:
        compare(cells, columns, labels, said, exact=False)
    elif not {"no header", "comment", "no cells", "nul", "declared separator"} & {*case["quirks"]}:
        _count(cells, labels, said)
    if case["then"] == "map" and len(cells.mappable) and len(cells.features) > 3:
        said += _mapped(cells)
    return said


def _without_blank_rows(columns: dict[str, list[Any]], labels: list[str]) -> tuple[dict[str, list[Any]], list[str]]:
    """Columns and labels without the rows that have no word: these are no cells."""
    kept = [at for at, label in enumerate(labels) if label or any(_shown(one[at], ".") for one in columns.values())]
    return {name: [column[at] for at in kept] for name, column in columns.items()}, [labels[at] for at in kept]


def _text(case: dict[str, Any], columns: dict[str, list[Any]], labels: list[str], separator: str) -> str:
    quirks, text = case["quirks"], io.StringIO()
    writer = csv.writer(text, delimiter=separator, quoting=case["quoting"], lineterminator=case["newline"])
    names = ["label", *columns]
    if "repeated name" in quirks and len(names) > 1:
        names.append(names[-1])
    if "empty name" in quirks:
        names.append("")
    rows = [
        [label, *(_shown(column[at], case["decimal"]) for column in columns.values())]
        for at, label in enumerate(labels)
    ]
    for at, row in enumerate(rows):
        row += ["5"] * (len(names) - len(row))
        if "trailing separators" in quirks:
            row.append("")
        if "ragged row" in quirks and at == len(rows) - 1:
            row += ["9", "9"]
        if "short row" in quirks and at == len(rows) - 1:
            del row[1:]
    if "row numbers" in quirks:
        names, rows = ["", *names], [[str(at), *row] for at, row in enumerate(rows)]
    if "declared separator" in quirks:
        text.write(f"sep={separator}{case['newline']}")
    if "comment" in quirks:
        text.write(f"# written by a program{case['newline']}")
    if "no header" not in quirks:
        writer.writerow(names)
    if "no cells" not in quirks:
        for row in rows:
            writer.writerow(row)
            if "blank lines" in quirks:
                text.write(case["newline"])
    written = text.getvalue()
    if "nul" in quirks:
        written = written.replace("1", "\0", 1)
    return written.rstrip("\r\n") if "no last newline" in quirks else written


def _shown(value: Any, decimal: str) -> str:
    if value is None:
        return ""
    return repr(value).replace(".", decimal) if isinstance(value, float) else str(value)


def _count(cells: CellTable, labels: list[str], said: list[str]) -> None:
    if len(cells.features) != len(labels) and not said:
        raise Lost(f"{len(labels) - len(cells.features)} of {len(labels)} rows are missing, and no note says so")


def compare(cells: CellTable, columns: dict[str, list[Any]], labels: list[str], said: list[str], exact: bool) -> None:
    """Hold what was read against what was written."""
    _count(cells, labels, said)
    index = {str(label): at for at, label in enumerate(cells.features.index.get_level_values("label"))}
    where = [(at, index[key]) for at, label in enumerate(labels) if (key := label.removesuffix(".0")) in index]
    if len(where) != len(cells.features):
        raise Lost("cells have other labels than those written")
    for name, written in columns.items():
        key = next((one for one in (name, name.strip()) if one in cells.features), None)
        if key is None:
            if not said and any(value is not None and str(value).strip() not in _MISSING for value in written):
                raise Lost(f'column "{name}" is missing, and no note says so')
            continue
        found = cells.features[key].tolist()
        for at, row in where:
            if not _equal(written[at], found[row], exact) and not any(key in sentence for sentence in said):
                raise Lost(f'column "{name}": {written[at]!r} became {found[row]!r}')


def _equal(written: Any, found: Any, exact: bool) -> bool:
    if isinstance(found, str) and found == written:
        return True
    # In some columns a cell without a word has "".
    is_missing = found is None or found is pd.NA or found != found or (found == "" and not written)
    if (
        written is None
        or written != written
        or (isinstance(written, str) and not exact and written.strip() in _MISSING)
    ):
        return is_missing or found == written or (isinstance(found, str) and found.strip() == str(written).strip())
    if is_missing:
        return False
    if isinstance(written, str):
        return _words_equal(written, found, exact)
    try:
        # Some columns stay text, whatever is in them.
        return float(found.replace(",", ".") if isinstance(found, str) else found) == float(written)
    except ValueError:
        return False


def _words_equal(written: str, found: Any, exact: bool) -> bool:
    if str(found) == written:
        return True
    if exact:
        return False
    # Text has no types: what looks like a number is one.
    if isinstance(found, str):
        return found.strip() == written.strip().replace("\r\n", "\n")
    if isinstance(found, bool | np.bool_):
        return written == str(bool(found))
    try:
        return float(written.replace(",", ".")) == float(found)
    except ValueError:
        return False


# What text has for a missing value.
_MISSING = {"", "NA", "n/a", "None", "nan", "#N/A", "-"}


def _mapped(cells: CellTable) -> list[str]:
    """Make a map of what was read; each cell is on it, or counted among those left out."""
    parameters = Parameters(features=tuple(cells.mappable), max_iter=2, n_neighbors=5)
    result = None
    for step in _steps(cells, parameters):
        result = step
    if result is None:
        raise Lost("there is no map, and no sentence says why")
    if len(result.embedding) != len(cells.features) and len(result.cells.notes) == len(cells.notes):
        raise Lost(f"{len(cells.features) - len(result.embedding)} cells are not on the map, and no note says so")
    if not np.isfinite(result.embedding).all():
        raise Lost("cells have no position on the map")
    return list(result.cells.notes[len(cells.notes) :])


def _steps(cells: CellTable, parameters: Parameters) -> Any:
    result = yield from iter_run(cells, parameters)
    yield result


def perform_written(case: dict[str, Any], rng: np.random.Generator, folder: Path) -> list[str]:
    """Write a table of a map, read it, and compare; return the sentences heard."""
    n = case["n"]
    columns = {name: values(kind, n, rng) for name, kind in case["columns"]}
    labels = labels_of(case["labels"], n, rng)
    layers = [case["layers"][at % len(case["layers"])] for at in range(n)]
    rows = pd.DataFrame({"layer": layers, "frame": 0, "label": [int(label) for label in labels], **columns})
    features = [name for name, kind in case["columns"] if kind not in ("words", "mixed")]
    path = write_table(MapTable(rows, tuple(features), provenance={"seed": 0}), folder / f"map{case['ending']}")
    cells = read_table(path, layer="unused")
    found = cells.features.index.get_level_values("layer").tolist()
    if sorted(found) != sorted(layers):
        raise Lost(f"the layers {layers} became {found}")
    said = list(cells.notes)
    compare(cells, columns, labels, said, exact=case["ending"] in (".parquet", ".h5ad"))
    return said
