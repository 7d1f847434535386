"""The other systems of the papers beside the latent variable model, under the same interface."""

from latentmap.methods.elastic_embedding import ElasticEmbedding
from latentmap.methods.lllvm import LLLVM
from latentmap.methods.registry import available

__all__ = ["LLLVM", "ElasticEmbedding", "available"]
