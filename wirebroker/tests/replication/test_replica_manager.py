"""Partitions are made and deleted, written and described in order, and what touches files is done in threads."""

from __future__ import annotations

import threading
from collections import Counter
from typing import TYPE_CHECKING

import pytest
import trio
import trio.testing

from wirebroker.config.dynamic_config import DynamicConfig
from wirebroker.loop_budget import LoopBudget
from wirebroker.metadata.image import PartitionImage, TopicImage
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.replication.errors import PartitionError
from wirebroker.replication.log_dir_executor import open_executors
from wirebroker.replication.replica_manager import LOGS_PER_HOP, ReplicaManager
from wirebroker.scheduler import Scheduler
from wirebroker.storage.errors import StorageError
from wirebroker.storage.producer_state_manager import AppendOrigin
from wirebroker.tests.controller.fakes import broker_config
from wirebroker.tests.replication.leader import NO_TOPICS
from wirebroker.tests.storage.fakes.disk import FakeDisk
from wirebroker.tests.storage.fakes.logs import DIR, SMALL, batch, manager, marker, values

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from wirebroker.replication.partition import Partition

COUNT = 2 * LOGS_PER_HOP + 1
_TASKS = {"checkpoint", "clean", "expire", "flush", "check", "delete"}
_MEMORY_VERBS = {"pread", "pwrite", "open", "stat", "read", "reserve"}


class WatchedDisk(FakeDisk):
    """Notes which changes the loop's thread makes itself."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = threading.get_ident()
        self.in_loop: list[tuple[str, str]] = []
        self.is_watched = False

    def look(self, verb: str, path: str) -> None:
        if self.is_watched and threading.get_ident() == self.loop and verb not in _MEMORY_VERBS:
            self.in_loop.append((verb, path))
        super().look(verb, path)


def topic(topic_id: bytes = b"1" * 16, partitions: int = COUNT) -> TopicImage:
    return TopicImage("t", topic_id, (PartitionImage(0, 0, (0,), (0,)),) * partitions)


@pytest.mark.real_executors
async def test_the_loop_renames_makes_and_syncs_nothing() -> None:
    disk = WatchedDisk()
    replicas = ReplicaManager(manager(disk, SMALL), NO_TOPICS, lambda: None)
    config = SMALL._replace(retention_bytes=500, flush_ms=0)
    settings = DynamicConfig(broker_config())
    scheduler = Scheduler(settings, replicas)
    disk.is_watched = True
    async with open_executors(replicas.executors.values()):
        await replicas.become_leaders(topic(), range(COUNT), config, is_new=True)
        partitions = list(replicas.partitions())
        assert len(partitions) == COUNT
        for n in range(12):  # rolls
            for partition in partitions[:3]:
                await partition.append_batch(batch(b"%0200d" % n, producer=(7, 0, n)), 0)
        for partition in partitions[:3]:
            await partition.delete_records(1)
        for task in (
            scheduler._flush_logs,
            scheduler._clean_up_logs,
            scheduler._checkpoint_recovery_points,
            scheduler._checkpoint_log_starts,
            scheduler._checkpoint_high_watermarks,
            scheduler._expire_producers,
            scheduler._delete_files,
        ):
            await task()
        assert partitions[0].log.log_start_offset > 1
        every_message = config._replace(flush_messages=1)
        replicas.reconfigure("t", every_message)
        await partitions[0].append_batch(batch(b"kept"), 0)
        assert partitions[0].log.recovery_point == partitions[0].log.log_end_offset
        for index in range(COUNT):
            assert await replicas.stop("t", index, delete=True)
        await replicas.become_leaders(topic(b"2" * 16), range(COUNT), config, is_new=True)
    assert disk.in_loop == []
    assert not replicas.log_manager.log_dirs.is_offline(DIR)


async def test_an_append_during_a_deletion_gets_unknown_topic_or_partition() -> None:
    replicas = ReplicaManager(manager(FakeDisk()), NO_TOPICS, lambda: None)
    await replicas.become_leaders(topic(), [0], SMALL, is_new=True)
    partition = replicas.get("t", 0)
    codes: list[ErrorCode] = []

    async def produce() -> None:
        try:
            await partition.append_batch(batch(), 0)
        except ApiError as fault:
            codes.append(fault.code)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(lambda: replicas.stop("t", 0, delete=True))
        await trio.testing.wait_all_tasks_blocked()
        nursery.start_soon(produce)
    await replicas.become_leaders(topic(b"2" * 16), [0], SMALL, is_new=True)
    assert codes == [ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]
    assert values(replicas.get("t", 0).log) == []


async def test_work_on_a_partition_keeps_its_order() -> None:
    """Appends that roll, deletions of records, retention and producer expiry beside each other and readers."""
    replicas = ReplicaManager(manager(FakeDisk()), NO_TOPICS, lambda: None)
    await replicas.become_leaders(topic(), range(2), SMALL, is_new=True)
    settings = DynamicConfig(broker_config())
    scheduler = Scheduler(settings, replicas)
    first, second = replicas.get("t", 0), replicas.get("t", 1)
    offsets: dict[Partition, list[int]] = {first: [], second: []}

    async def produce(partition: Partition) -> None:
        for n in range(40):
            data = batch(b"%0150d" % n, producer=(7, 0, n - n // 10), transactional=True)
            if n % 10 == 9:
                result = await partition.append_batch(marker(7, 0, committed=False), 0, origin=AppendOrigin.COORDINATOR)
            else:
                result = await partition.append_batch(data, 0)
            offsets[partition].append(result.base_offset)
            assert partition.high_watermark > result.base_offset

    async def read(partition: Partition) -> None:
        while len(offsets[partition]) < 40:
            start, end = partition.log.log_start_offset, partition.high_watermark
            read = partition.read(start, 4000, committed=True, to_log_end=False, min_one_batch=True)
            assert start <= read.last_stable_offset <= end
            await trio.lowlevel.checkpoint()

    async def clean(partition: Partition) -> None:
        for _ in range(10):
            await partition.delete_records(max(partition.high_watermark - 5, 0))
            assert len(await partition.run_in_order(partition.log.producer_state_manager.active_producers)) <= 2
            await scheduler._expire_producers()
            await partition.run_on_executor(partition.log.flush)

    async with trio.open_nursery() as nursery:
        for partition in (first, second):
            work: tuple[Callable[[Partition], Awaitable[None]], ...] = (produce, read, clean)
            for each in work:
                nursery.start_soon(each, partition)
    for partition in (first, second):
        assert offsets[partition] == list(range(40))
        assert partition.queued == 0
        assert partition.log.failure is None
        assert partition.high_watermark == partition.log.log_end_offset == 40


@pytest.mark.parametrize("in_thread", [False, True], ids=["in the event loop", "in a thread"])
async def test_a_log_dir_that_fails_takes_its_partitions_offline(in_thread: bool) -> None:
    all_failed = trio.Event()
    replicas = ReplicaManager(manager(FakeDisk()), NO_TOPICS, all_failed.set)
    await replicas.become_leaders(topic(), [0], SMALL, is_new=True)
    error = StorageError("read-only file system")
    if in_thread:
        await trio.to_thread.run_sync(replicas.log_manager.log_dirs.mark_offline, DIR, error)
        await trio.testing.wait_all_tasks_blocked()
    else:
        replicas.log_manager.log_dirs.mark_offline(DIR, error)
    assert replicas.find("t", 0) is None
    assert replicas.is_offline("t", 0)
    with pytest.raises(PartitionError, match="read-only file system") as refusal:
        replicas.get("t", 0)
    assert refusal.value.code == ErrorCode.KAFKA_STORAGE_ERROR
    assert all_failed.is_set()


async def test_a_log_whose_dir_failed_while_it_was_made_is_not_served() -> None:
    replicas = ReplicaManager(manager(FakeDisk()), NO_TOPICS, lambda: None)
    log = replicas.log_manager.get_or_create("t", 0, topic().topic_id, SMALL, is_new=True)
    replicas.log_manager.log_dirs.mark_offline(DIR, StorageError("gone"))
    replicas.serve(topic(), 0, log)
    assert replicas.is_offline("t", 0)


async def test_periodic_tasks_yield_the_event_loop_between_partitions(monkeypatch: pytest.MonkeyPatch) -> None:
    budgets: list[LoopBudget] = []

    def spent() -> LoopBudget:
        budgets.append(LoopBudget(0.0))
        return budgets[-1]

    monkeypatch.setattr("wirebroker.scheduler.LoopBudget", spent)
    replicas = ReplicaManager(manager(FakeDisk()), NO_TOPICS, lambda: None)
    await replicas.become_leaders(topic(), range(COUNT), SMALL, is_new=True)
    scheduler = Scheduler(DynamicConfig(broker_config()), replicas)
    await scheduler._checkpoint_high_watermarks()
    await scheduler._flush_logs()
    assert [each.yields for each in budgets] == [COUNT, COUNT]


@pytest.mark.parametrize(("interval_ms", "runs"), [(-1, 1), (0, 1), (200_000, 5), (10_000, 100)])
async def test_a_task_without_an_interval_runs_once(
    interval_ms: int, runs: int, autojump_clock: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the initial delay, as in Kafka; the other tasks go on."""
    replicas = ReplicaManager(manager(FakeDisk()), NO_TOPICS, lambda: None)
    settings = DynamicConfig(broker_config(replica_high_watermark_checkpoint_interval_ms=interval_ms))
    counts: Counter[str] = Counter()

    def count(name: str) -> Callable[[Scheduler], Awaitable[None]]:
        async def counted(_: Scheduler) -> None:
            counts[name] += 1

        return counted

    for name in [each for each in vars(Scheduler) if each.startswith("_") and each.split("_")[1] in _TASKS]:
        monkeypatch.setattr(Scheduler, name, count(name))
    with trio.move_on_after(1005):
        await Scheduler(settings, replicas).run()
    assert counts["_checkpoint_high_watermarks"] == runs + 1  # and at the end
    assert counts["_checkpoint_log_starts"] == 17  # every minute, the first time after 30 seconds
