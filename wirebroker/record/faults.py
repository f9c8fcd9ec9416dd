"""What can be wrong with the bytes of a record batch, in this room's own words.

``validate.py`` turns these into the error codes a producer sees; storage recovery and dump-log catch them as they are.
"""

from __future__ import annotations


class RecordError(ValueError):
    """The bytes are not a record batch (or not the records) that they claim to be."""


class IncompleteBatch(RecordError):
    """The buffer ends inside the batch: a torn write at a log's end, or a fetch cut at its size limit."""


class OverLimit(RecordError):
    """Decompressed data would be larger than the caller allows (a decompression bomb, or a limit set too low)."""
