"""The fields of forms, one for each parameter: labels, explanations, ranges and choices."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Field:
    """The field of a form for one parameter.

    Attributes
    ----------
    label : str
        Stands before the field; starts with the parameter's letter if it has one (k, s, l, d).
    about : str
        What the parameter is, its range, and what happens to the map as it grows.
    least, usual, most : float
        Limits of a number: a slider goes from `least` to `usual`, a field for numbers up to `most`.
    step : float
        The step of the field for numbers.
    choices : tuple of (str, object)
        All values and the words for them, if there are few.
    words : tuple of (str, object)
        The values other than numbers, and the words for them.
    is_whole : bool
        Whether it is a whole number.
    is_switch : bool
        Whether it is on or off.
    is_seldom : bool
        Whether it is rarely set, and folded away.
    first : float
        The number that is offered first when the user switches from a word to a number.
    with_name, with_values : str, tuple of object
        Another parameter, and its values with which this one has an effect; with others, it is not shown. By default
        it always has an effect.
    """

    label: str
    about: str
    least: float = 0
    usual: float = 0
    most: float = 0
    step: float = 1
    choices: tuple[tuple[str, Any], ...] = ()
    words: tuple[tuple[str, Any], ...] = ()
    is_whole: bool = False
    is_switch: bool = False
    is_seldom: bool = False
    first: float = 0
    with_name: str = ""
    with_values: tuple[Any, ...] = ()

    def counts(self, value_of: Callable[[str], Any]) -> bool:
        """Return whether the parameter has an effect.

        Parameters
        ----------
        value_of : callable
            Takes the name of a parameter of the same method and returns its value.

        Examples
        --------
        >>> width = Field("σ width", "The width.", with_name="weights", with_values=("gaussian",))
        >>> width.counts({"weights": "binary"}.get), width.counts({"weights": "gaussian"}.get)
        (False, True)
        """
        return not self.with_name or value_of(self.with_name) in self.with_values

    @property
    def decimals(self) -> int:
        """The number of digits after the point in the field for the number."""
        return 0 if self.is_whole else max(1, -math.floor(math.log10(self.step)))


PREPARATION = ("transform", "cofactor", "scaling", "n_pca", "missing")
"""The parameters of the preparation, in the order of a form."""

FIELDS: Mapping[str, Field] = MappingProxyType(
    {
        "features": Field(
            "Features",
            "The features that shape the map: cells alike in these lie close together. Click one to tick or untick it.",
        ),
        "transform": Field(
            "Transform",
            "Applied to every value first. log(1 + x) is for counts, arcsinh for intensities of cytometers; the rank "
            "keeps only the order of the cells.",
            choices=(("none", "none"), ("log(1 + x)", "log1p"), ("arcsinh(x / c)", "arcsinh"), ("rank", "rank")),
        ),
        "cofactor": Field(
            "c",
            "The cofactor of arcsinh, in the features' unit: 5 is usual for mass cytometry, 150 for fluorescence. As "
            "it grows, differences among low values matter less.",
            least=0.01,
            most=100_000,
        ),
        "scaling": Field(
            "Scaling",
            "Brings all features to a common scale, so that no unit outweighs another: by mean and standard deviation "
            "or, robust against outliers, by median and quartiles. With none, features with large numbers dominate.",
            choices=(("standard", "standard"), ("robust", "robust"), ("none", "none")),
        ),
        "n_pca": Field(
            "PCA",
            "How many principal components of the features the map is made of; 0 takes the features themselves. As it "
            "grows, smaller differences count, and so does noise.",
            least=0,
            most=1000,
            is_whole=True,
        ),
        "missing": Field(
            "Missing values",
            "What happens to a cell that lacks a number in some feature: it is left out, or the gap is filled.",
            choices=(
                ("leave the cell out", "leave out"),
                ("median of all cells", "median"),
                ("mean of similar cells", "similar cells"),
            ),
        ),
        "preset": Field(
            "Preset",
            "Sets of parameters. Clusters draws groups together, detail preserves more of the small neighbourhoods and "
            "takes about twice as long, paper is Saul's model; custom is any other set.",
        ),
        "n_neighbors": Field(
            "k neighbours",
            "How many of its most similar cells each cell is tied to, from 1; 5 to 50 are usual. As it grows, small "
            "groups merge and the map shows the larger groups.",
            least=1,
            usual=100,
            most=9999,
        ),
        "n_steps": Field(
            "s steps",
            "Within how many steps from neighbour to neighbour a tie must lead back, from 1; 1 to 3 are usual. As it "
            "grows, more ties are kept: stray cells are drawn in and clumps become tighter.",
            least=1,
            usual=10,
            most=99,
        ),
        "n_levels": Field(
            "l levels",
            "How many times distant cells are summarised by landmarks; auto shows what it chose for the last map. As "
            "it grows, large tables are embedded faster and groups move further apart; 0 is exact.",
            words=(("auto", "auto"),),
        ),
        "n_components": Field(
            "d dimensions",
            "The dimensions of the map, from 1. As it grows, less is squeezed; two or three are drawn, all are saved.",
            least=1,
            usual=10,
            most=50,
        ),
        "metric": Field(
            "Metric",
            "How the similarity of two cells is measured. Euclidean and manhattan compare the numbers, cosine and "
            "correlation the proportions between them.",
            choices=tuple((name, name) for name in ("euclidean", "manhattan", "cosine", "correlation")),
            is_seldom=True,
        ),
        "dof": Field(
            "Tails (dof)",
            "The degrees of freedom of a cell's place, from 0.1; auto is d, the paper's choice is Gaussian. As they "
            "grow, the tails become lighter and the map more crowded.",
            words=(("auto", "auto"), ("Gaussian (∞)", np.inf)),
            least=0.1,
            most=100,
            step=0.5,
            first=2,
            is_seldom=True,
        ),
        "repulsion": Field(
            "Repulsion",
            "The weight of dissimilar cells against similar ones; 1 in the paper. As it grows, cells spread evenly and "
            "small neighbourhoods are preserved; as it falls, clusters draw together.",
            least=0.1,
            most=1000,
            is_seldom=True,
        ),
        "similarity_scale": Field(
            "Similarity scale",
            "A factor on the lengths between similar cells. As it grows, neighbours lie further apart.",
            least=0.05,
            most=5,
            step=0.05,
            is_seldom=True,
        ),
        "local_scaling": Field(
            "Density",
            "How much room cells get. Evened out, each group has room according to its number of cells, and small "
            "neighbourhoods are visible everywhere. Kept, stray cells and groups whose cells vary more take more room.",
            words=(("evened out", 1.0), ("kept", 0.0)),
            least=0,
            most=1,
            step=0.1,
            first=0.5,
        ),
        "min_neighbors": Field(
            "Neighbours kept",
            "How many of its nearest neighbours each cell is tied to in any case; 0 in the paper. As it grows, cells "
            "unlike all others are drawn in.",
            least=0,
            most=9999,
            is_whole=True,
            is_seldom=True,
        ),
        "row_normalized": Field(
            "Ties weigh",
            "Whether every cell is held equally firmly or, as in the paper, every tie is equally firm, so that cells "
            "with few ties are held less.",
            choices=(("the same for each cell", True), ("the same for each tie", False)),
            is_seldom=True,
        ),
        "tied_variances": Field(
            "Variances",
            "Whether each cell has a variance of its own, which tells how uncertain its place is, or all cells share "
            "one, as in the paper's Fig. S4: the map then does not show which cells are uncertain.",
            choices=(("one for each cell", False), ("one for all cells", True)),
            is_seldom=True,
        ),
        "vote_power": Field(
            "Votes' power",
            "How votes for landmarks count: a member that stands for m cells is drawn to its landmark with a weight of "
            "m to this power, 1 in the paper's text and 2 in its author's program. It matters from l = 2. As it grows, "
            "groups move further apart.",
            least=0,
            most=4,
            step=0.5,
            is_seldom=True,
        ),
        "connect": Field(
            "Separate parts",
            "What is done if ties from neighbour to neighbour do not connect all cells: the parts are joined by their "
            "shortest bridges or, as in the paper, only the largest part is mapped, and all other cells are left out.",
            choices=(("joined by bridges", "bridge"), ("only the largest", "largest")),
            is_seldom=True,
        ),
        "init": Field(
            "Start",
            "Where the cells start: at their first principal components or, as in the paper, as smoothly as possible "
            "on the graph of neighbours.",
            choices=(("principal components", "pca"), ("smoothest on the graph", "spectral")),
            is_seldom=True,
        ),
        "solver": Field(
            "Solver",
            "How the map is optimised. The ascent gets further in as many iterations; EM never makes a map worse.",
            choices=(("ascent", "ascent"), ("EM, as in the paper", "em")),
            is_seldom=True,
        ),
        "max_iter": Field(
            "Iterations",
            "The number of iterations, for EM at most. As it grows, the map takes longer and settles further.",
            least=1,
            most=100_000,
            is_whole=True,
            is_seldom=True,
        ),
        "random_state": Field(
            "Seed",
            "The same seed makes the same map. Whatever changes with another seed is chance.",
            least=0,
            most=2**31 - 1,
            is_whole=True,
            is_seldom=True,
        ),
    }
)
"""The field of each parameter, by its name."""
