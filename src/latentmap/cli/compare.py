"""``latentmap compare``: several maps of one table side by side."""

import argparse
import shlex
import time
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from latentmap.cli.making import make_map
from latentmap.cli.parameters import add_features, choose_features, parameters_from, value_reader
from latentmap.cli.parser import add_keys
from latentmap.cli.quality import looked_at, measures, metric_of, parameters_fields
from latentmap.cli.tables import read_cells, refuse_to_replace
from latentmap.cli.talk import Talk, table_text
from latentmap.methods import DEFAULT, METHODS
from latentmap.session import Parameters
from latentmap.session.wording import three_digits
from latentmap.table import Preparation, prepare
from latentmap.table.files.writing import write_csv


def add_arguments(parser: argparse.ArgumentParser, words: list[str]) -> None:
    """Add the arguments of the command."""
    parser.add_argument("tables", nargs="+", type=Path, metavar="TABLE", help="tables of cells")
    parser.add_argument(
        "--run",
        action="append",
        default=[],
        dest="runs",
        metavar="WORDS",
        help='a method and its parameters, such as "lvm n_neighbors=30 preset=detail"; several times '
        f"(default: the presets of {DEFAULT})",
    )
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write the comparison as .csv too")
    parser.add_argument("--force", action="store_true", help="replace the file if there is one already")
    add_keys(parser)
    add_features(parser)


def run(options: argparse.Namespace, talk: Talk) -> int:
    """Run the command."""
    if options.output is not None:
        if options.output.suffix.lower() != ".csv":
            raise ValueError(f'"{options.output.name}": a comparison is saved as .csv.')
        refuse_to_replace(options.output, options, options.tables)
    asked = options.runs or [f"{DEFAULT} preset={name}" for name in METHODS[DEFAULT].presets]
    all_parameters = [parameters_of_words(words) for words in asked]  # all are read before the first map is made
    table = read_cells(options.tables, options)
    options.method, options.preset = DEFAULT, None
    for name in parameters_fields():
        setattr(options, name, None)
    usual = parameters_from(options)
    choose_features(usual, table, options)
    rows = []
    for words, parameters in zip(asked, all_parameters, strict=True):
        parameters.features = usual.features
        for part in fields(Preparation):
            setattr(parameters, part.name, getattr(usual, part.name))
        rows.append(_row(words, parameters, table, talk))
    talk.say(table_text([{name: _shown(value) for name, value in row.items()} for row in rows]))
    talk.say(f"Measured on {looked_at(max(row['cells'] for row in rows))}.")
    talk.say("Each number is of one run: differences as small as those between two seeds mean nothing.")
    if options.output is not None:
        import pandas as pd

        write_csv(pd.DataFrame(rows), options.output)
    talk.give({"features": list(usual.features), "runs": rows})
    return 0


def parameters_of_words(words: str) -> Parameters:
    """Read a method and its parameters.

    Raises
    ------
    ValueError
        If there is no such method or parameter, or its value is none.

    Examples
    --------
    >>> parameters_of_words("lvm n_neighbors=30").n_neighbors
    30
    """
    name, *parts = shlex.split(words) or [""]
    parameters = Parameters(method=name)
    method = METHODS[name]
    for part in parts:
        parameter, _, word = part.partition("=")
        parameter = parameter.lstrip("-").replace("-", "_")
        if parameter == "preset" and word in method.presets:
            parameters.take(word)
        elif parameter in method.fields and word:
            try:
                value = value_reader(method.fields[parameter], method.defaults[parameter])(word)
            except argparse.ArgumentTypeError as error:
                raise ValueError(f'In "{words}", {parameter} is {error}.') from None
            parameters.set_of_method(parameter, value)
        else:
            known = [*(["preset"] if method.presets else []), *method.fields]
            raise ValueError(f'"{part}" is no parameter of {name}: give NAME=VALUE with one of {", ".join(known)}.')
    return parameters


def _row(words: str, parameters: Parameters, table: Any, talk: Talk) -> dict[str, Any]:
    began = time.perf_counter()
    result = make_map(table, parameters, talk)
    seconds = time.perf_counter() - began
    values = prepare(result.cells, parameters.features, parameters.preparation).values
    found = measures(values, np.asarray(result.embedding), metric=metric_of(parameters))
    return {
        "run": words,
        "cells": len(result.embedding),
        "iterations": result.n_iter,
        "seconds": round(seconds, 2),
        **found,
    }


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else three_digits(value)
