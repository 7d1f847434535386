"""Cases of Excel workbooks: sheets as laboratories and programs leave them, and what is read of them."""

from __future__ import annotations

import datetime
import re
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.robustness.outcomes import Lost
from benchmarks.robustness.texts import compare, labels_of
from latentmap.table import read_table

_STORED = (
    "numbers",
    "numbers",
    "whole numbers",
    "gaps",
    "text",
    "comma text",
    "thousands",
    "spaced",
    "percent text",
    "long minus",
    "with a unit",
    "words",
    "mixed",
    "booleans",
    "errors",
    "formulas",
    "formulas never calculated",
    "dates",
    "times",
    "durations",
    "merged",
    "empty",
    "digits",
    "rich text",
)
_TEXTS = ("text", "comma text", "thousands", "spaced", "long minus")
# Some look like dates to a program that does not read what stands in quotes, brackets or behind a backslash.
_FORMATS = (
    "General",
    "0.00%",
    "#,##0.00",
    '0.00" days"',
    "[Red]0.00;[Blue]-0.00",
    r"0.0\ \m\m",
    "[$-407]0.00",
    '_-* #,##0.00 "€"_-',
    "0.00E+00",
    "# ?/?",
    '"Mean: "0.0',
    "@",
    "0.0_h",
    "[$USD] #,##0.00",
    r"0.00\ \d",
    "[Cyan]0.00",
)
_NAMES = ("area", "mean DNA", "Fläche (µm²)", "a\nb", "2024", "CD3", "class", "well", " padded ", "X", "=1+1", "%")
_LABELS = ("plain", "plain", "plain", "shuffled", "float text", "large", "zero", "repeated", "missing")
_QUIRKS = (
    "title above",
    "two titles above",
    "margin",
    "empty first sheet",
    "hidden first sheet",
    "second sheet",
    "chart sheet",
    "hidden row",
    "hidden column",
    "table object",
    "very wide",
    "formats below",
    "repeated name",
    "empty row",
    "no cell references",
    "false dimension",
    "frozen panes",
    "comments",
    "1904",
)


def draw(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a workbook."""
    names = rng.choice(len(_NAMES), size=int(rng.integers(0, 5)), replace=False)
    return {
        "n": int(rng.choice([1, 2, 3, 5, 12, 40])),
        "columns": [[_NAMES[at], str(rng.choice(_STORED)), str(rng.choice(_FORMATS))] for at in names],
        "labels": str(rng.choice(_LABELS)),
        "quirks": [str(rng.choice(_QUIRKS)) for _ in range(int(rng.choice([0, 1, 1, 2])))],
    }


def perform(case: dict[str, Any], rng: np.random.Generator, folder: Path) -> list[str]:
    """Write a workbook, read it, and compare; return the sentences heard."""
    labels = labels_of(case["labels"], case["n"], rng)
    kinds = {name: kind for name, kind, _ in case["columns"]}
    stored = {name: _stored(kind, case["n"], rng) for name, kind, _ in case["columns"]}
    path = folder / "cells.xlsx"
    _write(path, case, labels, {name: cells for name, (cells, _) in stored.items()})
    cells = read_table(path, layer="nuclei")
    said = list(cells.notes)
    # Classes stay text, however much they look like numbers.
    meant = {
        name: cells if name == "class" and kinds[name] in _TEXTS else truth for name, (cells, truth) in stored.items()
    }
    rows = [at for at, label in enumerate(labels) if label or any(one[at] is not None for one in meant.values())]
    meant = {" ".join(name.split()) if name.split() else name: truth for name, truth in meant.items()}
    meant = {name: [truth[at] for at in rows] for name, truth in meant.items()}
    compare(cells, _named_as_read(cells, meant), [labels[at] for at in rows], said, exact=False)
    _check_words(case, said)
    return said


def _named_as_read(cells: Any, meant: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """The columns under the names that they were read by, as far as only blanks differ."""
    read = {" ".join(str(name).split()): str(name) for name in cells.features}
    return {read.get(name, name): truth for name, truth in meant.items()}


def _check_words(case: dict[str, Any], said: list[str]) -> None:
    """What cannot be told from the numbers must be told in words."""
    kinds = {kind for _, kind, _ in case["columns"]}
    if "formulas never calculated" in kinds and not any("formula" in sentence for sentence in said):
        raise Lost(f"formulas without a result were taken as gaps, and no note says so: {said}")
    if "hidden row" in case["quirks"] and case["n"] > 1 and not any("hidden" in sentence for sentence in said):
        raise Lost(f"a hidden row was read, and no note says so: {said}")


def _stored(kind: str, n: int, rng: np.random.Generator) -> tuple[list[Any], list[Any]]:
    """The cells of a column as the workbook has them, and what they mean."""
    numbers = [round(float(one), 4) for one in rng.normal(size=n)]
    whole = rng.integers(1, 1000, n).tolist()
    words = [["G1", "S", "G2/M"][at] for at in rng.integers(3, size=n)]
    gaps: list[Any] = [None if at % 3 == 1 else one for at, one in enumerate(numbers)]
    start = datetime.datetime(2024, 3, 1, 12, 30)
    match kind:
        case "whole numbers":
            return whole, whole
        case "gaps":
            return gaps, gaps
        case "text":
            return [str(one) for one in numbers], numbers
        case "comma text":
            return [str(one).replace(".", ",") for one in numbers], numbers
        case "thousands":
            large = [round(1000 + one, 4) for one in numbers]
            return [f"{one:,.4f}".replace(",", "'") for one in large], large
        case "spaced":
            return [f"\u00a0{one} " for one in numbers], numbers
        case "percent text" | "with a unit":
            said = [f"{one}{'%' if kind == 'percent text' else ' µm'}" for one in numbers]
            return said, said
        case "long minus":
            return [str(one).replace("-", "\u2212") for one in numbers], numbers
        case "words" | "rich text":
            return words, words
        case "mixed":
            mixed = [word if at % 2 else number for at, (word, number) in enumerate(zip(words, numbers, strict=True))]
            return mixed, mixed
        case "booleans":
            flags = [at % 2 == 0 for at in range(n)]
            # Some columns stay text, whatever is in them.
            return flags, [str(one) for one in flags]
        case "errors":
            errors = ("#N/A", "#DIV/0!", "#VALUE!", "#NUM!", "#REF!", "#NAME?", "#NULL!")
            return [errors[at % 7] if gap is None else gap for at, gap in enumerate(gaps)], gaps
        case "formulas" | "formulas never calculated":
            formulas = [f"={'1' if kind == 'formulas' else '2'}*{one}" for one in numbers]
            return formulas, numbers if kind == "formulas" else [None] * n
        case "dates":
            days = [start + datetime.timedelta(days=at) for at in range(n)]
            return days, [day.isoformat() for day in days]
        case "times":
            times = [datetime.time(8, at % 60) for at in range(n)]
            return times, [time.isoformat() for time in times]
        case "durations":
            spans = [datetime.timedelta(hours=at + 1, minutes=5) for at in range(n)]
            return spans, [str(span) for span in spans]
        case "merged":
            groups = [f"plate {at // 2}" for at in range(n)]
            return [group if at % 2 == 0 else None for at, group in enumerate(groups)], groups
        case "empty":
            return [None] * n, [None] * n
        case "digits":
            return [f"{one:05}" for one in whole], [f"{one:05}" for one in whole]
    return numbers, numbers


def _write(path: Path, case: dict[str, Any], labels: list[str], columns: dict[str, list[Any]]) -> None:
    import openpyxl

    quirks = case["quirks"]
    book = openpyxl.Workbook()
    if "1904" in quirks:
        book.epoch = openpyxl.utils.datetime.MAC_EPOCH
    sheet = book.active
    sheet.title = "Cells"
    top, left = _rows_above(sheet, quirks), 3 if "margin" in quirks else 1
    names = ["label", *columns]
    values: list[list[Any]] = [[_label(one) for one in labels], *columns.values()]
    kinds = [["", "", "General"], *case["columns"]]
    if "repeated name" in quirks:
        names, values, kinds = [*names, names[-1]], [*values, values[-1]], [*kinds, kinds[-1]]
    if "very wide" in quirks:
        names += [f"gene {at}" for at in range(300)]
        values += [[0.5] * len(labels)] * 300
        kinds += [["", "", "General"]] * 300
    for place, (name, cells, (_, kind, number_format)) in enumerate(zip(names, values, kinds, strict=True)):
        sheet.cell(top, left + place, name).data_type = "s"
        for at, value in enumerate(cells):
            _fill(sheet.cell(_row(top, at, quirks, len(labels)), left + place), value, kind, number_format)
        if kind == "merged":
            _merge(sheet, top, left + place, len(labels), quirks)
    _dress(book, sheet, quirks, top, left, len(labels), len(names))
    book.save(path)
    _rewrite(path, quirks)


def _row(top: int, at: int, quirks: list[str], n: int) -> int:
    """The row of a cell: one in the middle may be empty."""
    return top + 1 + at + ("empty row" in quirks and at >= n // 2 > 0)


def _rows_above(sheet: Any, quirks: list[str]) -> int:
    """Write what stands above the table; return the row of the names."""
    if "two titles above" in quirks:
        sheet["A1"], sheet["A2"] = "Experiment 7", "Plate 3"
        return 4
    if "title above" in quirks:
        sheet["A1"] = "Experiment 7"
        return 2
    return 1


def _label(text: str) -> Any:
    try:
        # A workbook has no numbers beyond 2**53, so programs write them as text.
        return text if len(text) > 15 or "." in text or not text else int(text)
    except ValueError:
        return text


def _fill(cell: Any, value: Any, kind: str, number_format: str) -> None:
    from openpyxl.cell.rich_text import CellRichText, TextBlock
    from openpyxl.cell.text import InlineFont

    if kind == "rich text":
        cell.value = CellRichText(value[:1], TextBlock(InlineFont(b=True), value[1:]))
        return
    cell.value = value
    if isinstance(value, float | int) and not isinstance(value, bool):
        cell.number_format = number_format
    elif isinstance(value, str) and value.startswith("=") and not kind.startswith("formulas"):
        cell.data_type = "s"


def _merge(sheet: Any, top: int, column: int, n: int, quirks: list[str]) -> None:
    for at in range(0, n - 1, 2):
        first, last = (_row(top, one, quirks, n) for one in (at, at + 1))
        sheet.merge_cells(start_row=first, end_row=last, start_column=column, end_column=column)


def _dress(book: Any, sheet: Any, quirks: list[str], top: int, left: int, n: int, n_columns: int) -> None:
    """Add what is no cell of the table."""
    from openpyxl.chart import BarChart, Reference
    from openpyxl.comments import Comment
    from openpyxl.utils import get_column_letter
    from openpyxl.worksheet.table import Table

    last = f"{get_column_letter(left + n_columns - 1)}{_row(top, n - 1, quirks, n)}"
    for quirk in dict.fromkeys(quirks):
        match quirk:
            case "empty first sheet":
                book.create_sheet("Sheet0", 0)
            case "hidden first sheet":
                hidden = book.create_sheet("Lists", 0)
                hidden.append(["G1", "S"])
                hidden.sheet_state = "veryHidden"
                book.active = 1
            case "second sheet":
                book.create_sheet("Summary").append(["Mean", 3])
            case "chart sheet":
                chart = BarChart()
                chart.add_data(Reference(sheet, min_col=left, min_row=top, max_row=top + n))
                book.create_chartsheet("Chart", 0).add_chart(chart)
            case "hidden row" if n > 1:
                sheet.row_dimensions[top + 1].hidden = True
            case "hidden column":
                sheet.column_dimensions[get_column_letter(left)].hidden = True
            case "table object" if "repeated name" not in quirks:
                sheet.add_table(Table(displayName="Cells", ref=f"{get_column_letter(left)}{top}:{last}"))
            case "formats below":
                sheet.cell(top + n + 50, left + n_columns + 5).number_format = "0.00"
            case "frozen panes":
                sheet.freeze_panes = "B2"
            case "comments":
                sheet.cell(top + 1, left).comment = Comment("checked", "a colleague")


def _rewrite(path: Path, quirks: list[str]) -> None:
    """Change what openpyxl always writes alike: formulas get their results, and other programs leave out more."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    for name, data in parts.items():
        if not name.startswith("xl/worksheets/sheet"):
            continue
        text = re.sub(r"(<f>1\*([^<]*)</f>)<v\s*/?>(</v>)?", r"\1<v>\2</v>", data.decode())
        if "no cell references" in quirks and "<mergeCell" not in text and "<f>2" not in text:
            text = _without_references(text)
        if "false dimension" in quirks:
            text = re.sub(r'<dimension ref="[^"]*"', '<dimension ref="A1"', text)
        parts[name] = text.encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)


def _without_references(text: str) -> str:
    """A sheet whose rows and cells do not say where they are, if none is left out before another."""
    full = all(
        [*re.findall(r'<c r="([A-Z]+)\d+"', row)][:1] in ([], ["A"])
        and len(re.findall(r"<c ", row)) == text.split("</row>")[0].count("<c ")
        for row in re.findall(r"<row .*?</row>", text, re.DOTALL)
    )
    rows = [int(one) for one in re.findall(r'<row r="(\d+)"', text)]
    return re.sub(r'<(row|c) r="[^"]*"', r"<\1", text) if full and rows == list(range(1, len(rows) + 1)) else text
