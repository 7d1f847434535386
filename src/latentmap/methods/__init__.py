"""The other systems of the papers beside the latent variable model, under the same interface."""

from latentmap.methods.classical_mds import ClassicalMDS
from latentmap.methods.comparison_embedding import ComparisonEmbedding
from latentmap.methods.comparisons import Comparisons
from latentmap.methods.elastic_embedding import ElasticEmbedding
from latentmap.methods.gradient_mds import GradientMDS
from latentmap.methods.isomap import Isomap
from latentmap.methods.landmark_mds import LandmarkMDS
from latentmap.methods.laplacian_eigenmaps import LaplacianEigenmaps
from latentmap.methods.learned_mapping import LearnedMapping
from latentmap.methods.lllvm import LLLVM
from latentmap.methods.locally_linear import LocallyLinearEmbedding
from latentmap.methods.probdr import ProbDR
from latentmap.methods.registry import available
from latentmap.methods.siamese import Siamese

__all__ = [
    "LLLVM",
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
    "ProbDR",
    "Siamese",
    "available",
]
