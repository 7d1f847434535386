"""``latentmap methods``: the methods, and their parameters."""

import argparse
from textwrap import fill
from typing import Any

from latentmap.cli.parameters import option_name, values_text
from latentmap.cli.talk import Talk, table_text
from latentmap.methods import METHODS, Method


def add_arguments(parser: argparse.ArgumentParser, words: list[str]) -> None:
    """Add the arguments of the command."""
    parser.add_argument("method", nargs="?", choices=list(METHODS), metavar="NAME", help="the method to describe")


def run(options: argparse.Namespace, talk: Talk) -> int:
    """Run the command."""
    if options.method is None:
        talk.say(table_text([{"name": name, **_abilities(one), "title": one.title} for name, one in METHODS.items()]))
        talk.give({name: _described(one) for name, one in METHODS.items()})
        return 0
    method = METHODS[options.method]
    parts = [f"{option_name(name)} {values_text(one, method.defaults[name])}" for name, one in method.fields.items()]
    abouts = [f"{one.about} (default: {method.defaults[name]})" for name, one in method.fields.items()]
    talk.say(
        "\n".join(
            [
                f"{options.method}: {method.title}",
                fill(method.about, 100),
                *(
                    f"\n  {part}\n{fill(about, 100, initial_indent='      ', subsequent_indent='      ')}"
                    for part, about in zip(parts, abouts, strict=True)
                ),
            ]
        )
    )
    talk.give(_described(method))
    return 0


def _abilities(method: Method) -> dict[str, Any]:
    return {
        "learns from": method.learns_from,
        "places new cells": "yes" if method.places_new_cells else "learned",
    }


def _described(method: Method) -> dict[str, Any]:
    parameters = {
        name: {"label": one.label, "about": one.about, "default": method.defaults[name]}
        for name, one in method.fields.items()
    }
    presets = {name: dict(values) for name, values in method.presets.items()}
    return {
        "title": method.title,
        "about": method.about,
        **_abilities(method),
        "parameters": parameters,
        "presets": presets,
    }
