"""The other systems of the papers beside the latent variable model, under the same interface."""

from latentmap.methods.comparison_embedding import ComparisonEmbedding
from latentmap.methods.comparisons import Comparisons
from latentmap.methods.elastic_embedding import ElasticEmbedding
from latentmap.methods.registry import available
from latentmap.methods.siamese import Siamese

__all__ = ["ComparisonEmbedding", "Comparisons", "ElasticEmbedding", "Siamese", "available"]
