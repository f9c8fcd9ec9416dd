"""The response to a KnownFetch, encoded without the classes of messages.

It has the layout of Fetch 12 and later, and no errors, aborted transactions or tagged fields.
"""

from __future__ import annotations

import os
from struct import Struct
from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.protocol.primitives import write_uvarint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wirebroker.protocol.primitives import WireBuffer
    from wirebroker.replication.fetch_session import CachedPartition
    from wirebroker.replication.partition import Partition
    from wirebroker.storage.log_slice import LogSlice

MAX_PARTITIONS: Final = 126
"""Partitions in a response, whose number is a varint of one byte."""
_SIZE: Final = Struct(">i")
_HEAD: Final = Struct(">iixihiB")
"""Size, correlation id, no tagged fields; throttle time, error code, session id, number of topics and 1."""
_PARTITION: Final = Struct(">ihqqqBi")
"""Index, error code, high watermark, last stable offset, log start offset, no aborted transactions, no replica."""
_NO_REPLICA: Final = -1
COPIED_BYTES: Final = 4096
"""Records up to this size are copied into the response, which takes less than to send them as a range of a file."""


class ReadPartition(NamedTuple):
    """One partition that was read for a response."""

    entry: CachedPartition
    """Its session has the offsets of the response already."""
    partition: Partition
    records: LogSlice | None


def encode_known_response(
    out: WireBuffer, correlation_id: int, session_id: int, by_id: bool, reads: Sequence[ReadPartition]
) -> None:
    """Append the response with *reads* to *out*; with *by_id* it names topics by id."""
    start, detached_bytes = len(out), 0
    topics: list[list[ReadPartition]] = []
    for read in reads:
        if topics and topics[-1][0].entry.topic == read.entry.topic:
            topics[-1].append(read)
        else:
            topics.append([read])
    out += _HEAD.pack(0, correlation_id, 0, 0, session_id, len(topics) + 1)
    for of_topic in topics:
        name, topic_id = of_topic[0].entry.topic
        if by_id:
            out += topic_id
        else:
            encoded = name.encode()
            write_uvarint(out, len(encoded) + 1)
            out += encoded
        out.append(len(of_topic) + 1)
        for entry, partition, records in of_topic:
            high_watermark = entry.high_watermark
            reader = partition.log.reader
            unstable = reader.published[6]
            out += _PARTITION.pack(
                entry.requested.partition,
                0,
                high_watermark,
                high_watermark if unstable is None else reader.last_stable_offset(high_watermark),
                entry.log_start_offset,
                0,
                _NO_REPLICA,
            )
            if records is None:
                out += b"\1\0"  # no records, no tagged fields
                continue
            size_bytes = records.size_bytes
            write_uvarint(out, size_bytes + 1)
            copied = copy_cached(records, size_bytes) if size_bytes <= COPIED_BYTES else None
            if copied is None:
                out.detached.append((len(out), records))
                detached_bytes += size_bytes
            else:
                out += copied
            out.append(0)
        out.append(0)
    out.append(0)
    _SIZE.pack_into(out, start, len(out) - start - _SIZE.size + detached_bytes)


def copy_cached(records: LogSlice, size_bytes: int) -> bytearray | None:
    """Return a copy of *records*, of *size_bytes*; None if they are not in the page cache, as new ones are."""
    fd, position = records.file_range()
    copied = bytearray(size_bytes)
    try:
        if os.preadv(fd, (copied,), position, os.RWF_NOWAIT) != size_bytes:
            return None
    except OSError:  # not cached, or a file system without RWF_NOWAIT
        return None
    return copied
