"""The other systems of the papers beside the latent variable model, under the same interface."""

from latentmap.methods.classical_mds import ClassicalMDS
from latentmap.methods.elastic_embedding import ElasticEmbedding
from latentmap.methods.landmark_mds import LandmarkMDS
from latentmap.methods.registry import available

__all__ = ["ClassicalMDS", "ElasticEmbedding", "LandmarkMDS", "available"]
