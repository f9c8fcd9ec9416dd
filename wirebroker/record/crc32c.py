"""CRC-32C (Castagnoli), native: 1 MiB takes about 31 us.  Batches carry it over everything from byte 21 on."""

from __future__ import annotations

from crc32c import crc32c

__all__ = ["crc32c"]
