"""The topics of the coordinators shrink: tombstones of expired offsets, of groups and of transactional ids are written,
take what they delete along when the topics are compacted, and go themselves; a reload takes what is left.
"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Any

import pytest

from compat_tests.compacted_topics import log_bytes
from compat_tests.conftest import wait_until
from compat_tests.directory_scenario import EAGER_CLEANER, create
from compat_tests.kafka_requests import init_producer_id
from compat_tests.wire import Wire
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.delete_groups import DeleteGroupsRequest
from wirebroker.protocol.messages.find_coordinator import FindCoordinatorRequest
from wirebroker.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from wirebroker.protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestTopic

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from compat_tests.broker import Wirebroker

SEGMENT_BYTES = 20_000
SETTINGS = {
    **EAGER_CLEANER,
    "log.cleaner.backoff.ms": "50",
    "log.cleaner.delete.retention.ms": "200",
    "log.segment.delete.delay.ms": "100",
    "offsets.topic.num.partitions": "1",
    "offsets.topic.segment.bytes": str(SEGMENT_BYTES),
    "transaction.state.log.num.partitions": "1",
    "transaction.state.log.segment.bytes": str(SEGMENT_BYTES),
    "transaction.remove.expired.transaction.cleanup.interval.ms": "200",
}
NOTHING_EXPIRES = {"offsets.retention.check.interval.ms": "3600000", "transactional.id.expiration.ms": "3600000"}
"""While the records are written whose expiry is tested, and after it, however long a busy machine takes."""
EXPIRING = {"offsets.retention.check.interval.ms": "200", "transactional.id.expiration.ms": "5000"}
TOPIC, PARTITIONS, LIVE = "t", 10, "live"
FEW_BYTES = 3 * SEGMENT_BYTES
"""The live keys, what is not compacted yet, and the active segment."""
FEW_RECORDS = FEW_BYTES // 24
"""No tombstone of an offset is smaller."""
PATIENCE_S = 240
RETENTION_MS = 500
LOADING = (ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, ErrorCode.NOT_COORDINATOR)


class Coordinators:
    """A broker, one connection to it, and its internal topics on the disk."""

    def __init__(self, broker: Wirebroker) -> None:
        self.broker = broker
        create(self.broker.bootstrap, {TOPIC: {}}, PARTITIONS)
        self.connect()

    def connect(self) -> None:
        self.wire = Wire(self.broker.host, self.broker.port, 60)
        for key_type in (0, 1):
            request = FindCoordinatorRequest(LIVE, key_type)
            wait_until(lambda request=request: not self.wire.ask(request, 2).error_code)  # type: ignore[misc]
        wait_until(lambda: self.committed(LIVE, check=False) != -2)

    def commit(self, group: str, offset: int, retention_ms: int = -1) -> None:
        """Commit *offset* for all partitions, for *retention_ms* if that is given (KIP-211 took that away later)."""
        partitions = [
            OffsetCommitRequestPartition(partition_index=index, committed_offset=offset, committed_metadata="")
            for index in range(PARTITIONS)
        ]
        request = OffsetCommitRequest(
            group_id=group,
            topics=[OffsetCommitRequestTopic(name=TOPIC, partitions=partitions)],
            retention_time_ms=retention_ms,
        )
        (answer,) = self.wire.ask(request, 3).topics
        assert {each.error_code for each in answer.partitions} == {0}

    def committed(self, group: str, *, check: bool = True) -> int:
        """The committed offset of partition 0, -1 if there is none; without *check*, -2 after an error."""
        request = OffsetFetchRequest(
            group_id=group, topics=[OffsetFetchRequestTopic(name=TOPIC, partition_indexes=[0])]
        )
        answer = self.wire.ask(request, 3)
        if answer.error_code and not check:
            return -2
        assert not answer.error_code
        return int(answer.topics[0].partitions[0].committed_offset)

    def init_producer(self, name: str) -> int:
        """The epoch of a transactional id; asked again while the coordinator is loaded."""
        request = init_producer_id(transactional_id=name, transaction_timeout_ms=60_000)
        answers: list[Any] = []

        def is_loaded() -> bool:
            answers[:] = [self.wire.ask(request, 1)]
            return answers[0].error_code not in LOADING

        wait_until(is_loaded)
        (answer,) = answers
        assert not answer.error_code
        return int(answer.producer_epoch)

    def size_bytes(self, topic: str) -> int:
        """The size of the log of an internal topic's only partition."""
        return log_bytes(self.broker.data_directory / f"{topic}-0")

    def wait_until_small(self, topic: str, write: Callable[[], object]) -> None:
        """Write, so that segments roll and another round of the cleaner is due, until *topic* is small."""
        deadline = time.monotonic() + PATIENCE_S
        while self.size_bytes(topic) > FEW_BYTES:
            assert time.monotonic() < deadline, self.size_bytes(topic)
            write()
            time.sleep(0.01)

    def restart(self, topic: str, settings: Mapping[str, str]) -> int:
        """Restart with these settings of expiry; return how many records were loaded of *topic*."""
        self.wire.close()
        before = self.broker.log_file.stat().st_size
        self.broker.stop()
        self.broker.settings |= settings
        self.broker.start()
        self.connect()
        loaded = re.compile(rf"{topic}-0: loaded (\d+) records")
        wait_until(lambda: loaded.search(self.broker.log(before)) is not None)
        return int(loaded.findall(self.broker.log(before))[0])


@pytest.fixture
def coordinators(start_wirebroker: Callable[..., Wirebroker]) -> Iterator[Coordinators]:
    found = Coordinators(start_wirebroker(SETTINGS | NOTHING_EXPIRES))
    yield found
    found.wire.close()


def test_expired_offsets_and_deleted_groups_leave_their_topic(coordinators: Coordinators) -> None:
    topic = "__consumer_offsets"
    expiring = [f"expiring-{number}" for number in range(400)]
    deleted = [f"deleted-{number}" for number in range(50)]
    for group in expiring:
        coordinators.commit(group, 7, RETENTION_MS)
    for group in deleted:
        coordinators.commit(group, 7)
    coordinators.commit(LIVE, 0)
    assert coordinators.size_bytes(topic) > 4 * FEW_BYTES  # 4,510 records
    assert {each.error_code for each in coordinators.wire.ask(DeleteGroupsRequest(deleted), 1).results} == {0}
    coordinators.restart(topic, EXPIRING)
    offsets = iter(range(1, 1_000_000))
    coordinators.wait_until_small(topic, lambda: coordinators.commit(LIVE, next(offsets)))
    last = next(offsets) - 1
    for _ in range(2):
        assert coordinators.committed(LIVE) == last
        assert {coordinators.committed(group) for group in (*expiring[::40], *deleted[::10])} == {-1}
        assert PARTITIONS <= coordinators.restart(topic, NOTHING_EXPIRES) <= FEW_RECORDS
    coordinators.broker.stop()


def test_expired_transactional_ids_leave_their_topic(coordinators: Coordinators) -> None:
    topic = "__transaction_state"
    expiring = [f"a transactional id that is used no more, {number}" for number in range(1500)]
    for name in expiring:
        assert coordinators.init_producer(name) == 0
    coordinators.init_producer(LIVE)
    assert coordinators.size_bytes(topic) > 3 * FEW_BYTES
    coordinators.restart(topic, EXPIRING)
    epochs = [coordinators.init_producer(LIVE)]
    coordinators.wait_until_small(topic, lambda: epochs.append(coordinators.init_producer(LIVE)))
    epochs.append(coordinators.init_producer(LIVE))
    assert 1 <= coordinators.restart(topic, NOTHING_EXPIRES) <= FEW_RECORDS
    assert coordinators.init_producer(LIVE) == epochs[-1] + 1
    assert coordinators.init_producer(expiring[0]) == 0
    coordinators.broker.stop()
