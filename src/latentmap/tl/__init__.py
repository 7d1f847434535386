"""Maps in an AnnData, as scanpy's tools make them: ``latentmap.tl.lvm(adata)``, and one function for each method."""

from latentmap.extras import require

require("latentmap.tl", "files", "pandas", "psygnal", "skimage", "anndata")

from latentmap.tl.again import replay
from latentmap.tl.tool import Tool

lvm = Tool("lvm")
elastic_embedding = Tool("elastic-embedding")
ll_lvm = Tool("ll-lvm")
probdr = Tool("probdr")
classical_mds = Tool("classical-mds")
gradient_mds = Tool("gradient-mds")
landmark_mds = Tool("landmark-mds")
isomap = Tool("isomap")
lle = Tool("lle")
laplacian_eigenmaps = Tool("laplacian-eigenmaps")
comparisons = Tool("comparisons")
siamese = Tool("siamese")

__all__ = [
    "classical_mds",
    "comparisons",
    "elastic_embedding",
    "gradient_mds",
    "isomap",
    "landmark_mds",
    "laplacian_eigenmaps",
    "ll_lvm",
    "lle",
    "lvm",
    "probdr",
    "replay",
    "siamese",
]
