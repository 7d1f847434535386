"""What forms say of the map learned from comparisons, and what it can do."""

from dataclasses import replace

import numpy as np

from latentmap.methods.comparisons.comparison_embedding import ComparisonEmbedding
from latentmap.methods.fields import DOF, N_COMPONENTS, SEED, Field, held_out_field, iterations_field
from latentmap.methods.method import Method

METHOD = Method(
    ComparisonEmbedding,
    "When you see in the images which cells are alike, better than the features say, and can tell it "
    'of a few tens of cells by clicks such as "this one is more like that one than like the other". '
    "The map starts from the features and bends where you say something, for the cells you named and "
    "for those with like features. A part of what you say is held out, and how much of that the map "
    "keeps to tells whether it learned anything.",
    {
        "n_components": N_COMPONENTS,
        "feature_weight": Field(
            "Features' share",
            "How much the features hold the map, from 0 to 1. At 0 the comparisons alone place the cells, and "
            "those never compared stay anywhere; as it grows, alike cells stay together.",
            minimum=0,
            maximum=1,
            step=0.05,
        ),
        "dof": replace(
            DOF,
            about="How far a comparison that the map does not keep to still pulls at it: with heavy tails (1) "
            "hardly, so that a few may be wrong. As the degrees of freedom grow, from 0.1, all are to hold.",
            special_values=(("Gaussian (∞)", np.inf),),
            initial_number=1,
        ),
        "held_out": held_out_field(
            "Which part of the comparisons the map does not see, from 0 to 0.9: they tell how often it agrees "
            "with you. As it grows, that is known better and less is learned."
        ),
        "max_iter": iterations_field("Iterations at most. As they grow, the map takes longer and settles further."),
        "random_state": SEED,
    },
    learns_from="comparisons",
)
