"""``latentmap choose``: which parameters suit a table, by rows that are held out."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from latentmap.cli.parameters import add_features, add_method, choose_features, method_in, parameters_from, value_reader
from latentmap.cli.parser import add_keys
from latentmap.cli.tables import read_cells, refuse_to_replace
from latentmap.cli.talk import Talk, table_text
from latentmap.display.map_sentences import describe_next_map
from latentmap.display.progress_text import ProgressText
from latentmap.generators import result_of
from latentmap.methods import METHODS
from latentmap.quality.choosing import Choice, ChoosingProgress, iter_choose
from latentmap.session.wording import three_digits
from latentmap.table import prepare, preview
from latentmap.table.files.writing import write_csv


def add_arguments(parser: argparse.ArgumentParser, words: list[str]) -> None:
    """Add the arguments of the command."""
    parser.add_argument("tables", nargs="+", type=Path, metavar="TABLE", help="tables of cells")
    parser.add_argument(
        "--try",
        action="append",
        default=[],
        dest="tried",
        metavar="NAME=VALUES",
        help='a parameter and its candidates, such as "n_neighbors=10,15,30"; several times for all combinations '
        "(default: several n_neighbors)",
    )
    parser.add_argument(
        "--folds", type=int, default=5, metavar="N", help="how often cells are held out, and each candidate fitted"
    )
    parser.add_argument(
        "--held-out", type=int, default=500, metavar="N", help="cells held out each time (default: 500)"
    )
    parser.add_argument(
        "--true-neighbors", type=int, default=10, metavar="N", help="true neighbours counted for each (default: 10)"
    )
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write the candidates as .csv too")
    parser.add_argument("--force", action="store_true", help="replace the file if there is one already")
    add_keys(parser)
    add_features(parser)
    add_method(parser, method_in(words))


def run(options: argparse.Namespace, talk: Talk) -> int:
    """Run the command."""
    if options.output is not None:
        if options.output.suffix.lower() != ".csv":
            raise ValueError(f'"{options.output.name}": candidates are saved as .csv.')
        refuse_to_replace(options.output, options, options.tables)
    if METHODS[options.method].learns_from == "comparisons":
        raise ValueError(f'"{options.method}" learns from comparisons, which no cell held out has: choose another.')
    candidates = candidates_of_words(options.method, options.tried)
    parameters = parameters_from(options)
    table = read_cells(options.tables, options)
    choose_features(parameters, table, options)
    talk.say(describe_next_map(preview(table, parameters.features, parameters.preparation), parameters))
    values = prepare(table, parameters.features, parameters.preparation).values
    steps = iter_choose(
        values,
        candidates or None,
        estimator=parameters.estimator(),
        n_folds=options.folds,
        held_out=options.held_out,
        n_true=options.true_neighbors,
    )
    choice = result_of(steps, lambda step: _show(step, talk))
    rows = choice.table.to_dict("records")
    talk.say(table_text([{str(name): _shown(value) for name, value in row.items()} for row in rows]))
    talk.say(choice.sentence)
    if options.output is not None:
        write_csv(choice.table, options.output)
    talk.give(_told(choice, list(parameters.features), len(values)))
    return 0


def candidates_of_words(method: str, words: Sequence[str]) -> dict[str, list[Any]]:
    """Read parameters and their candidates.

    Raises
    ------
    ValueError
        If the method has no such parameter, or a value is none.

    Examples
    --------
    >>> candidates_of_words("lvm", ["n_neighbors=10,15", "n_levels=auto,0"])
    {'n_neighbors': [10, 15], 'n_levels': ['auto', 0]}
    """
    known, found = METHODS[method], {}
    for word in words:
        name, _, values = word.partition("=")
        name = name.lstrip("-").replace("-", "_")
        if name not in known.fields or not values:
            raise ValueError(f'"{word}": give NAME=VALUE,VALUE with one of {", ".join(known.fields)}.')
        read = value_reader(known.fields[name], known.defaults[name])
        try:
            found[name] = [read(value.strip()) for value in values.split(",")]
        except argparse.ArgumentTypeError as error:
            raise ValueError(f'In "{word}", {name} is {error}.') from None
    return found


def _show(step: ChoosingProgress, talk: Talk) -> None:
    tried = ", ".join(f"{name} = {value}" for name, value in step.candidate.items())
    nth = min(step.done + 1, step.total)
    talk.progress(ProgressText(step.done, step.total, f"{tried}: fit {nth} of {step.total}"), tried)


def _told(choice: Choice, features: list[str], n_cells: int) -> dict[str, Any]:
    return {
        "n_cells": n_cells,
        "features": features,
        "best": choice.best,
        "simplest": choice.simplest,
        "sentence": choice.sentence,
        "n_folds": choice.n_folds,
        "true_neighbors": choice.n_true,
        "candidates": choice.table.astype(object).where(choice.table.notna(), None).to_dict("records"),
    }


def _shown(value: Any) -> str:
    return three_digits(value) if isinstance(value, float) else str(value)
