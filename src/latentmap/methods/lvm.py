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
            "Within how many steps from neighbour to neighbour a tie must lead back, from 1; usual are 1 to 3. As it "
            "grows, more ties are kept: stray cells are drawn in and clumps become tighter.",
            least=1,
            usual=10,
            most=99,
        ),
        "n_levels": Field(
            "l levels",
            "How often distant cells are summed up by landmarks; auto shows what it chose for the last map. As it "
            "grows, large tables are embedded faster and groups move further apart; 0 is exact.",
            words=AUTO,
            usual=3,
            most=3,
            is_whole=True,
        ),
        "n_components": N_COMPONENTS,
        "local_scaling": Field(
            "Density",
            "How much room cells get. Evened out, each group has room by its number of cells, and small neighbourhoods "
            "are told apart everywhere. Kept, groups whose cells vary more, and stray cells, take up more room.",
            words=(("evened out", 1.0), ("kept", 0.0)),
            least=0,
            most=1,
            step=0.1,
            first=0.5,
        ),
        "metric": METRIC,
        "dof": DOF,
        "repulsion": Field(
            "Repulsion",
            "How much cells that are not alike weigh against those that are; 1 in the paper. As it grows, cells spread "
            "evenly and small neighbourhoods stay; as it falls, clusters draw together.",
            least=0.1,
            most=1000,
            is_seldom=True,
        ),
        "similarity_scale": Field(
            "Similarity scale",
            "What the lengths between similar cells are multiplied by. As it grows, neighbours lie further apart.",
            least=0.05,
            most=5,
            step=0.05,
            is_seldom=True,
        ),
        "min_neighbors": Field(
            "Neighbours kept",
            "So many of its nearest neighbours each cell is tied to in any case; 0 in the paper. As it grows, cells "
            "that are like no others are drawn in.",
            least=0,
            most=9999,
            is_whole=True,
            is_seldom=True,
        ),
        "row_normalized": Field(
            "Ties weigh",
            "Whether each cell is held as firmly as any other, or each tie is as firm, as in the paper, so that cells "
            "with few ties are held less.",
            choices=(("the same for each cell", True), ("the same for each tie", False)),
            is_seldom=True,
        ),
        "tied_variances": Field(
            "Variances",
            "Whether each cell has a variance of its own, which tells how uncertain its place is, or all cells share "
            "one, as in the paper's Fig. S4: then the map tells no uncertain cells from the others.",
            choices=(("one for each cell", False), ("one for all cells", True)),
            is_seldom=True,
        ),
        "vote_power": Field(
            "Votes' power",
            "How the votes for landmarks count: a member that stands for m cells is drawn to its landmark with the "
            "weight m to this power, 1 in the paper's text and 2 in its author's program. It matters from l = 2 on. As "
            "it grows, groups move further apart.",
            least=0,
            most=4,
            step=0.5,
            is_seldom=True,
        ),
        "connect": Field(
            "Separate parts",
            "What is done where no ties from neighbour to neighbour join all cells: the parts are joined by their "
            "shortest bridges, or, as in the paper, the largest part alone is mapped, and the cells of the others are "
            "left out.",
            choices=(("joined by bridges", "bridge"), ("the largest alone", "largest")),
            is_seldom=True,
        ),
        "init": Field(
            "Start",
            "Where the cells lie at first: by their two main directions of difference, or smoothest on the graph of "
            "neighbours, as in the paper.",
            choices=(("principal components", "pca"), ("smoothest on the graph", "spectral")),
            is_seldom=True,
        ),
        "solver": Field(
            "Solver",
            "How the map is sought. The ascent gets further in as many iterations, EM never makes a map worse.",
            choices=(("ascent", "ascent"), ("EM, as in the paper", "em")),
            is_seldom=True,
        ),
        "max_iter": MAX_ITER,
        "random_state": SEED,
    },
    presets={"clusters": {}, "detail": DETAIL, "paper": PAPER},
    about_presets="Parameters that belong together. Clusters draws groups together, detail keeps more of the small "
    "neighbourhoods and takes about twice as long, paper is Saul's model; custom is none of them.",
    warm=WARM,
    is_told_per_cell=True,
)
