"""Parameters on the command line, as the registry of methods has them."""

import argparse
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Any

from latentmap.display.fields import FIELDS, PREPARATION
from latentmap.methods import DEFAULT, METHODS
from latentmap.methods.fields import Field
from latentmap.session import Parameters
from latentmap.table import CellTable, Preparation
from latentmap.table.feature_sets import feature_sets, set_named
from latentmap.table.usual_features import are_array
from latentmap.table.wording import listed

_USUAL = Preparation()


def method_in(words: Sequence[str]) -> str:
    """Return the method that the words of a command line name.

    Examples
    --------
    >>> method_in(["cells.csv", "--method=isomap", "-o", "map.csv"]), method_in(["cells.csv"])
    ('isomap', 'lvm')
    """
    early = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    early.add_argument("-m", "--method")
    try:
        named = early.parse_known_args(list(words))[0].method
    except (argparse.ArgumentError, SystemExit):
        named = None
    return named if named in METHODS else DEFAULT


def add_features(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose and prepare columns."""
    group = parser.add_argument_group("columns and their preparation")
    what = "columns that shape the map, separated by commas; * stands for any letters (default: all that measure)"
    group.add_argument("--features", action="append", default=[], metavar="NAMES", help=what)
    source = (
        "the set of features: X, an array of obsm such as X_pca, a layer such as counts, or PC for the columns PC_1, "
        "PC_2 and so on (default: as in the panel)"
    )
    group.add_argument("--features-from", metavar="KEY", help=source)
    group.add_argument("--exclude", action="append", default=[], metavar="NAMES", help="columns to leave out")
    for name in PREPARATION:
        _add(group, name, FIELDS[name], getattr(_USUAL, name))
    within = "scale features within each layer, frame or value of a column such as plate (default: all cells together)"
    group.add_argument("--scale-within", metavar="COLUMN", help=within)
    batches = "correct the principal components by Harmony for each layer, frame or value of a column (default: none)"
    group.add_argument("--harmony-by", metavar="COLUMN", help=batches)


def add_method(parser: argparse.ArgumentParser, name: str) -> None:
    """Add the options that choose a method, and those of one method."""
    method = METHODS[name]
    group = parser.add_argument_group(
        "method", f"Below are the parameters of {name}; --method NAME --help lists those of another."
    )
    group.add_argument(
        "-m",
        "--method",
        choices=list(METHODS),
        default=DEFAULT,
        metavar="NAME",
        help=f"{', '.join(METHODS)} (default: {DEFAULT})",
    )
    if method.presets:
        group.add_argument("--preset", choices=list(method.presets), help=_escaped(method.about_presets))
    group = parser.add_argument_group(f"parameters of {name} ({method.title})")
    for part, field in method.fields.items():
        _add(group, part, field, method.defaults[part])


def parameters_from(options: argparse.Namespace) -> Parameters:
    """Return the parameters that the options give."""
    parameters = Parameters(method=options.method)
    if getattr(options, "preset", None):
        parameters.take(options.preset)
    for name in PREPARATION:
        if (value := getattr(options, name)) is not None:
            setattr(parameters, name, value)
    if options.scale_within is not None:
        parameters.scale_within = options.scale_within
    if options.harmony_by is not None:
        parameters.harmony_by = options.harmony_by
    for name in METHODS[options.method].fields:
        if (value := getattr(options, f"method_{name}")) is not None:
            parameters.set_of_method(name, value)
    return parameters


def choose_features(parameters: Parameters, table: CellTable, options: argparse.Namespace) -> None:
    """Set the features that shape the map: those named, or a set of them, else those that the front ends tick.

    Raises
    ------
    ValueError
        If a name or pattern matches no column, there is no such set, or no feature is left.
    """
    names = list(map(str, table.features.columns))
    asked, source = _matching(options.features, names), options.features_from
    if asked and source:
        raise ValueError("--features names columns, and --features-from a whole set of them: leave one out.")
    # A set is prepared as suits its kind, but not against what was asked for.
    given = {name: value for name in PREPARATION if (value := getattr(options, name)) is not None}
    if source or are_array(asked):
        chosen = set_named(feature_sets(table.mappable), source) if source else feature_sets(asked)[0]
        parameters.choose_set(chosen, len(table.features))
    elif asked:
        parameters.features = tuple(asked)
    else:
        parameters.choose_among(table.mappable, n_cells=len(table.features))
    for name, value in given.items():
        setattr(parameters, name, value)
    without = {*_matching(options.exclude, names)}
    parameters.features = tuple(name for name in parameters.features if name not in without)
    if not parameters.features:
        reasons = " ".join(table.notes) or (
            "If the columns do not hold numbers because lines above or below the table say something else, delete "
            "these lines."
        )
        raise ValueError(f"No column is left that could shape a map: name some with --features. {reasons}")


def value_reader(field: Field, default: Any) -> Callable[[str], Any]:
    """Return the function that reads a parameter from a word.

    Examples
    --------
    >>> read = value_reader(METHODS["lvm"].fields["n_levels"], "auto")
    >>> read("auto"), read("2")
    ('auto', 2)
    """
    words = {_word(value): value for _, value in (*field.choices, *field.special_values)}
    is_whole = field.is_whole or (isinstance(default, int) and not isinstance(default, bool))

    def read(word: str) -> Any:
        if word in words:
            return words[word]
        if not field.choices or field.special_values:
            try:
                return int(word) if is_whole else float(word)
            except ValueError:
                pass
        kinds = [*words, *([] if field.choices else ["a whole number" if is_whole else "a number"])]
        raise argparse.ArgumentTypeError(f'"{word}": give {" or ".join(kinds)}')

    return read


def option_name(part: str) -> str:
    """Return the name of a parameter's option.

    Examples
    --------
    >>> option_name("n_neighbors")
    '--n-neighbors'
    """
    return f"--{part.replace('_', '-')}"


def values_text(field: Field, default: Any) -> str:
    """Say which values a parameter takes, for help."""
    words = [_word(value) for _, value in (*field.choices, *field.special_values)]
    is_number = not field.choices
    return "|".join([*words, *(["N" if field.is_whole or isinstance(default, int) else "X"] if is_number else [])])


def _add(group: Any, name: str, field: Field, default: Any) -> None:
    is_preparation = name in PREPARATION
    group.add_argument(
        option_name(name),
        dest=name if is_preparation else f"method_{name}",
        type=value_reader(field, default),
        metavar=values_text(field, default),
        help=f"{_escaped(field.about)} (default: {_word(default)})",
    )


def _matching(patterns: Sequence[str], names: list[str]) -> list[str]:
    """The names that some patterns name, in the order of the table."""
    chosen: set[str] = set()
    for pattern in patterns:
        # A name may contain commas or stars.
        for part in [pattern] if pattern in names else filter(None, map(str.strip, pattern.split(","))):
            found = [part] if part in names else [name for name in names if fnmatchcase(name, part)]
            if not found:
                close = get_close_matches(part, names)
                hint = f" Did you mean {listed(close)}?" if close else f" There are {listed(names)}."
                raise ValueError(f'The table has no column "{part}".{hint}')
            chosen.update(found)
    return [name for name in names if name in chosen]


def _word(value: Any) -> str:
    """A value as one word of the command line."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value).replace(" ", "-")


def _escaped(text: str) -> str:
    return text.replace("%", "%%")


def differing(parameters: Parameters) -> Mapping[str, Any]:
    """Return the parameters of the method that are not its defaults."""
    defaults = METHODS[parameters.method].defaults
    return {name: value for name, value in parameters.model.items() if value != defaults[name]}
