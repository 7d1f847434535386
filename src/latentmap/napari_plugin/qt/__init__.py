"""General Qt widgets, which know nothing about cells."""
