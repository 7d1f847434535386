"""The page of the pictures, made from the maps and from what was measured of them, and from nothing else."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np

from benchmarks.drawing import STYLE
from benchmarks.markdown import table, whole
from benchmarks.peers import data_sets
from benchmarks.peers.data_sets import DATA_SETS
from benchmarks.peers.methods import METHODS
from benchmarks.peers.present import is_present, of_one_setting
from benchmarks.peers.records import Record, Records
from benchmarks.pictures.maps import TITLES, file_of
from benchmarks.pictures.panels import Colors, draw, in_words

_HEAD = """\
# Pictures of maps, side by side

```sh
uv run --group benchmarks --group peers python -m benchmarks.pictures run     # or: page
```

makes a map of each table by each method, draws them, and writes this page from what it finds and from nothing else.
[The page beside the peers](benchmarks.md) says what the tables are, and measures more maps of each.

- Nothing is chosen: one map by each method, ours with the seed 0, the peers at their defaults and without a seed.
- Each map is drawn whole, in a square frame, with one scale along both axes: rows flung far out make all others small,
  as they would in anyone's plot. The same colour is the same class in all frames; tables without classes are coloured
  by the rank of each row along the first principal component. Directions on a map mean nothing.
- **Frame filled**: the area of the box that holds the inner 95 % of the rows along each axis, over that of the box of
  all rows. **9-NN error**: of classes told by the 9 nearest neighbours on the map. **Classes in one piece**: the share
  of a class that lies in the largest of its pieces, the clusters that DBSCAN finds in this class alone; a mean over the
  classes of 30 rows or more. A class of cells may truly have several pieces. Where there are no classes, **groups
  found** are the clusters of 30 rows or more that HDBSCAN finds on the map, though there are none in the table, and
  **strays** the rows in none of them: all rows, where it finds no groups.
""".splitlines()
# Names in the records, titles, what they are multiplied by, and digits.
_COLUMNS = [
    ("fill", "frame filled, %", 100, 1),
    ("error_9", "9-NN error, %", 100, 2),
    ("pieces", "classes in one piece, %", 100, 1),
    ("groups", "groups found", 1, 0),
    ("strays", "strays, %", 100, 1),
]


def page(folder: Path) -> str:
    """Return the page."""
    records = _measured(folder)
    lines = [*_HEAD, "", *_made_with(records)]
    for name in DATA_SETS:
        if records.where(data=name):
            lines += _section(name, {record["method"]: record for record in records.largest(name)})
    return "\n".join(lines).rstrip() + "\n"


def write_page(folder: Path) -> None:
    """Write pictures.md and, where the maps are still kept, its pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    records = _measured(folder)
    with mpl.rc_context(STYLE):
        for name in DATA_SETS:
            _draw(name, {record["method"]: record for record in records.largest(name)}, _image(folder, name))
    (folder / "pictures.md").write_text(page(folder))


def _measured(folder: Path) -> Records:
    """Return what was measured of each method with its present settings, or else with those that it had last."""
    records = Records(folder / "benchmarks" / "pictures.json")
    records.all = [one for one in records.all if one["method"] in TITLES]
    records.all = of_one_setting(records.all)
    return records


def _image(folder: Path, name: str) -> Path:
    return folder / "images" / f"pictures-{name}.png"


def _draw(name: str, records: dict[str, Record], path: Path) -> None:
    """Draw a picture if all of its maps are kept, and remove one of which nothing is known any more."""
    if not records:
        path.unlink(missing_ok=True)
    elif all(file_of(record).is_file() for record in records.values()):
        data = data_sets.read(name, next(iter(records.values()))["rows"])
        draw({method: np.load(file_of(record)) for method, record in records.items()}, records, Colors.of(data), path)


def _made_with(records: Records) -> list[str]:
    if not records.all:
        return ["Nothing was measured yet.", ""]
    used = {(name, number) for record in records.all for name, number in record["versions"].items()}
    used |= {(METHODS[record["method"]].package, record["version"]) for record in records.all}
    calls = {record["method"]: record["call"] for record in records.all}
    lines = ["Versions: " + ", ".join(f"{name} {number}" for name, number in sorted(used)) + "."]
    if len(codes := {record["code"] for record in records.all} - {""}) > 1:
        lines += [f"**Our maps were made by {len(codes)} different states of the code.**"]
    old = {record["method"] for record in records.all if not is_present(record)}
    if old:
        named = ", ".join(title for name, title in TITLES.items() if name in old)
        lines += [f"**Made with settings that are no longer the present ones, and to be made again: {named}.**"]
    return [
        *lines,
        "",
        *table(["map", "as called"], [(TITLES[name], f"`{calls[name]}`") for name in TITLES if name in calls]),
    ]


def _section(name: str, records: dict[str, Record]) -> list[str]:
    known = {method: records[method] for method in TITLES if method in records}
    first = next(iter(known.values()))
    columns = [column for column in _COLUMNS if any(column[0] in record["quality"] for record in known.values())]
    rows = [
        [TITLES[method], *(f"{scale * record['quality'][of]:.{digits}f}" for of, _, scale, digits in columns)]
        for method, record in known.items()
    ]
    lines = [f'<a id="{name}"></a>', "", f"## {name}: {DATA_SETS[name].title}", ""]
    lines += [f"{whole(first['rows'])} rows, {first['columns']} columns.", ""]
    lines += [f"![{_alternative(name, known)}](images/pictures-{name}.png)", ""]
    lines += table(["map", *(title for _, title, _, _ in columns)], rows)
    if missing := [TITLES[method] for method in TITLES if method not in known]:
        lines += [f"No map was made by {', '.join(missing)}.", ""]
    return lines


def _alternative(name: str, records: dict[str, Record]) -> str:
    """Return what a picture shows, for those who do not see it."""
    is_continuum = any("groups" in record["quality"] for record in records.values())
    by = "the first principal component" if is_continuum else "class"
    told = "; ".join(f"{TITLES[method]} {in_words(record['quality'])}" for method, record in records.items())
    return f"Maps of {name}, whole and in equal frames, coloured by {by}. Of its frame, {told}"
