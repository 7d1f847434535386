"""The other systems of the papers beside the latent variable model, under the same interface."""

from latentmap.methods.elastic_embedding import ElasticEmbedding
from latentmap.methods.probdr import ProbDR
from latentmap.methods.registry import available

__all__ = ["ElasticEmbedding", "ProbDR", "available"]
