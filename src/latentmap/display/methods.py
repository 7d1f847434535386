"""The methods as a form shows them: when to use each, and the parameters that it has."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from latentmap.display.fields import FIELDS, Field


@dataclass(frozen=True)
class Method:
    """What a form says of a method.

    Attributes
    ----------
    about : str
        When to use it, in three sentences.
    fields : mapping of str to Field
        Its own parameters by name, in the order of the form.
    """

    about: str
    fields: Mapping[str, Field]


_AUTO = (("auto", "auto"),)
_COMMON = {name: FIELDS[name] for name in ("n_components", "metric")}
_SEED = {"random_state": FIELDS["random_state"]}


def _iterations(about: str) -> dict[str, Field]:
    return {"max_iter": replace(FIELDS["max_iter"], about=about)}


METHODS: Mapping[str, Method] = MappingProxyType(
    {
        "lvm": Method(
            "For most cells and tables, from a hundred to millions. It keeps neighbours together, and says of each "
            "cell how uncertain its place is. Distances between far groups mean little, as in all maps of neighbours.",
            {
                name: FIELDS[name]
                for name in (
                    *("n_neighbors", "n_steps", "n_levels", "n_components"),
                    *("metric", "dof", "repulsion", "similarity_scale", "solver", "max_iter", "random_state"),
                )
            },
        ),
        "elastic-embedding": Method(
            "For up to 10 000 cells that change by degrees, such as along a cell cycle or a differentiation. It spaces "
            "the cells evenly and tears nothing that is continuous. It does not say how uncertain a place is.",
            {
                "n_neighbors": replace(
                    FIELDS["n_neighbors"],
                    about="How many neighbours in effect draw each cell, from 1; usual are 5 to 50. As it grows, the "
                    "map shows the larger shapes and less of the small ones.",
                ),
                "lam": Field(
                    "λ repulsion",
                    "How much all cells repel each other; auto makes all repulsion 100 000 times all attraction. As it "
                    "grows, cells spread evenly, and groups lose their outline.",
                    words=_AUTO,
                    least=1e-4,
                    most=1e6,
                    step=1e-4,
                    first=1,
                ),
                **_COMMON,
                "n_strengths": Field(
                    "λ in steps",
                    "In how many steps λ rises from where the cells begin to part; 1 starts with λ itself. As it "
                    "grows, the map depends less on the start and takes longer.",
                    least=1,
                    most=1000,
                    is_whole=True,
                    is_seldom=True,
                ),
                "attraction": Field(
                    "Attraction",
                    "Whom a cell draws, and how much: k neighbours in effect with a width of its own, k neighbours at "
                    "one width for all, or all cells at one width.",
                    choices=(
                        ("k in effect, own width", "perplexity"),
                        ("k, one width", "neighbors"),
                        ("all, one width", "gaussian"),
                    ),
                    is_seldom=True,
                ),
                "repulsion": Field(
                    "Repel by",
                    "How much each pair repels: by its squared distance, as in the paper, so that unlike cells are "
                    "driven further apart, or all pairs alike.",
                    choices=(("squared distance", "distance"), ("all alike", "uniform")),
                    is_seldom=True,
                ),
                "init": Field(
                    "Start",
                    "Where the cells start: close together at random, or where the graph of neighbours puts them. The "
                    "second depends on no chance.",
                    choices=(("random", "random"), ("spectral", "spectral")),
                    is_seldom=True,
                ),
                **_iterations(
                    "Iterations at most, for each λ. As they grow, the map takes longer and settles further."
                ),
                **_SEED,
            },
        ),
    }
)
"""What a form says of each method, by its name."""
