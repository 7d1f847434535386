"""Maps learned from comparisons of cells by a person."""
