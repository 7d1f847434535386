"""Images and labels: opened from files, read part by part, and cut into pictures of cells."""

from latentmap.extras import require

require("latentmap.images", "table", "pandas", "skimage", "tifffile")
