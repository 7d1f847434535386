"""The entry point ``latentmap``: parses the words, runs the command, and turns errors into sentences and exit codes."""

import argparse
import os
import sys
import traceback
from collections.abc import Sequence

from latentmap.cli.parser import make_parser
from latentmap.extras import MissingExtra

DONE, REFUSED, NOT_UNDERSTOOD, INTERRUPTED = 0, 1, 2, 130
"""The exit codes."""


def main(words: Sequence[str] | None = None) -> int:
    """Run a command.

    Parameters
    ----------
    words : sequence of str, optional
        The words of the command line; by default those of this process.

    Returns
    -------
    int
        0 done, 1 the data or parameters allow no result, 2 not understood, 130 interrupted.

    Examples
    --------
    >>> main(["methods", "--quiet"])  # doctest: +ELLIPSIS
    name ...
    0
    """
    words = list(sys.argv[1:] if words is None else words)
    try:
        return _run(words)
    except SystemExit as end:
        # argparse has printed the help (0), or what it did not understand (2).
        return end.code if isinstance(end.code, int) else DONE if end.code is None else NOT_UNDERSTOOD
    except KeyboardInterrupt:
        return _fail("Interrupted: nothing more is written.", INTERRUPTED)
    except BrokenPipeError:
        # Whoever read the output wants no more. Python would complain when it flushes at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return REFUSED
    except Exception as error:
        if "--debug" in words:
            traceback.print_exc()
        return _fail(_sentence(error), REFUSED)


def _run(words: list[str]) -> int:
    parser = make_parser()
    options = parser.parse_args(words)
    if options.version:
        from latentmap import __version__

        print(f"latentmap {__version__}")
        return DONE
    if options.command is None:
        parser.print_help(sys.stderr)
        return NOT_UNDERSTOOD
    return _command(options)


def _command(options: argparse.Namespace) -> int:
    from latentmap.cli.talk import Talk

    talk = Talk(as_json=options.json, shows_progress=not options.quiet)
    try:
        code: int = options.run(options, talk) or DONE
        sys.stdout.flush()
        return code
    finally:
        talk.clear()


def _sentence(error: Exception) -> str:
    """What went wrong, for the user."""
    if isinstance(error, OSError) and error.strerror:
        return f'"{error.filename}": {error.strerror}.' if error.filename else f"{error.strerror}."
    if isinstance(error, MemoryError):
        return "There is not enough memory. Take fewer cells or columns, or a machine with more memory."
    if isinstance(error, (ValueError, MissingExtra)):
        return str(error)
    return f"latentmap failed ({type(error).__name__}: {error}). Please report it with what --debug shows."


def _fail(sentence: str, code: int) -> int:
    print(f"latentmap: {sentence}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
