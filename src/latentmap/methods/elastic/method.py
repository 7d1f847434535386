"""What forms say of the elastic embedding, and what it can do."""

from latentmap.methods.elastic.elastic_embedding import ElasticEmbedding
from latentmap.methods.fields import (
    AUTO,
    METRIC,
    N_COMPONENTS,
    SEED,
    Field,
    iterations_field,
    neighbors_field,
    width_field,
)
from latentmap.methods.method import Method

METHOD = Method(
    ElasticEmbedding,
    "For up to 10 000 cells that change gradually, such as along the cell cycle or a differentiation, when the map"
    " should be evenly spaced. With lambda raised in steps it unrolled the Swiss roll, which t-SNE did not. It "
    "does not say how uncertain the position of a cell is.",
    {
        "n_neighbors": neighbors_field(
            "Effective number of neighbours that attract each cell, from 1; usually 5 to 50. Higher values show "
            "large-scale structure and less local structure.",
        ),
        "lam": Field(
            "λ repulsion",
            "How strongly all cells repel each other. auto chooses it from the data, so that neighbours stay "
            "together and the map is filled. Higher values spread cells evenly and blur groups.",
            special_values=AUTO,
            minimum=1e-4,
            maximum=1e6,
            step=1e-4,
            initial_number=1,
        ),
        "n_components": N_COMPONENTS,
        "metric": METRIC,
        "n_strengths": Field(
            "λ in steps",
            "In how many steps λ rises from the value at which cells begin to separate; 1 starts with λ itself. "
            "More steps depend less on the start and take longer.",
            minimum=1,
            maximum=1000,
            is_whole=True,
            is_advanced=True,
        ),
        "attraction": Field(
            "Attraction",
            "Which cells attract each other: about k neighbours with a width of each cell's own, exactly k "
            "neighbours with one width, or all cells with one width.",
            choices=(
                ("k in effect, own width", "perplexity"),
                ("k, one width", "neighbors"),
                ("all, one width", "gaussian"),
            ),
            is_advanced=True,
        ),
        "width": width_field(
            "Distance within which cells attract each other, in units of the distances; auto is the median "
            "distance of the k-th neighbour. Higher values keep large-scale structure and lose local structure.",
            "attraction",
            ("neighbors", "gaussian"),
        ),
        "repulsion": Field(
            "Repulsion by",
            "How strongly each pair repels: by its squared distance, as in the paper, so that dissimilar cells are"
            " pushed further apart, or all pairs equally.",
            choices=(("squared distance", "distance"), ("equal for all", "uniform")),
            is_advanced=True,
        ),
        "init": Field(
            "Start",
            "Where the cells start: close together at random, or at the spectral positions on the graph of "
            "neighbours, which involve no chance.",
            choices=(("random", "random"), ("spectral", "spectral")),
            is_advanced=True,
        ),
        "max_iter": iterations_field(
            "Maximum number of iterations for each λ. More iterations take longer and let the map settle further."
        ),
        "random_state": SEED,
    },
)
