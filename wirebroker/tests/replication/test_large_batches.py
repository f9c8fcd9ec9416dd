"""Partition: large batches are checked in a thread, in the order in which they came, and small ones are not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from wirebroker.config.log import LogConfig
from wirebroker.model import TopicPartition
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError
from wirebroker.record.builder import build_batch
from wirebroker.record.record_batch import Record
from wirebroker.record.validate import FIELDS_READ_AT_ONCE, AppendRules
from wirebroker.replication.disk_lane import DiskLane
from wirebroker.replication.partition import Partition
from wirebroker.replication.worker_threads import WorkerThreads
from wirebroker.tests.storage.fakes.disk import FakeDisk
from wirebroker.tests.storage.fakes.logs import new_log, values

if TYPE_CHECKING:
    from collections.abc import Callable

NOW_MS = 1_700_000_000_000
COMPACTED = AppendRules(1 << 30, compacted=True)


class CountedWorkers(WorkerThreads):
    """Counts what is handed to it."""

    def __init__(self) -> None:
        super().__init__()
        self.works: list[str] = []

    async def run(self, work: Callable[..., Any], *arguments: Any) -> Any:
        self.works.append(work.__name__)
        return await super().run(work, *arguments)


def partition(rules: AppendRules) -> Partition:
    def on_storage_error(*_: object) -> None:
        raise AssertionError

    return Partition(
        TopicPartition("t", 0), b"", new_log(FakeDisk(), LogConfig()), 0, rules, DiskLane("/logs"), on_storage_error
    )


def made(count: int, key: bytes | None = b"k") -> memoryview:
    return memoryview(bytearray(build_batch([Record(each, NOW_MS, key, b"", []) for each in range(count)])))


@pytest.mark.parametrize(("count", "works"), [(FIELDS_READ_AT_ONCE, []), (FIELDS_READ_AT_ONCE + 1, ["check_records"])])
async def test_large_batches_are_checked_in_a_thread(count: int, works: list[str]) -> None:
    leader, workers = partition(COMPACTED), CountedWorkers()
    result = await leader.append(made(count), NOW_MS, workers)
    assert (result.base_offset, leader.high_watermark) == (0, count)
    assert len(values(leader.log)) == count
    assert workers.works == works


async def test_a_large_batch_that_is_refused_writes_nothing() -> None:
    leader = partition(COMPACTED)
    with pytest.raises(ApiError) as refused:
        await leader.append(made(5000, key=None), NOW_MS, WorkerThreads())
    assert refused.value.code == ErrorCode.INVALID_RECORD
    assert leader.log.log_end_offset == 0
