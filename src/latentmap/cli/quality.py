"""``latentmap quality``: how faithful a map is."""

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from latentmap.cli.parameters import add_features, choose_features, option_name, parameters_from
from latentmap.cli.parser import add_keys
from latentmap.cli.saved_maps import SESSION, parameters_of_run, read_run
from latentmap.cli.tables import read_cells
from latentmap.cli.talk import Talk, table_text
from latentmap.display.fields import PREPARATION
from latentmap.methods import DEFAULT
from latentmap.quality import continuity, frame_fill, random_triplet_accuracy, recall_and_trustworthiness
from latentmap.quality.row_neighbors import map_neighbors
from latentmap.session import Parameters
from latentmap.session.true_neighbors import measured_rows
from latentmap.session.wording import counted, three_digits
from latentmap.table import prepare, preview
from latentmap.table.wording import shortened_list

ABOUT = {
    "recall": "share of each cell's nearest neighbours that are among its nearest on the map",
    "trustworthiness": "1 if all neighbours on the map are similar cells, 0.5 by chance",
    "continuity": "1 if all similar cells are neighbours on the map, 0.5 by chance",
    "triplets": "share of random triplets of cells whose order of distances is kept, 0.5 by chance",
    "frame_fill": "share of its frame that the map fills",
    "class_error": "share of cells whose nearest neighbour on the map is of another class",
}
"""What each measure says."""


def add_arguments(parser: argparse.ArgumentParser, words: list[str]) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "map",
        type=Path,
        metavar="MAP",
        help=f"a table that embed has saved, a {SESSION} session, or with --coordinates any table",
    )
    parser.add_argument("--run", dest="run_name", metavar="NAME", help="which map of a session")
    parser.add_argument(
        "--coordinates", metavar="NAMES", help="the columns of a map made elsewhere, such as umap_1,umap_2"
    )
    parser.add_argument("--classes", metavar="COLUMN", help="the column of classes; adds class_error")
    parser.add_argument(
        "-k", "--neighbors", type=int, default=10, metavar="N", help="neighbours compared (default: 10)"
    )
    parser.add_argument(
        "--sample", type=int, default=1000, metavar="N", help="cells looked at, 0 for all (default: 1000)"
    )
    add_keys(parser)
    add_features(parser)


def run(options: argparse.Namespace, talk: Talk) -> int:
    """Run the command."""
    _refuse_ignored(options)
    if options.coordinates:
        (values, embedding, classes, said), metric = _elsewhere(options), "euclidean"
        talk.say(said)
    else:
        made = read_run(options.map, options.run_name)
        result = made.finished()
        rows, values = measured_rows(result)
        embedding, features = result.embedding[rows], result.cells.features.iloc[rows]
        if n_out := len(result.embedding) - len(rows):
            talk.say(f"{n_out} of {counted(len(result.embedding), 'cell')} left out: no number in some feature.")
        metric = metric_of(parameters_of_run(made))
        classes = None if options.classes is None else _column(features, options.classes)
    found = measures(values, embedding, k=options.neighbors, n_samples=options.sample, metric=metric, classes=classes)
    talk.say(f"{looked_at(len(embedding), options.neighbors, options.sample)}:")
    talk.say(
        table_text([{"measure": name, "value": three_digits(value), "": ABOUT[name]} for name, value in found.items()])
    )
    talk.give({"n_cells": len(embedding), "n_neighbors": options.neighbors, **found})
    return 0


def measures(
    values: np.ndarray,
    embedding: np.ndarray,
    *,
    k: int = 10,
    n_samples: int = 1000,
    metric: str = "euclidean",
    classes: Any = None,
) -> dict[str, float]:
    """Measure how faithful a map is to the prepared numbers that it was made of.

    Raises
    ------
    ValueError
        If there are too few cells for so many neighbours.
    """
    n = len(values)
    if n < 2 * k + 2:
        raise ValueError(f"{n} cells are too few to compare {k} neighbours of each: lower --neighbors.")
    sample = min(n, n_samples) if n_samples > 0 else None
    recall, trust = recall_and_trustworthiness(values, embedding, k, n_samples=sample, metric=metric)
    found = {
        "recall": recall,
        "trustworthiness": trust,
        "continuity": continuity(values, embedding, k, n_samples=sample, metric=metric),
        "triplets": random_triplet_accuracy(values, embedding, metric=metric),
    }
    if embedding.shape[1] == 2:
        found["frame_fill"] = frame_fill(embedding)
    if classes is not None:
        found["class_error"] = _class_error(embedding[classes != ""], classes[classes != ""])
    return {name: float(value) for name, value in found.items()}


def _class_error(embedding: np.ndarray, classes: np.ndarray) -> float:
    if len(classes) <= 1:
        raise ValueError(f"{counted(len(classes), 'cell')} on the map with a class: name another column of classes.")
    nearest = map_neighbors(embedding, 1, None)[:, 0]
    return float(np.mean(classes[nearest] != classes))


def metric_of(parameters: Parameters) -> str:
    """Return the metric by which a method compares cells."""
    return str(getattr(parameters.estimator(), "metric", "euclidean"))


def _refuse_ignored(options: argparse.Namespace) -> None:
    """Refuse options that would change nothing, as if the numbers were those of other columns."""
    of_columns = ("features", "features_from", "exclude", *PREPARATION, "scale_within", "harmony_by")
    names = ("run_name",) if options.coordinates else (*of_columns, "label", "frame", "layer")
    given = [name for name in names if getattr(options, name) not in (None, [])]
    if given:
        words = shortened_list(["--run" if name == "run_name" else option_name(name) for name in given])
        why = "--coordinates reads a table" if options.coordinates else "a saved map knows its own columns"
        raise ValueError(f'"{options.map.name}": {why}, so leave {words} out.')


def looked_at(n: int, k: int = 10, n_samples: int = 1000) -> str:
    """Say how many neighbours of how many cells :func:`measures` looks at."""
    drawn = f", of which {n_samples} are drawn" if 0 < n_samples < n else ""
    return f"{counted(k, 'neighbour')} of each of {counted(n, 'cell')}{drawn}"


def _elsewhere(options: argparse.Namespace) -> tuple[np.ndarray, np.ndarray, Any, str]:
    """The numbers and the map of a table that another program has made, its classes, and what is left out of it."""
    table = read_cells([options.map], options)
    names = [name.strip() for name in options.coordinates.split(",")]
    table.require_features(names)
    options.method, options.preset = DEFAULT, None
    for name in parameters_fields():
        setattr(options, name, None)
    options.exclude = [*options.exclude, *names]
    parameters = parameters_from(options)
    choose_features(parameters, table, options)
    places = table.features[names].to_numpy(dtype=float, na_value=np.nan)
    is_on_map = np.isfinite(places).all(axis=1)
    said = ""
    if n_out := int((~is_on_map).sum()):
        said = f"{n_out} of {counted(len(places), 'cell')} left out: no place on the map. "
        table = table.select(is_on_map, "")
    cells, values = prepare(table, parameters.features, parameters.preparation)
    said += preview(table, parameters.features, parameters.preparation).sentence
    embedding = cells.features[names].to_numpy(dtype=float)
    classes = None if options.classes is None else _column(cells.features, options.classes)
    return values, embedding, classes, said


def parameters_fields() -> list[str]:
    """Return the names under which options hold the parameters of the usual method."""
    from latentmap.methods import METHODS

    return [f"method_{name}" for name in METHODS[DEFAULT].fields]


def _column(features: Any, name: str) -> np.ndarray:
    if name not in features:
        raise ValueError(f'The table has no column "{name}".')
    column = features[name].astype(object)
    words: np.ndarray = column.where(column.notna(), "").astype(str).to_numpy()
    return words
