"""How kernels are compiled."""

from typing import Any

OPTIONS: Any = {"nogil": True, "cache": True, "error_model": "numpy", "fastmath": True}
"""Without the interpreter's lock, kept on the disk, and without numba's check for a zero divisor, which stops
vectorisation."""
INLINE: Any = {**OPTIONS, "forceinline": True}
"""The same for what is called for each row or pair. Left to LLVM, most of it is found too long to inline; and a process
that compiles inlines otherwise than one that finds compiled code on the disk, so that sums are added in another order.
"""
