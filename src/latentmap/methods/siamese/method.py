"""What forms say of the Siamese network, and what it can do."""

from latentmap.methods.fields import N_COMPONENTS, SEED, Field, held_out_field, iterations_field, neighbors_field
from latentmap.methods.method import Method
from latentmap.methods.siamese.siamese import Siamese

METHOD = Method(
    Siamese,
    "When you have put many cells into classes and want to place new cells by them, or when all you have is "
    "thousands of pictures of cells. It learns a mapping from the features, or from the pixels of the pictures, "
    "that brings cells of one class together, and then places any new cell at once. It overfits a few hundred "
    "cells; look at the held-out accuracy before you believe the map.",
    {
        "n_neighbors": neighbors_field(
            "Without classes: how many of its most similar cells should lie close to each cell, from 1; usually 5 "
            "to 30. Higher values show the larger groups.",
        ),
        "n_components": N_COMPONENTS,
        "margin": Field(
            "Margin",
            "How far apart dissimilar cells are pushed. Higher values give a larger map.",
            minimum=0.01,
            maximum=100,
            step=0.1,
            is_advanced=True,
        ),
        "n_hidden": Field(
            "Hidden units",
            "Number of hidden units of the network. More units learn finer differences and overfit if there are "
            "few cells.",
            minimum=1,
            maximum=4096,
            is_whole=True,
            is_advanced=True,
        ),
        "noise": Field(
            "Noise",
            "How much noise is added to the features during training, in units of their spread; 0 is none. More "
            "noise reduces overfitting and hides what only a few features show.",
            minimum=0,
            maximum=10,
            step=0.05,
            is_advanced=True,
        ),
        "learning_rate": Field(
            "Step length",
            "Length of the first steps. With longer steps the network learns sooner, or not at all.",
            minimum=1e-4,
            maximum=1,
            step=1e-3,
            is_advanced=True,
        ),
        "held_out": held_out_field(
            "Share of the cells that are held out from training, from 0 to 0.9, to measure how good the mapping "
            "is. Higher values measure this better and leave less to learn from."
        ),
        "max_iter": iterations_field("Number of epochs: how often the network sees all cells. More epochs learn more."),
        "random_state": SEED,
    },
    learns_from="classes",
)
