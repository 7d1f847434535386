"""What forms say of the features, and of what is done to them first."""

from collections.abc import Mapping
from types import MappingProxyType

from latentmap.methods.fields import Field

PREPARATION = ("transform", "cofactor", "scaling", "n_pca", "missing")
"""The parameters of the preparation, in the order of a form."""

PRESET = "Preset"
"""What stands before the presets of a method."""

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
    }
)
"""What a form says of each, by its name."""
