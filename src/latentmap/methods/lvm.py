"""What forms say of the latent variable model, and what it can do."""

from latentmap.methods.fields import AUTO, DOF, MAX_ITER, METRIC, N_COMPONENTS, N_NEIGHBORS, SEED, Field
from latentmap.methods.method import Method
from latentmap.model.lvm import LVM
from latentmap.model.presets import DETAIL, PAPER, WARM

METHOD = Method(
    LVM,
    "For most data, from a hundred to millions of cells. It keeps neighbours together and says how uncertain it is "
    "of each position, which is a weaker sign than the neighbours lost. Distances between distant groups mean little, "
    "as on every map of neighbours.",
    {
        "n_neighbors": N_NEIGHBORS,
        "n_steps": Field(
            "s steps",
            "A connection counts if a path of this many steps from neighbour to neighbour leads back, from 1; "
            "usually 1 to 3. Higher values keep more connections: stray cells are drawn in and groups become "
            "tighter.",
            minimum=1,
            slider_maximum=10,
            maximum=99,
        ),
        "n_levels": Field(
            "l levels",
            "How many times distant cells are summarised by landmarks; 0 is exact. auto shows what it chose for "
            "the last map. Higher values are faster for large tables and move groups further apart.",
            special_values=AUTO,
            slider_maximum=3,
            maximum=3,
            is_whole=True,
        ),
        "n_components": N_COMPONENTS,
        "local_scaling": Field(
            "Density",
            "How space on the map is shared. Evened out: each group gets space by its number of cells, and local "
            "structure is visible everywhere. Kept: stray cells and groups whose cells vary more take up more "
            "space.",
            special_values=(("evened out", 1.0), ("kept", 0.0)),
            minimum=0,
            maximum=1,
            step=0.1,
            initial_number=0.5,
        ),
        "metric": METRIC,
        "dof": DOF,
        "repulsion": Field(
            "Repulsion",
            "Weight of dissimilar pairs of cells relative to similar ones; 1 in the paper. Higher values spread "
            "cells evenly and preserve local structure; lower values contract clusters.",
            minimum=0.1,
            maximum=1000,
            is_advanced=True,
        ),
        "similarity_scale": Field(
            "Similarity scale",
            "Factor on the length scale of similar cells; 1 in the paper. at least 1 raises it for fewer than 2300 "
            "cells, so that they do not clot. auto also lowers it for more than 3000 cells. Higher values put "
            "neighbours further apart.",
            special_values=(("at least 1", "at_least_1"), *AUTO),
            minimum=0.05,
            maximum=5,
            step=0.05,
            initial_number=1,
            is_advanced=True,
        ),
        "min_neighbors": Field(
            "Neighbours kept",
            "How many of its nearest neighbours each cell stays connected to in any case; 0 in the paper. auto is 10 "
            "up to 10 000 cells and 5 from 20 000 on. Higher values draw in cells that are unlike all others.",
            special_values=AUTO,
            minimum=0,
            maximum=9999,
            is_whole=True,
            is_advanced=True,
        ),
        "row_normalized": Field(
            "Equal weight for",
            "Whether all cells are attracted equally strongly or, as in the paper, all connections are, so that a "
            "cell with few connections is attracted less.",
            choices=(("each cell", True), ("each connection", False)),
            is_advanced=True,
        ),
        "tied_variances": Field(
            "Variances",
            "Whether all cells share one variance, as in the paper's Fig. S4, or each has its own, which says how "
            "uncertain the model is of its position. A shared variance does not show which cells are uncertain.",
            choices=(("one for each cell", False), ("one for all cells", True)),
            is_advanced=True,
        ),
        "vote_power": Field(
            "Power of votes",
            "How votes for landmarks count: a cell that stands for m cells is attracted to its landmark with "
            "weight m to this power; 1 in the paper's text, 2 in its author's program. It has an effect from l = "
            "2. Higher values move groups further apart.",
            minimum=0,
            maximum=4,
            step=0.5,
            is_advanced=True,
        ),
        "connect": Field(
            "Separate parts",
            "What happens if the graph of neighbours falls into separate parts: they are joined by their shortest "
            "bridges or, as in the paper, only the largest part is mapped and all other cells are left out.",
            choices=(("joined by bridges", "bridge"), ("only the largest", "largest")),
            is_advanced=True,
        ),
        "init": Field(
            "Start",
            "Where the cells start: at their first principal components, smoothed over the graph of neighbours so "
            "that groups stay whole; at these components unsmoothed; or, as in the paper, at the smoothest "
            "positions on that graph.",
            choices=(
                ("smoothed components", "smoothed_pca"),
                ("principal components", "pca"),
                ("smoothest on the graph", "spectral"),
            ),
            is_advanced=True,
        ),
        "solver": Field(
            "Solver",
            "How the map is optimised. The ascent makes more progress per iteration; EM never lowers the likelihood.",
            choices=(("ascent", "ascent"), ("EM, as in the paper", "em")),
            is_advanced=True,
        ),
        "learning_rate": Field(
            "Step length",
            "How far an ascent moves the cells in its first steps. Higher values let a map settle in fewer iterations, "
            "and too high ones keep it from settling. EM has no steps of this kind.",
            minimum=0.01,
            maximum=10,
            step=0.1,
            is_advanced=True,
        ),
        "max_iter": MAX_ITER,
        "random_state": SEED,
    },
    presets={"clusters": {}, "detail": DETAIL, "paper": PAPER},
    about_presets="Sets of parameters. Clusters contracts groups; detail preserves more local structure and takes two "
    "to three times as long; paper is Saul's model; custom is any other set.",
    warm_start=WARM,
    is_objective_per_cell=True,
)
