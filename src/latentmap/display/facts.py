"""What made a map, fact by fact."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from latentmap.display.fields import FIELDS
from latentmap.session import Parameters, Result
from latentmap.session.wording import readable


class Fact(NamedTuple):
    """A fact.

    Attributes
    ----------
    name : str
    value : str
    about : str
        What the name means; "" where that is plain.
    """

    name: str
    value: str
    about: str = ""


def facts(result: Result, notes: Sequence[str], n_cells: int) -> list[Fact]:
    """Say what made a map, of which cells, and how faithful it is.

    Parameters
    ----------
    result : Result
    notes : sequence of str
        Which cells were left out, and why.
    n_cells : int
        How many cells are drawn.

    Returns
    -------
    list of Fact
        The parameters as forms call them; those that do nothing are left out.
    """
    parameters = Parameters(**result.parameters)
    quality = {"recall": "Recall of 10 neighbours", "trustworthiness": "Trustworthiness"}
    return [
        Fact("Cells", str(n_cells)),
        Fact("Left out", " ".join(notes) or "none"),
        Fact("Features", f"{len(parameters.features)}: {', '.join(parameters.features)}", FIELDS["features"].about),
        *(
            Fact(field.label, _value(name, parameters, result), field.about)
            for name, field in FIELDS.items()
            if name != "features" and (name != "cofactor" or parameters.transform == "arcsinh")
        ),
        *(Fact(quality[measure], readable(share)) for measure, share in result.quality.items()),
    ]


def _value(name: str, parameters: Parameters, result: Result) -> str:
    value: Any = getattr(parameters, name)
    words = {chosen: word for word, chosen in FIELDS[name].choices}
    if name == "n_levels" and value == "auto":
        return f"auto ({result.n_levels})"
    if name == "max_iter" and value != result.n_iter:
        return f"{result.n_iter} of {value}"
    if value in words:
        return words[value]
    if isinstance(value, float) and not np.isfinite(value):
        return "Gaussian (∞)"
    return value if isinstance(value, str) else readable(value)
