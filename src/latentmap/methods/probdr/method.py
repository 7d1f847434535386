"""What forms say of ProbDR, and what it can do."""

from latentmap.methods.fields import METRIC, N_COMPONENTS, SEED, STARTS, Field, iterations_field, neighbors_field
from latentmap.methods.method import Method
from latentmap.methods.probdr.probdr import ProbDR

METHOD = Method(
    ProbDR,
    "For a map like UMAP's, with groups of cells contracted, that follows from a stated probability model. It "
    "takes tens of thousands of cells, or up to 5000 with the normalised Wishart model. It cannot place new cells "
    "and does not say how uncertain the position of a cell is.",
    {
        "n_neighbors": neighbors_field(
            "How many of its most similar cells each cell is connected to, from 1; usually 5 to 30. Higher values "
            "merge small groups.",
        ),
        "model": Field(
            "Model",
            "The probability model of the graph of neighbours: neighbours contrasted with other pairs, as in UMAP;"
            " an independent draw for each pair; or a sample of a covariance matrix, which takes longer. The "
            "normalised model takes up to 5000 cells and needs one negative if there are a few thousand.",
            choices=(
                ("contrast, like UMAP", "cne"),
                ("Bernoulli", "bernoulli"),
                ("Wishart", "wishart"),
                ("Wishart, normalised", "wishart-normalised"),
            ),
        ),
        "n_components": N_COMPONENTS,
        "metric": METRIC,
        "n_negatives": Field(
            "Negatives",
            "With how many other cells each neighbour is contrasted. Higher values move groups apart.",
            minimum=1,
            maximum=100,
            is_whole=True,
            is_advanced=True,
        ),
        "init": Field(
            "Start",
            "Where the cells start: at the smoothest positions on the graph of neighbours, with some noise, or at "
            "random.",
            choices=STARTS,
            is_advanced=True,
        ),
        "learning_rate": Field(
            "Step length",
            "Length of the first steps; 1 in the paper. With longer steps the map settles sooner, or not at all.",
            minimum=0.01,
            maximum=100,
            step=0.1,
            is_advanced=True,
        ),
        "max_iter": iterations_field(
            "Number of iterations. More iterations take longer and let the map settle further."
        ),
        "random_state": SEED,
    },
)
