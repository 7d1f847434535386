"""What forms say of the Siamese network, and what it can do."""

from latentmap.methods.fields import N_COMPONENTS, SEED, Field, held_out_field, iterations_field, neighbors_field
from latentmap.methods.method import Method
from latentmap.methods.siamese.siamese import Siamese

METHOD = Method(
    Siamese,
    "When you have named the classes of many cells and want new cells to be placed by them, or when "
    "thousands of pictures of cells are all that you have. It learns a mapping from the features, or "
    "from the pixels of the pictures, that draws cells of one class together, and then places any new "
    "cell at once. On a few hundred cells it learns them by heart; look at the held-out accuracy "
    "before you believe the map.",
    {
        "n_neighbors": neighbors_field(
            "Without classes: how many of the most similar cells are to lie close to each cell, from 1; "
            "5 to 30 are usual. As it grows, the map shows the larger groups.",
        ),
        "n_components": N_COMPONENTS,
        "margin": Field(
            "Margin",
            "How far apart cells that are not alike are driven. As it grows, the map is larger.",
            minimum=0.01,
            maximum=100,
            step=0.1,
            is_advanced=True,
        ),
        "n_hidden": Field(
            "Hidden units",
            "How many units the network has. As they grow, it learns finer differences, and learns by heart "
            "where cells are few.",
            minimum=1,
            maximum=4096,
            is_whole=True,
            is_advanced=True,
        ),
        "noise": Field(
            "Noise",
            "How much noise is added to the features while it learns, in units of their spread; 0 is none. As "
            "it grows, cells are less learned by heart, and what a few features tell is lost.",
            minimum=0,
            maximum=10,
            step=0.05,
            is_advanced=True,
        ),
        "learning_rate": Field(
            "Step length",
            "How long the first steps are. As it grows, the network learns sooner or not at all.",
            minimum=1e-4,
            maximum=1,
            step=1e-3,
            is_advanced=True,
        ),
        "held_out": held_out_field(
            "Which part of the cells it does not learn from, from 0 to 0.9: they tell how good the mapping is. "
            "As it grows, that is known better and less is learned."
        ),
        "max_iter": iterations_field("Epochs: how often the network sees all cells. As they grow, it learns further."),
        "random_state": SEED,
    },
    learns_from="classes",
)
