"""What the five sources show, figure by figure and table by table."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Shown:
    """A figure, a table, or a part of a source that has neither.

    Attributes
    ----------
    name : str
        As experiments name it in their titles and claims: "Fig. 2", "Table S1".
    what : str
        What it shows.
    why : str
        Why no experiment is about it, where none is.
    experiments : tuple of str
        Those that are about it, as "lecture.cities", where it has no number by which they could name it.
    """

    name: str
    what: str
    why: str = ""
    experiments: tuple[str, ...] = ()


@dataclass(frozen=True)
class Source:
    """A paper, or the lecture.

    Attributes
    ----------
    title : str
    papers : tuple of str
        The packages of benchmarks with its experiments.
    shown : tuple of Shown
        In the order of the source.
    """

    title: str
    papers: tuple[str, ...]
    shown: tuple[Shown, ...]


_SKETCH = "a sketch, in which nothing is measured"

SOURCES = (
    Source(
        "Saul 2020, the latent variable model",
        ("paper",),
        (
            Shown("Fig. 1", "What coarse-graining does", _SKETCH),
            Shown("Fig. 2", "Map of 70 000 digits"),
            Shown("Fig. 3", "Error of 9 neighbours by dimensions"),
            Shown("Fig. 4", "Recall of the nearest word by dimensions"),
            Shown("Table 1", "Nearest words before and after"),
            Shown("Fig. S1", "Heatmap of the map of digits"),
            Shown("Fig. S2", "The map without the most uncertain digits"),
            Shown("Fig. S3", "The 100 most uncertain digits"),
            Shown("Fig. S4", "The map with one variance for all"),
            Shown("Fig. S5", "Maps by k and s"),
            Shown("Fig. S6", "Map of digits with one level"),
            Shown("Fig. S7", "Map of digits with two levels"),
            Shown("Fig. S8", "7 000 digits without and with a level"),
            Shown("Fig. S9", "The Swiss roll without and with a level"),
            Shown("Fig. S10", "Seconds by dimensions"),
            Shown(
                "Table S1",
                "The updates of EM",
                "formulas; tests hold the code against them, written out pair by pair (`tests/reference/em.py`)",
            ),
            Shown("Table S2", "Words of the constitution, before and after", "no experiment is about it yet"),
        ),
    ),
    Source(
        "Carreira-Perpiñán 2010, the elastic embedding",
        ("elastic",),
        (
            Shown("Fig. 1", "How maps grow with λ: of two points, and of the roll"),
            Shown("Fig. 2", "A spiral"),
            Shown("Fig. 3", "The Swiss roll by λ, and by other methods"),
            Shown("Fig. 4", "Affinities learned on the roll"),
            Shown("Fig. 5", "COIL-20 by EE, SNE and t-SNE, and images made"),
        ),
    ),
    Source(
        "Park et al. 2015, the locally linear latent variable model",
        ("llvm",),
        (
            Shown("Fig. 1", "Tangent spaces and the map between them", _SKETCH),
            Shown("Fig. 2", "The model as a graph", _SKETCH),
            Shown("Fig. 3", "A roll and a bowl"),
            Shown("Fig. 4", "The bound with and without a short-circuit"),
            Shown("Fig. 5", "Digits: the bound by k, maps, errors"),
            Shown("Fig. 6", "Weather stations by their rain"),
            Shown("Fig. 7", "The stations with more neighbours"),
            Shown("Fig. 8", "Rain of each month at each station", "the data themselves, to which nothing is fitted"),
        ),
    ),
    Source(
        "Ravuri and Lawrence 2024, ProbDR",
        ("probdr",),
        (
            Shown("Fig. 1", "Maps by CNE and by two Wishart models"),
            Shown("Fig. 2", "Digits by the Bernoulli model"),
        ),
    ),
    Source(
        "A lecture on embeddings",
        ("lecture", "compare"),
        (
            Shown("B", "Ten cities by classical scaling, and by gradient descent", experiments=("lecture.cities",)),
            Shown("C", "Isomap, locally linear embedding, Laplacian eigenmaps", experiments=("lecture.roll",)),
            Shown(
                "C",
                "Motion capture and speech",
                "named as examples of manifolds, with nothing done to them; no such data are at hand",
            ),
            Shown(
                "C",
                "Maximum variance unfolding",
                "named, and not written out; no library that is used here has it",
            ),
            Shown(
                "C",
                "Intrinsic dimensions, rates of convergence, other topology",
                "named as fields, without an algorithm or an example",
            ),
            Shown("D", "New points by landmarks", experiments=("lecture.landmarks",)),
            Shown("D", "New points by a mapping that is learned", experiments=("lecture.mapping",)),
            Shown(
                "E",
                "Embeddings from pairs, triplets and quadruplets",
                experiments=("compare.cities", "compare.digits"),
            ),
            Shown(
                "F",
                "Siamese nets that check signatures; digits and cells stand in for these",
                experiments=("compare.siamese", "compare.crops"),
            ),
        ),
    ),
)
