"""The parser of the command line: the commands, and options that all of them share."""

import argparse
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

COMMANDS = {
    "measure": "measure the cells of labels images, in one or several channels",
    "embed": "make a map of the cells in a table",
    "transform": "place new cells on a map that was saved",
    "quality": "say how faithful a map is",
    "compare": "make several maps of one table and set their quality side by side",
    "choose": "find the parameters that suit a table, by cells that are held out",
    "replay": "make a map again from its record, and say whether the bits agree",
    "methods": "list the methods, and the parameters of one",
    "demo": "write a sample tissue with its labels, to try the commands on",
    "completion": "print a script that completes these commands in a shell",
}
"""The commands, and what each does. Each is a module of this package, read only when it is asked for."""

EXIT_CODES = "exit codes: 0 done; 1 the data or parameters allow no result; 2 not understood; 130 interrupted (Ctrl-C)"


class LazyParser(argparse.ArgumentParser):
    """A parser that gets its arguments when it is first used, as to list some of them takes seconds.

    Parameters
    ----------
    fill : callable, optional
        ``fill(parser, words)`` adds the arguments, given the words of the command line.
    """

    def __init__(self, *, fill: Callable[..., None] | None = None, **kwargs: Any) -> None:
        super().__init__(allow_abbrev=False, **kwargs)
        self._fill = fill

    def filled(self, words: Sequence[str] = ()) -> "LazyParser":
        """Return itself with its arguments."""
        if (fill := self._fill) is not None:
            self._fill = None
            fill(self, list(words))
        return self

    def parse_known_args(self, args: Any = None, namespace: Any = None, *rest: Any) -> Any:
        """Parse as argparse does."""
        self.filled(args or ())
        return super().parse_known_args(args, namespace, *rest)


def make_parser() -> LazyParser:
    """Return the parser of the whole command line.

    Examples
    --------
    >>> make_parser().parse_args(["methods", "isomap"]).method
    'isomap'
    """
    parser = LazyParser(
        prog="latentmap",
        description="Maps of measured cells, beside the images they came from.",
        epilog=f"latentmap COMMAND --help says more. {EXIT_CODES}",
    )
    parser.add_argument("--version", action="store_true", help="print the version and end")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=LazyParser)
    for name, about in COMMANDS.items():
        commands.add_parser(
            name, help=about, description=f"{about[0].upper()}{about[1:]}.", epilog=EXIT_CODES, fill=_filler(name)
        )
    return parser


def command_parsers() -> dict[str, LazyParser]:
    """Return the parser of each command, by name."""
    actions = make_parser()._subparsers
    assert actions is not None
    found = next(one for one in actions._group_actions if isinstance(one, argparse._SubParsersAction))
    return {name: parser.filled() for name, parser in found.choices.items()}


def add_output(parser: argparse.ArgumentParser, *, what: str, required: bool = True) -> None:
    """Add the option that names the file to write."""
    parser.add_argument("-o", "--output", type=Path, required=required, metavar="FILE", help=what)
    parser.add_argument("--force", action="store_true", help="replace the file if there is one already")


def add_keys(parser: argparse.ArgumentParser) -> None:
    """Add the options that say which columns of a table identify a cell."""
    group = parser.add_argument_group("which cell a row is")
    group.add_argument("--label", metavar="COLUMN", help="the column with the cell's number in its labels image")
    group.add_argument("--frame", metavar="COLUMN", help="the column with the frame (default: frame)")
    group.add_argument("--layer", metavar="COLUMN", help="the column with the name of the image (default: layer)")


def _filler(name: str) -> Callable[[LazyParser, list[str]], None]:
    def fill(parser: LazyParser, words: list[str]) -> None:
        command = import_module(f"latentmap.cli.{name}")
        command.add_arguments(parser, words)
        group = parser.add_argument_group("what is printed")
        group.add_argument("--json", action="store_true", help="print the result as JSON instead of sentences")
        group.add_argument("--quiet", action="store_true", help="show no progress")
        group.add_argument("--debug", action="store_true", help="show where in the program an error arose")
        parser.set_defaults(run=command.run)
        parser.usage = _short_usage(parser)

    return fill


def _short_usage(parser: argparse.ArgumentParser) -> str:
    """The usage without the options that may be left out: some commands have dozens."""
    needed = [
        f"{one.option_strings[0]} {one.metavar}" for one in parser._actions if one.required and one.option_strings
    ]
    words = []
    for one in parser._actions:
        if not one.option_strings:
            name = str(one.metavar or "|".join(one.choices or ()) or one.dest)
            words.append({"+": f"{name} [{name} ...]", "?": f"[{name}]"}.get(str(one.nargs), name))
    return " ".join(["%(prog)s", *words, *needed, "[OPTIONS]"])
