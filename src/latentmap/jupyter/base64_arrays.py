"""Arrays as text in the HTML export, where the script restores them."""

import zlib
from base64 import b64encode

import numpy as np


def as_base64(array: np.ndarray) -> dict[str, str]:
    """Compress an array and write it as text.

    Returns
    -------
    dict of str to str
        The ``type`` of the items, a letter and their number of bytes; and ``packed``, the items in little-endian order.

    Examples
    --------
    >>> from base64 import b64decode
    >>> part = as_base64(np.array([1.5, -2], dtype=np.float32))
    >>> part["type"], np.frombuffer(zlib.decompress(b64decode(part["packed"])), "<f4").tolist()
    ('f4', [1.5, -2.0])
    """
    ordered = array.astype(array.dtype.newbyteorder("<"), copy=False)
    return {"type": ordered.dtype.str[1:], "packed": b64encode(zlib.compress(ordered.tobytes())).decode()}
