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
    "For up to 10 000 cells that change by degrees, such as along a cell cycle or a differentiation, when the "
    "map should be evenly spaced. With lambda raised in steps it unrolled the Swiss roll, which t-SNE did not. "
    "It says nothing of how uncertain a cell's place is.",
    {
        "n_neighbors": neighbors_field(
            "How many neighbours in effect draw each cell, from 1; 5 to 50 are usual. As it grows, the "
            "map shows the larger shapes and less of the small ones.",
        ),
        "lam": Field(
            "λ repulsion",
            "How much all cells repel each other; auto finds the number from the cells, so that neighbours "
            "stay together and the map is filled. As it grows, cells spread evenly, and groups lose their "
            "outline.",
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
            "In how many steps λ rises from where the cells begin to part; 1 starts with λ itself. As it "
            "grows, the map depends less on the start and takes longer.",
            minimum=1,
            maximum=1000,
            is_whole=True,
            is_advanced=True,
        ),
        "attraction": Field(
            "Attraction",
            "Whom a cell draws, and how much: k neighbours in effect with a width of its own, k neighbours at "
            "one width for all, or all cells at one width.",
            choices=(
                ("k in effect, own width", "perplexity"),
                ("k, one width", "neighbors"),
                ("all, one width", "gaussian"),
            ),
            is_advanced=True,
        ),
        "width": width_field(
            "Within which distance a cell draws others, in the unit of the distances; auto takes the median "
            "one of the k-th neighbour. As it grows, larger shapes are kept and small ones are lost.",
            "attraction",
            ("neighbors", "gaussian"),
        ),
        "repulsion": Field(
            "Repel by",
            "How much each pair repels: by its squared distance, as in the paper, so that unlike cells are "
            "driven further apart, or all pairs alike.",
            choices=(("squared distance", "distance"), ("all alike", "uniform")),
            is_advanced=True,
        ),
        "init": Field(
            "Start",
            "Where the cells start: close together at random, or where the graph of neighbours puts them. The "
            "second depends on no chance.",
            choices=(("random", "random"), ("spectral", "spectral")),
            is_advanced=True,
        ),
        "max_iter": iterations_field(
            "Iterations at most, for each λ. As they grow, the map takes longer and settles further."
        ),
        "random_state": SEED,
    },
)
