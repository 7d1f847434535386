"""What forms say of LL-LVM, and what it can do."""

from latentmap.methods.fields import N_COMPONENTS, SEED_OF_START, STARTS, Field, iterations_field, neighbors_field
from latentmap.methods.lllvm.lllvm import LLLVM
from latentmap.methods.method import Method

METHOD = Method(
    LLLVM,
    "For up to some 2000 cells on one smooth sheet, such as a time course of few measured features, when you "
    "want to know how many dimensions the sheet has, or to predict what a cell between others would measure: it"
    " gives every cell its own linear map. Its variances are those of its own model; on four of five tables "
    "they did not tell which cells had lost their neighbours on the map. Where cells fall into separate kinds, "
    "other methods tell these apart better, and it takes minutes where they take seconds.",
    {
        "n_neighbors": neighbors_field(
            "How many of the most similar cells each cell is tied to, from 1; 4 to 30 are usual. As it "
            "grows, the map is stiffer, and shortcuts between far parts become likelier.",
        ),
        "n_components": N_COMPONENTS,
        "alpha": Field(
            "α to the centre",
            "How strongly the places are drawn to the middle: learned from the data, or a number; 0.001 in the "
            "authors' program. As it grows, the map is smaller.",
            special_values=(("learned", "learned"),),
            minimum=1e-4,
            maximum=100,
            step=1e-4,
            initial_number=1e-3,
            is_advanced=True,
        ),
        "likelihood": Field(
            "Likelihood",
            "How a cell's differences from its neighbours are fitted: all at once, as in the authors' "
            "programs, or each by itself, as in the paper's equations, which is faster.",
            choices=(("normalised, all at once", "normalised"), ("each by itself", "paper")),
            is_advanced=True,
        ),
        "init": Field(
            "Start",
            "Where it starts: the cells at the smoothest places along the graph of neighbours, which hangs "
            "on no seed but in the last digits, or their maps at random, as in the paper.",
            choices=STARTS,
            is_advanced=True,
        ),
        "n_init": Field(
            "Random starts",
            "How many random starts are tried, one after the other; the map of the highest bound is kept. As "
            "they grow, it takes as many times longer and depends less on chance.",
            minimum=1,
            maximum=1000,
            is_whole=True,
            is_advanced=True,
            depends_on="init",
            depends_on_values=("random",),
        ),
        "max_iter": iterations_field(
            "Iterations at most, of each start. As they grow, the map takes longer and settles further."
        ),
        "random_state": SEED_OF_START,
    },
)
