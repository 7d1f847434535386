"""What forms say about the features and how they are prepared."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from latentmap.methods.fields import Field
from latentmap.session import Parameters
from latentmap.table.harmony import is_installed

PREPARATION = ("transform", "cofactor", "scaling", "n_pca", "missing")
"""The parameters of the preparation, in the order of a form."""

UNCORRECTED = "no batch correction"
"""The words for principal components that Harmony does not correct."""

TOGETHER = "all cells together"
"""The words for features that are scaled within no groups."""

PRESET = "Preset"
"""The label of the presets of a method."""

FIELDS: Mapping[str, Field] = MappingProxyType(
    {
        "features": Field(
            "Features",
            "The features that shape the map: cells with similar values lie close together. Click one to tick it or "
            "clear its tick.",
        ),
        "transform": Field(
            "Transform",
            "Applied to every value first. Use log(1 + x) for counts and arcsinh for cytometry intensities; the rank "
            "keeps only the order of the cells.",
            choices=(("none", "none"), ("log(1 + x)", "log1p"), ("arcsinh(x / c)", "arcsinh"), ("rank", "rank")),
        ),
        "cofactor": Field(
            "c",
            "The cofactor of arcsinh, in the unit of the features: usually 5 for mass cytometry and 150 for "
            "fluorescence. The larger it is, the less differences among low values matter.",
            minimum=0.01,
            maximum=100_000,
        ),
        "scaling": Field(
            "Scaling",
            "Puts all features on a common scale, so that no unit outweighs another: by mean and standard deviation "
            "(standard), or by median and quartiles (robust), which resists outliers. Without scaling, features with "
            "large numbers dominate.",
            choices=(("standard", "standard"), ("robust", "robust"), ("none", "none")),
        ),
        "scale_within": Field(
            "Scale within",
            "Which cells the scaling compares. Within each image or plate, differences of staining and exposure "
            "between them vanish, and so does any true difference of their means: choose it if all should hold the "
            "same kinds of cells. New cells of another image are scaled among themselves.",
        ),
        "harmony_by": Field(
            "Harmony",
            "Which batches Harmony corrects the principal components for, so that cells of the same kind lie together "
            "whatever their image or plate. Batches that hold different kinds of cells may be mixed more than they "
            "should be. New cells cannot be placed on such a map.",
        ),
        "n_pca": Field(
            "PCA",
            "The number of principal components that the map is made from; 0 uses the features themselves. "
            "Higher values count smaller differences, and noise as well.",
            minimum=0,
            maximum=1000,
            is_whole=True,
        ),
        "missing": Field(
            "Missing values",
            "What happens to a cell that lacks a value for some feature: it is left out, or the gap is filled.",
            choices=(
                ("leave the cell out", "leave out"),
                ("median of all cells", "median"),
                ("mean of similar cells", "similar cells"),
            ),
        ),
    }
)
"""The field of each of these parameters, by name."""


def scale_choices(groups: Sequence[str], parameters: Parameters) -> list[tuple[str, str]]:
    """List the groups of cells within which the features can be scaled.

    Parameters
    ----------
    groups : sequence of str
        As `latentmap.table.within_groups.group_columns` finds them.
    parameters : Parameters

    Returns
    -------
    list of (str, str)
        Words and value of each choice; empty where there is nothing to choose. What the parameters say is among them.

    Examples
    --------
    >>> scale_choices(["layer", "plate"], Parameters())
    [('all cells together', ''), ('each layer', 'layer'), ('each plate', 'plate')]
    >>> scale_choices([], Parameters())
    []
    """
    chosen = parameters.scale_within
    values = [*groups, *([chosen] if chosen and chosen not in groups else [])]
    if not values or parameters.scaling == "none":
        return []
    return [(TOGETHER, ""), *((f"each {name}", name) for name in values)]


def harmony_choices(groups: Sequence[str], parameters: Parameters) -> list[tuple[str, str]]:
    """List the batches that Harmony can correct for.

    Parameters
    ----------
    groups : sequence of str
        As `latentmap.table.within_groups.group_columns` finds them.
    parameters : Parameters

    Returns
    -------
    list of (str, str)
        Words and value of each choice; empty where there is nothing to choose, as without principal components. If no
        package has Harmony, the words say which to install.

    Examples
    --------
    >>> harmony_choices(["plate"], Parameters(n_pca=0))
    []
    >>> [value for _, value in harmony_choices(["plate"], Parameters(n_pca=5))]
    ['', 'plate']
    """
    chosen = parameters.harmony_by
    values = [*groups, *([chosen] if chosen and chosen not in groups else [])]
    if not values or not parameters.n_pca:
        return []
    missing = "" if is_installed() else " (pip install harmonypy)"
    return [(UNCORRECTED, ""), *((f"by {name}{missing}", name) for name in values)]
