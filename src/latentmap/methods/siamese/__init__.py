"""The Siamese form: a network, learned from pairs of cells, that places them."""
