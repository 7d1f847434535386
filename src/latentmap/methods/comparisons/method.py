"""What forms say of the map learned from comparisons, and what it can do."""

from dataclasses import replace

import numpy as np

from latentmap.methods.comparisons.comparison_embedding import ComparisonEmbedding
from latentmap.methods.fields import DOF, N_COMPONENTS, SEED, Field, held_out_field, iterations_field
from latentmap.methods.method import Method

METHOD = Method(
    ComparisonEmbedding,
    "When you see in the images which cells are alike better than the features do, and can say so for a few dozen "
    'cells by clicks such as "this one is more like that one than like the other". The map starts from the '
    "features and adapts to your comparisons, for the compared cells and for those with similar features. Some of "
    "your comparisons are held out, and how many of these the map gets right shows whether it learned anything.",
    {
        "n_components": N_COMPONENTS,
        "feature_weight": Field(
            "Weight of features",
            "How much the features shape the map, from 0 to 1. At 0 only the comparisons do, and cells never "
            "compared may lie anywhere. Higher values keep similar cells together.",
            minimum=0,
            maximum=1,
            step=0.05,
        ),
        "dof": replace(
            DOF,
            about="How strongly the map is pulled by comparisons that it contradicts, in degrees of freedom from 0.1. "
            "With heavy tails (1) hardly, so a few comparisons may be wrong; with high values all of them must "
            "hold.",
            special_values=(("Gaussian (∞)", np.inf),),
            initial_number=1,
        ),
        "held_out": held_out_field(
            "Share of the comparisons that are held out, from 0 to 0.9, to measure how often the map agrees with "
            "you. Higher values measure this better and leave less to learn from."
        ),
        "max_iter": iterations_field(
            "Maximum number of iterations. More iterations take longer and let the map settle further."
        ),
        "random_state": SEED,
    },
    learns_from="comparisons",
)
