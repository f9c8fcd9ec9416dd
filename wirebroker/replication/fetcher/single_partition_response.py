"""Fetch responses with records of one partition and nothing unusual, read without the general decoder.

They are almost all responses to a follower that keeps up.  A response of any other form is left to the decoder.
"""

from __future__ import annotations

from struct import Struct
from struct import error as StructError
from typing import Final, NamedTuple

_TOPIC_IDS_SINCE: Final = 13
_FIELDS: Final = Struct(">ihiB16sBihqqqBi")
_NONE: Final = 1
_ONE: Final = 2
"""The lengths of arrays as flexible versions have them; that of null is 0."""
_LAST_SHIFT: Final = 28  # of a varint of five bytes
_NO_TAGS: Final = b"\0\0\0"  # of the partition, the topic and the response


class SinglePartitionResponse(NamedTuple):
    """The fields of a response that a follower uses."""

    session_id: int
    topic_id: bytes
    partition: int
    high_watermark: int
    log_start_offset: int
    records: memoryview


def read_single_partition(body: memoryview, at: int, version: int) -> SinglePartitionResponse | None:
    """Return the response in *body* from *at* on; None if it is not one of a single partition, without errors.

    Responses without records, of which there are few, are among the others.
    """
    if version < _TOPIC_IDS_SINCE:
        return None
    try:
        (
            _,  # throttle time
            error_code,
            session_id,
            topics,
            topic_id,
            partitions,
            index,
            partition_error,
            high_watermark,
            _,  # last stable offset
            log_start_offset,
            aborted_transactions,
            _,  # preferred read replica
        ) = _FIELDS.unpack_from(body, at)
        if error_code or partition_error or aborted_transactions > _NONE or topics != _ONE or partitions != _ONE:
            return None
        at += _FIELDS.size
        size = shift = 0
        while True:
            byte = body[at]
            at += 1
            size |= (byte & 0x7F) << shift
            if byte < 0x80:
                break
            if shift == _LAST_SHIFT:
                return None
            shift += 7
        end = at - 1 + size
    except (StructError, IndexError):
        return None
    if size < 2 or bytes(body[end : end + len(_NO_TAGS) + 1]) != _NO_TAGS:
        return None
    return SinglePartitionResponse(session_id, topic_id, index, high_watermark, log_start_offset, body[at:end])
