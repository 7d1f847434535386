"""ProbDR (Ravuri and Lawrence 2024): UMAP-like maps as the likeliest ones of a model of the graph."""
