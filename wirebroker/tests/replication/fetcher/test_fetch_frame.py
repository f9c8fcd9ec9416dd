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

PARTITIONS = [TopicPartition("a", 3), TopicPartition("b", 0), TopicPartition("a", 1)]
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


def wanted(version: int, at: TopicPartition, offset: int) -> WantedPartition:
    request = FetchPartition(at.partition, fetch_offset=offset, log_start_offset=0, partition_max_bytes=1 << 20)
    if version >= 9:
        request.current_leader_epoch = 5
    if version >= 12:
        request.last_fetched_epoch = 5
    return WantedPartition(at.topic.encode() * 16 if version >= FIRST_VERSION_WITH_TOPIC_IDS else bytes(16), request)


@pytest.mark.parametrize("version", range(FIRST_VERSION_WITH_SESSIONS, 18))
@pytest.mark.parametrize("count", [1, 2, 3])
def test_an_update_writes_what_the_codec_would(version: int, count: int) -> None:
    changed = [(at, wanted(version, at, 7 + number)) for number, at in enumerate(PARTITIONS[:count])]
    topics = FetchSessionHandler(version).build(changed).topics
    frame = FetchFrame(FetchRequestData(version, 99, 1, topics, []), changed, encode, 77)
    assert [each.request.fetch_offset for _, each in changed] == [7, 8, 9][:count]
    assert sorted(frame.wanted) == sorted(changed, key=lambda each: each[0])
    for epoch, first in ((1, 8), (2, 0), (LAST_EPOCH, LAST_OFFSET - 2), (0x01020304, 0x0102030405060708), (3, 9)):
        offsets = {at: first + number for number, (at, _) in enumerate(changed)}
        frame.update(epoch, [offsets[at] for at, _ in frame.wanted])
        assert all(each.request.fetch_offset == offsets[at] for at, each in changed)
        assert frame.encoded == encode(FetchRequestData(version, 99, epoch, topics, []))
        request = FetchRequest.read(bytes(frame.encoded), 4, version)[0]
        assert request.session_epoch == epoch
        assert sorted(each.fetch_offset for topic in request.topics for each in topic.partitions) == sorted(
            offsets.values()
        )
