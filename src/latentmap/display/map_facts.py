"""How a map was made, as a list of facts."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from latentmap.display.fields import FIELDS, PREPARATION, PRESET
from latentmap.display.map_sentences import measured_on
from latentmap.methods import METHODS
from latentmap.methods.fields import Field
from latentmap.session import Parameters, Result
from latentmap.session.alignment import describe_turn
from latentmap.session.wording import three_digits


class Fact(NamedTuple):
    """A fact. `about` explains its name; it is empty if the name explains itself."""

    name: str
    value: str
    about: str = ""


def map_facts(result: Result, notes: Sequence[str], n_cells: int) -> list[Fact]:
    """Say how a map was made, from which cells, and how faithful it is.

    Parameters
    ----------
    result : Result
    notes : sequence of str
        Sentences on the cells left out, and why.
    n_cells : int
        How many cells are drawn.

    Returns
    -------
    list of Fact
        Parameters are named as in the forms; those that have no effect are left out.
    """
    parameters = Parameters(**result.parameters)
    quality = {"recall": "Recall of 10 neighbours", "trustworthiness": "Trustworthiness"}
    return [
        Fact("Cells", str(n_cells)),
        Fact("Left out", " ".join(notes) or "none"),
        Fact("Features", f"{len(parameters.features)}: {', '.join(parameters.features)}", FIELDS["features"].about),
        *(
            Fact(FIELDS[name].label, _value(FIELDS[name], getattr(parameters, name)), FIELDS[name].about)
            for name in PREPARATION
            if name != "cofactor" or parameters.transform == "arcsinh"
        ),
        *_made(parameters, result),
        *([Fact("Remarks", " ".join(result.remarks))] if result.remarks else []),
        *(
            Fact(quality[measure], three_digits(share) + measured_on(result))
            for measure, share in result.quality.items()
        ),
    ]


def _made(parameters: Parameters, result: Result) -> list[Fact]:
    if result.made_elsewhere:
        return [Fact("Made elsewhere", f"coordinates from {result.made_elsewhere}")]
    method = METHODS[parameters.method]
    drawn = [Fact("Drawn", turn)] if (turn := describe_turn(result.turn)) else []
    return [Fact("Method", method.title, method.about), *_of_method(parameters, result), *drawn]


def _of_method(parameters: Parameters, result: Result) -> Iterator[Fact]:
    """Yield the parameters of the method."""
    method = METHODS[parameters.method]
    if method.presets:
        yield Fact(PRESET, parameters.preset, method.about_presets)
    for name, field in method.fields.items():
        if not field.has_effect(parameters.of_method):
            continue
        written = _value(field, parameters.of_method(name))
        if name == "n_levels" and written == "auto":
            written = f"auto ({result.n_levels})"
        elif name == "max_iter" and result.n_iter < _most(parameters):
            written = f"{result.n_iter} of {_most(parameters)}"
        yield Fact(field.label, written, field.about)


def _value(field: Field, value: Any) -> str:
    words = {chosen: word for word, chosen in (*field.choices, *field.special_values)}
    if value in words:
        return words[value]
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else three_digits(value)


def _most(parameters: Parameters) -> int:
    """Return how many iterations were allowed in all; a homotopy may take `max_iter` for each lambda."""
    known = parameters.estimator().get_params(deep=False)
    return int(known["max_iter"] * known.get("n_strengths", 1))
