"""``latentmap transform``: new cells on a map that was saved."""

import argparse
from dataclasses import asdict
from pathlib import Path

from latentmap.cli.parser import add_keys, add_output
from latentmap.cli.saved_maps import SESSION, features_from, parameters_of_run, read_run
from latentmap.cli.tables import check_output, described_files, read_cells
from latentmap.cli.talk import Talk
from latentmap.display.progress_text import ProgressText
from latentmap.model.data_warnings import collect_warnings
from latentmap.session import place
from latentmap.session.wording import counted
from latentmap.table import MapTable, read_provenance, write_table
from latentmap.table.libraries import machine, versions


def add_arguments(parser: argparse.ArgumentParser, words: list[str]) -> None:
    """Add the arguments of the command."""
    parser.add_argument("map", type=Path, metavar="MAP", help=f"a table that embed has saved, or a {SESSION} session")
    parser.add_argument("tables", nargs="+", type=Path, metavar="TABLE", help="tables of the new cells")
    add_output(parser, what="the new cells with their places: .csv, .tsv, .parquet or .h5ad")
    parser.add_argument("--run", dest="run_name", metavar="NAME", help="which map of a session")
    add_keys(parser)


def run(options: argparse.Namespace, talk: Talk) -> int:
    """Run the command."""
    check_output(options.output, options, [options.map, *options.tables])
    made = read_run(options.map, options.run_name)
    options.features_from = "" if options.map.suffix == SESSION else features_from(read_provenance(options.map))
    table = read_cells(options.tables, options)
    talk.progress(ProgressText(0, 0, "placing the cells on the map"), "placing the cells on the map")
    heard: list[str] = []
    with collect_warnings(heard):
        placed = place(made, table)
    columns = [str(name) for name in placed.features]
    taken = [name for name in columns if name in table.features]
    rows = table.features.drop(columns=taken).loc[placed.features.index].join(placed.features)
    parameters, notes = parameters_of_run(made), [*placed.notes, *heard]
    axes = tuple(name for name in columns if name.startswith("map_"))
    record = {
        "versions": versions(),
        "machine": machine(),
        "placed_on": described_files([options.map])[0],
        "files": described_files(options.tables),
        "features": list(parameters.features),
        "preparation": asdict(parameters.preparation),
        "placed_by": parameters.method,
        "n_cells": len(rows),
        "notes": notes,
    }
    added = tuple(name for name in columns if name not in axes)
    write_table(MapTable(rows.reset_index(), parameters.features, axes, added, record), options.output)
    talk.say(" ".join([f"{counted(len(rows), 'cell')} placed on the map.", *notes]))
    talk.say(f"Saved: {options.output}")
    talk.give(
        {
            "output": str(options.output),
            "n_cells": len(rows),
            "n_left_out": len(table.features) - len(rows),
            "notes": notes,
        }
    )
    return 0
