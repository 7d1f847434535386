"""Arrays as text in a page, from which the page's script restores them."""

import zlib
from base64 import b64encode

import numpy as np


def packed(array: np.ndarray) -> dict[str, str]:
    """Compress an array, and write it as text.

    Returns
    -------
    dict of str to str
        The ``type``, by its letter and bytes, and what is ``packed``: its items one after the other, little-endian.

    Examples
    --------
    >>> from base64 import b64decode
    >>> part = packed(np.array([1.5, -2], dtype=np.float32))
    >>> part["type"], np.frombuffer(zlib.decompress(b64decode(part["packed"])), "<f4").tolist()
    ('f4', [1.5, -2.0])
    """
    ordered = array.astype(array.dtype.newbyteorder("<"), copy=False)
    return {"type": ordered.dtype.str[1:], "packed": b64encode(zlib.compress(ordered.tobytes())).decode()}
