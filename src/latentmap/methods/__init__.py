"""The other methods of the papers, with the same interface as the latent variable model."""

from latentmap.methods.comparisons.comparison_embedding import ComparisonEmbedding
from latentmap.methods.comparisons.comparisons import Comparisons
from latentmap.methods.elastic.elastic_embedding import ElasticEmbedding
from latentmap.methods.laplacian_eigenmaps import LaplacianEigenmaps
from latentmap.methods.learned_mapping import LearnedMapping
from latentmap.methods.lllvm.lllvm import LLLVM
from latentmap.methods.locally_linear import LocallyLinearEmbedding
from latentmap.methods.mds.classical import ClassicalMDS
from latentmap.methods.mds.gradient import GradientMDS
from latentmap.methods.mds.isomap import Isomap
from latentmap.methods.mds.landmark import LandmarkMDS
from latentmap.methods.method import Method
from latentmap.methods.probdr.probdr import ProbDR
from latentmap.methods.registry import DEFAULT, METHODS, available
from latentmap.methods.siamese.siamese import Siamese

__all__ = [
    "DEFAULT",
    "LLLVM",
    "METHODS",
    "ClassicalMDS",
    "ComparisonEmbedding",
    "Comparisons",
    "ElasticEmbedding",
    "GradientMDS",
    "Isomap",
    "LandmarkMDS",
    "LaplacianEigenmaps",
    "LearnedMapping",
    "LocallyLinearEmbedding",
    "Method",
    "ProbDR",
    "Siamese",
    "available",
]
