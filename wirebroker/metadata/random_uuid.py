"""random_uuid: the ids of topics and clusters.  The module uuid takes 2 ms and 0.1 MB, which a broker would keep."""

from __future__ import annotations

import os


def random_uuid() -> bytes:
    """Return a random UUID, 16 bytes (version 4; RFC 9562, section 5.4)."""
    uuid = bytearray(os.urandom(16))
    uuid[6] = uuid[6] & 0x0F | 0x40  # the version
    uuid[8] = uuid[8] & 0x3F | 0x80  # the variant
    return bytes(uuid)
