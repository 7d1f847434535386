"""The elastic embedding (Carreira-Perpinan 2010): attraction by distances, repulsion by weights, one lambda."""
