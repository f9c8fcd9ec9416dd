"""Fetch responses of one topic with nothing unusual, read without the general decoder.

They are almost all responses to a follower that keeps up, most of them with records of a single partition.  A response
of any other form is left to the decoder.
"""

from __future__ import annotations

from struct import Struct
from struct import error as StructError
from typing import Final, NamedTuple

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.primitives import read_uvarint

_TOPIC_IDS_SINCE: Final = 13
_FIELDS: Final = Struct(">ihiB16sBihqqqBi")
_HEAD: Final = Struct(">ihiB16sB")
_PARTITION: Final = Struct(">ihqqqBi")
_NONE: Final = 1
_ONE: Final = 2
"""The lengths of arrays as flexible versions have them; that of null is 0."""
_LAST_SHIFT: Final = 28  # of a varint of five bytes
_NO_TAGS: Final = b"\0\0\0"  # of the partition, the topic and the response
_MAX_PARTITIONS: Final = 16


class SinglePartitionResponse(NamedTuple):
    """The fields of a response, or of one partition in it, that a follower uses."""

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


def read_few_partitions(body: memoryview, at: int, version: int) -> list[SinglePartitionResponse] | None:
    """Return the partitions of the response in *body* from *at* on; None if it has errors, or many of them.

    All are of one topic.  Here a partition may be without records, too.
    """
    if version < _TOPIC_IDS_SINCE:
        return None
    found: list[SinglePartitionResponse] = []
    try:
        _, error_code, session_id, topics, topic_id, count = _HEAD.unpack_from(body, at)
        if error_code or topics != _ONE or not _ONE <= count <= 1 + _MAX_PARTITIONS:
            return None
        at += _HEAD.size
        for _ in range(count - 1):
            index, error_code, high_watermark, _, log_start_offset, aborted, _ = _PARTITION.unpack_from(body, at)
            if error_code or aborted > _NONE:
                return None
            size, at = read_uvarint(body, at + _PARTITION.size)
            end = at + max(0, size - 1)
            if body[end]:
                return None
            found.append(
                SinglePartitionResponse(session_id, topic_id, index, high_watermark, log_start_offset, body[at:end])
            )
            at = end + 1
    except (StructError, IndexError, ProtocolError):
        return None
    return found if bytes(body[at:]) == _NO_TAGS[1:] else None
