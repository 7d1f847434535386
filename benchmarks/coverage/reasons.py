"""Why the tests run less of a module than they should: the one place where such a reason stands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from benchmarks.coverage.measured import Module

# Lines of compiled functions are not seen; each of them is compared with a dense reference in float64.
_COMPILED = "compiled by numba, whose lines are not seen while they run; the rest of the module is run"
REASONS: dict[str, str] = dict.fromkeys(
    [
        "methods/elastic/energy.py",
        "methods/mds/squared_stress.py",
        "methods/probdr/landmarks.py",
        "methods/probdr/pairs.py",
        "model/kd_tree.py",
        "model/kernels.py",
        "model/list_search.py",
        "model/partition.py",
        "model/sampled_kernels.py",
    ],
    _COMPILED,
)
"""By the path of a module within the package."""


def amiss(found: Iterable[Module], reasons: Mapping[str, str] = REASONS) -> list[str]:
    """Return what does not agree: modules that lack a reason, and reasons that no module needs."""
    short = {one.path for one in found if not one.is_enough}
    return [
        *(f"{path} needs a reason" for path in sorted(short - reasons.keys())),
        *(f"{path} needs no reason any more" for path in sorted(reasons.keys() - short)),
    ]
