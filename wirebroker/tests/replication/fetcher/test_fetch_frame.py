"""FetchFrame: the bytes that the codec would write, after any update, in every version that has sessions."""

from __future__ import annotations

import pytest

from wirebroker.model import TopicPartition
from wirebroker.protocol.messages.fetch import FetchPartition, FetchRequest, ReplicaState
from wirebroker.replication.fetcher.fetch_frame import FetchFrame
from wirebroker.replication.fetcher.fetch_session_handler import (
    FIRST_VERSION_WITH_SESSIONS,
    FIRST_VERSION_WITH_TOPIC_IDS,
    FetchRequestData,
    FetchSessionHandler,
    WantedPartition,
)

AT = TopicPartition("topic", 3)
LAST_OFFSET = (1 << 63) - 1
LAST_EPOCH = (1 << 31) - 1


def encode(data: FetchRequestData) -> bytearray:
    """Return a follower's request behind four bytes that stand for header fields."""
    out = bytearray(4)
    request = FetchRequest(
        max_wait_ms=500,
        min_bytes=1,
        max_bytes=1 << 20,
        session_id=data.session_id,
        session_epoch=data.session_epoch,
        topics=data.topics,
        forgotten_topics_data=data.forgotten,
    )
    if data.version >= 15:
        request.replica_state = ReplicaState(1, 77)
    else:
        request.replica_id = 1
    request.write(out, data.version)
    return out


def wanted(version: int, offset: int) -> WantedPartition:
    request = FetchPartition(AT.partition, fetch_offset=offset, log_start_offset=0, partition_max_bytes=1 << 20)
    if version >= 9:
        request.current_leader_epoch = 5
    if version >= 12:
        request.last_fetched_epoch = 5
    return WantedPartition(b"i" * 16 if version >= FIRST_VERSION_WITH_TOPIC_IDS else bytes(16), request)


@pytest.mark.parametrize("version", range(FIRST_VERSION_WITH_SESSIONS, 18))
def test_an_update_writes_what_the_codec_would(version: int) -> None:
    session = FetchSessionHandler(version)
    first = wanted(version, 7)
    full = session.build([(AT, first)])
    frame = FetchFrame(FetchRequestData(version, 99, 1, full.topics, []), first, encode)
    assert first.request.fetch_offset == 7
    for epoch, offset in ((1, 8), (2, 0), (LAST_EPOCH, LAST_OFFSET), (0x01020304, 0x0102030405060708), (3, 9)):
        frame.update(epoch, offset)
        assert first.request.fetch_offset == offset
        assert frame.encoded == encode(FetchRequestData(version, 99, epoch, full.topics, []))
        request = FetchRequest.read(bytes(frame.encoded), 4, version)[0]
        assert (request.session_epoch, request.topics[0].partitions[0].fetch_offset) == (epoch, offset)
