"""Partition: large batches are validated in a thread, small ones in the event loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from wirebroker.config.topic import default_log_config
from wirebroker.metadata.image import PartitionImage, TopicImage
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.record.builder import build_batch
from wirebroker.record.record_batch import Record
from wirebroker.record.validate import FIELDS_READ_AT_ONCE, HEADERS_READ_AT_ONCE, AppendRules
from wirebroker.replication.replica_manager import ReplicaManager
from wirebroker.replication.worker_threads import WorkerThreads
from wirebroker.tests.replication.leader import NO_TOPICS, become_leader
from wirebroker.tests.storage.fakes.disk import FakeDisk
from wirebroker.tests.storage.fakes.logs import manager, values

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.replication.partition import Partition

NOW_MS = 1_700_000_000_000
COMPACTED = AppendRules(1 << 30, compacted=True)


class CountedThreads(WorkerThreads):
    """Names the functions that it runs."""

    def __init__(self) -> None:
        super().__init__()
        self.works: list[str] = []

    async def run(self, work: Callable[..., Any], *arguments: Any) -> Any:
        self.works.append(work.__name__)
        return await super().run(work, *arguments)


class Host(ReplicaManager):
    """A broker that counts what it validates in threads."""

    def __init__(self) -> None:
        super().__init__(manager(FakeDisk(), default_log_config()), NO_TOPICS, lambda: None)
        self.validation_threads = self.counted = CountedThreads()


def partition(rules: AppendRules, host: Host | None = None) -> Partition:
    host = host or Host()
    topic = TopicImage("t", bytes(16), (PartitionImage(0, 0, (0,), (0,)),))
    become_leader(host, topic, 0, default_log_config(), is_new=True)
    made = host.get("t", 0)
    made.rules = rules
    return made


def made(count: int, key: bytes | None = b"k") -> memoryview:
    return memoryview(bytearray(build_batch([Record(each, NOW_MS, key, b"", []) for each in range(count)])))


@pytest.mark.parametrize(("count", "works"), [(FIELDS_READ_AT_ONCE, []), (FIELDS_READ_AT_ONCE + 1, ["check_records"])])
async def test_large_batches_are_checked_in_a_thread(count: int, works: list[str]) -> None:
    host = Host()
    leader = partition(COMPACTED, host)
    result = await leader.append(made(count), None, NOW_MS, acks=1)
    assert (result.base_offset, leader.high_watermark) == (0, count)
    assert len(values(leader.log)) == count
    assert host.counted.works == works


@pytest.mark.parametrize(
    ("headers", "works"), [(HEADERS_READ_AT_ONCE, []), (HEADERS_READ_AT_ONCE + 1, ["check_records"])]
)
async def test_a_batch_with_many_headers_is_checked_in_a_thread(headers: int, works: list[str]) -> None:
    host = Host()
    leader = partition(AppendRules(1 << 30), host)
    data = build_batch([Record(0, NOW_MS, b"k", b"", [(b"", b"")] * headers)])
    at_once = leader.append_at_once(memoryview(bytearray(data)), NOW_MS, 1, zstd_allowed=True)
    assert at_once is None or not works
    await leader.append(memoryview(bytearray(data)), None, NOW_MS, acks=1)
    assert host.counted.works == works
    assert leader.log.log_end_offset == (1 if at_once is None else 2)


async def test_a_large_batch_that_is_refused_writes_nothing() -> None:
    leader = partition(COMPACTED)
    with pytest.raises(ApiError) as refused:
        await leader.append(made(5000, key=None), None, NOW_MS, acks=1)
    assert refused.value.code == ErrorCode.INVALID_RECORD
    assert leader.log.log_end_offset == 0
