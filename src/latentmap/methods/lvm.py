"""What forms say of the latent variable model, and what it can do."""

from latentmap.methods.fields import AUTO, DOF, MAX_ITER, METRIC, N_COMPONENTS, N_NEIGHBORS, SEED, Field
from latentmap.methods.method import Method
from latentmap.model.lvm import LVM
from latentmap.model.presets import DETAIL, PAPER, WARM

METHOD = Method(
    LVM,
    "For most cells and tables, from a hundred to millions. It keeps neighbours together and says of "
    "each cell how uncertain its place is. Distances between far groups mean little, as in all maps "
    "of neighbours.",
    {
        "n_neighbors": N_NEIGHBORS,
        "n_steps": Field(
            "s steps",
            "Within how many steps from neighbour to neighbour a tie must lead back, from 1; 1 to 3 are usual. As it "
            "grows, more ties are kept: stray cells are drawn in and clumps become tighter.",
            minimum=1,
            slider_maximum=10,
            maximum=99,
        ),
        "n_levels": Field(
            "l levels",
            "How many times distant cells are summarised by landmarks; auto shows what it chose for the last map. As "
            "it grows, large tables are embedded faster and groups move further apart; 0 is exact.",
            special_values=AUTO,
            slider_maximum=3,
            maximum=3,
            is_whole=True,
        ),
        "n_components": N_COMPONENTS,
        "local_scaling": Field(
            "Density",
            "How much room cells get. Evened out, each group has room according to its number of cells, and small "
            "neighbourhoods are visible everywhere. Kept, stray cells and groups whose cells vary more take more "
            "room.",
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
            "The weight of dissimilar cells against similar ones; 1 in the paper. As it grows, cells spread evenly "
            "and small neighbourhoods are preserved; as it falls, clusters draw together.",
            minimum=0.1,
            maximum=1000,
            is_advanced=True,
        ),
        "similarity_scale": Field(
            "Similarity scale",
            "A factor on the lengths between similar cells; auto is 1 up to 3000 cells and falls as there are more. As "
            "it grows, neighbours lie further apart.",
            special_values=AUTO,
            minimum=0.05,
            maximum=5,
            step=0.05,
            initial_number=1,
            is_advanced=True,
        ),
        "min_neighbors": Field(
            "Neighbours kept",
            "How many of its nearest neighbours each cell is tied to in any case; 0 in the paper. As it grows, cells "
            "unlike all others are drawn in.",
            minimum=0,
            maximum=9999,
            is_whole=True,
            is_advanced=True,
        ),
        "row_normalized": Field(
            "Ties weigh",
            "Whether every cell is held equally firmly or, as in the paper, every tie is equally firm, so that cells "
            "with few ties are held less.",
            choices=(("the same for each cell", True), ("the same for each tie", False)),
            is_advanced=True,
        ),
        "tied_variances": Field(
            "Variances",
            "Whether each cell has a variance of its own, which tells how uncertain its place is, or all cells share "
            "one, as in the paper's Fig. S4: the map then does not show which cells are uncertain.",
            choices=(("one for each cell", False), ("one for all cells", True)),
            is_advanced=True,
        ),
        "vote_power": Field(
            "Votes' power",
            "How votes for landmarks count: a member that stands for m cells is drawn to its landmark with a weight "
            "of m to this power, 1 in the paper's text and 2 in its author's program. It matters from l = 2. As it "
            "grows, groups move further apart.",
            minimum=0,
            maximum=4,
            step=0.5,
            is_advanced=True,
        ),
        "connect": Field(
            "Separate parts",
            "What is done if ties from neighbour to neighbour do not connect all cells: the parts are joined by "
            "their shortest bridges or, as in the paper, only the largest part is mapped, and all other cells are "
            "left out.",
            choices=(("joined by bridges", "bridge"), ("only the largest", "largest")),
            is_advanced=True,
        ),
        "init": Field(
            "Start",
            "Where the cells start: at their first principal components, smoothed over the graph of neighbours so "
            "that groups stay whole, or as they are; or, as in the paper, as smoothly as possible on that graph.",
            choices=(
                ("smoothed components", "smoothed_pca"),
                ("principal components", "pca"),
                ("smoothest on the graph", "spectral"),
            ),
            is_advanced=True,
        ),
        "solver": Field(
            "Solver",
            "How the map is optimised. The ascent gets further in as many iterations; EM never makes a map worse.",
            choices=(("ascent", "ascent"), ("EM, as in the paper", "em")),
            is_advanced=True,
        ),
        "max_iter": MAX_ITER,
        "random_state": SEED,
    },
    presets={"clusters": {}, "detail": DETAIL, "paper": PAPER},
    about_presets="Sets of parameters. Clusters draws groups together, detail preserves more of the small "
    "neighbourhoods and takes about twice as long, paper is Saul's model; custom is any other set.",
    warm_start=WARM,
    is_objective_per_cell=True,
)
