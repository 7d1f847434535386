"""What forms say of LL-LVM, and what it can do."""

from latentmap.methods.fields import N_COMPONENTS, SEED_OF_START, STARTS, Field, iterations_field, neighbors_field
from latentmap.methods.lllvm.lllvm import LLLVM
from latentmap.methods.method import Method

METHOD = Method(
    LLLVM,
    "For up to about 2000 cells on one smooth surface, such as a time course with few features, when you want to "
    "know how many dimensions the surface has or to predict the features of a cell between measured ones: it gives"
    " every cell its own linear map. Its variances are those of its own model; on none of five tables did they show"
    " which cells had lost their neighbours on the map. For separate types of cells, other methods separate "
    "the types better, and in seconds instead of minutes.",
    {
        "n_neighbors": neighbors_field(
            "How many of its most similar cells each cell is connected to, from 1; usually 4 to 30. Higher values "
            "make the map stiffer and shortcuts between distant parts more likely.",
        ),
        "n_components": N_COMPONENTS,
        "alpha": Field(
            "α to the centre",
            "How strongly positions are drawn to the centre: learned from the data, or a number; 0.001 in the "
            "authors' program. Higher values give a smaller map.",
            special_values=(("learned", "learned"),),
            minimum=1e-4,
            maximum=100,
            step=1e-4,
            initial_number=1e-3,
            is_advanced=True,
        ),
        "likelihood": Field(
            "Likelihood",
            "How the differences between a cell and its neighbours are fitted: jointly, as in the authors' "
            "programs, or each separately, as in the paper's equations, which is faster.",
            choices=(("normalised, all at once", "normalised"), ("each by itself", "paper")),
            is_advanced=True,
        ),
        "init": Field(
            "Start",
            "What the fit starts from: the smoothest positions on the graph of neighbours, which do not depend on "
            "the seed except in the last digits, or random linear maps, as in the paper.",
            choices=STARTS,
            is_advanced=True,
        ),
        "n_init": Field(
            "Random starts",
            "How many random starts are tried, one after the other; the map with the highest bound is kept. More "
            "starts take proportionally longer and depend less on chance.",
            minimum=1,
            maximum=1000,
            is_whole=True,
            is_advanced=True,
            depends_on="init",
            depends_on_values=("random",),
        ),
        "max_iter": iterations_field(
            "Maximum number of iterations of each start. More iterations take longer and let the map settle further."
        ),
        "random_state": SEED_OF_START,
    },
)
