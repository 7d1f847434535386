"""``latentmap embed``: from a table to a map."""

import argparse
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from latentmap.cli.anndata_map import run_in_anndata
from latentmap.cli.making import make_map
from latentmap.cli.parameters import add_features, add_method, choose_features, method_in, parameters_from
from latentmap.cli.parser import add_keys, add_output
from latentmap.cli.tables import check_output, described_files, read_cells, refuse_to_replace
from latentmap.cli.talk import Talk
from latentmap.display.map_sentences import describe_map, describe_next_map
from latentmap.methods import METHODS
from latentmap.session import CellIndex, Classes, Dropped, Parameters, Result, map_table
from latentmap.table import CellTable, MapTable, atomic_file, preview, write_into, write_table
from latentmap.table.files.anndata_io import save
from latentmap.table.files.formats import is_anndata
from latentmap.table.files.reading import read_anndata
from latentmap.table.files.writing import path_of_record
from latentmap.table.map_table import CLASSES_FROM, as_json


def add_arguments(parser: argparse.ArgumentParser, words: list[str]) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "tables",
        nargs="+",
        type=Path,
        metavar="TABLE",
        help="tables of cells: .csv, .tsv, .txt, .dat (packed as .gz, too), .xlsx, .parquet, .h5ad or .h5 (10x "
        "Genomics), or the folder of an AnnData in zarr",
    )
    add_output(parser, what="the table with the map: .csv, .tsv, .parquet or .h5ad")
    parser.add_argument("--record", type=Path, metavar="FILE", help="write the record of how it was made as JSON too")
    parser.add_argument(
        "--classes", metavar="COLUMN", help="the column of classes that a method such as siamese learns from"
    )
    group = parser.add_argument_group("in an AnnData, as scanpy's tools do it (see docs/scverse.md)")
    group.add_argument("--use-rep", metavar="KEY", help="make the map of obsm[KEY], such as X_pca, or of X")
    group.add_argument("--neighbors-key", metavar="KEY", help="take up the neighbours in uns[KEY], such as neighbors")
    add_keys(parser)
    add_features(parser)
    add_method(parser, method_in(words))


def run(options: argparse.Namespace, talk: Talk) -> int:
    """Run the command."""
    check_output(options.output, options, options.tables)
    if options.record is not None:
        refuse_to_replace(options.record, options, options.tables)
        if options.record.resolve() in (options.output.resolve(), path_of_record(options.output).resolve()):
            raise ValueError(f'"{options.record}" is written with the map: give --record another name.')
    parameters = parameters_from(options)
    if options.use_rep or options.neighbors_key:
        return run_in_anndata(options, parameters, talk)
    table = read_cells(options.tables, options)
    choose_features(parameters, table, options)
    talk.say(describe_next_map(preview(table, parameters.features, parameters.preparation), parameters))
    result = make_map(table, parameters, talk, classes=_classes(table, options, parameters))
    more = {CLASSES_FROM: options.classes, "features_from": options.features_from}
    saved = with_record(result, {"files": described_files(options.tables), **more})
    notes = _write(saved, options, table)
    if options.record is not None:
        write_record(saved.provenance, options.record)
    sentence = " ".join([describe_map(result), *notes])
    talk.say(f"{sentence}\nSaved: {options.output}")
    talk.give(
        {
            "output": str(options.output),
            "n_cells": len(result.embedding),
            "n_left_out": len(table.features) - len(result.embedding),
            "sentence": sentence,
            "record": saved.provenance,
        }
    )
    return 0


def with_record(result: Result, more: Mapping[str, Any]) -> MapTable:
    """Return the table of a map to be saved, with a record that has more than the session's."""
    cells = CellIndex()
    saved = map_table(result, Classes(cells), cells, Dropped(cells))
    return replace(saved, provenance={**saved.provenance, **more})


def write_record(record: Mapping[str, Any], path: Path) -> None:
    """Write a record as a JSON file."""
    with atomic_file(path) as unfinished:
        unfinished.write_text(as_json(record, indent=2), encoding="utf-8")


def _write(saved: MapTable, options: argparse.Namespace, table: CellTable) -> tuple[str, ...]:
    """Write the map; from one AnnData to another, with all that the first has."""
    if len(options.tables) == 1 and is_anndata(options.tables[0]) and is_anndata(options.output):
        adata = read_anndata(options.tables[0])
        layer = str(table.features.index[0][0])
        columns = {part: name for part in ("label", "frame", "layer") if (name := getattr(options, part))}
        if "label" not in columns and len(table.features) == adata.n_obs and not {"label"} & {*adata.obs}:
            # The rows as they were numbered.
            adata.obs["label"] = table.features.index.get_level_values("label").to_numpy()
        notes = write_into(adata, saved, layer=layer, columns=columns)
        save(adata, options.output)
        return notes
    write_table(saved, options.output)
    return ()


def _classes(table: CellTable, options: argparse.Namespace, parameters: Parameters) -> Any:
    """The column of classes, if the method learns from classes."""
    if options.classes is None:
        return None
    if METHODS[parameters.method].learns_from != "classes":
        raise ValueError(f'"{parameters.method}" does not learn from classes: leave --classes out, or use siamese.')
    if options.classes not in table.features:
        raise ValueError(f'The table has no column "{options.classes}".')
    return table.features[options.classes].astype(object).fillna("").astype(str)
