"""Partitions move between directories while they are written to; what refuses, ends and survives a move."""

from __future__ import annotations

import errno
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
import trio
import trio.testing

from wirebroker.handlers.context import RequestContext
from wirebroker.handlers.log_dirs import handle_describe_log_dirs
from wirebroker.handlers.replica_log_dirs import handle_alter_replica_log_dirs
from wirebroker.handlers.routes import RouteTable
from wirebroker.metadata.cache import MetadataCache
from wirebroker.metadata.image import ClusterImage, PartitionImage, TopicImage
from wirebroker.model import TopicPartition
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.alter_replica_log_dirs import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirTopic,
)
from wirebroker.protocol.messages.describe_log_dirs import DescribeLogDirsRequest
from wirebroker.replication.alter_log_dir_task import copy_piece
from wirebroker.replication.replica_manager import ReplicaManager
from wirebroker.tests.controller.fakes import broker_config
from wirebroker.tests.replication.leader import NO_TOPICS, become_leader
from wirebroker.tests.storage.fakes.disk import FakeDisk
from wirebroker.tests.storage.fakes.logs import SMALL, batch, manager, values
from wirebroker.tests.storage.fakes.preemption import at_bytecode, at_every_bytecode

if TYPE_CHECKING:
    from wirebroker.replication.partition import Partition
    from wirebroker.storage.log import Log

ID = bytes(range(16))
AT = TopicPartition("t", 0)
ONE, TWO, THREE = Path("/one"), Path("/two"), Path("/three")


class AlterLogDirsHarness:
    """A replica manager over three directories, t-0 in the first of them."""

    def __init__(self, disk: FakeDisk) -> None:
        self.disk = disk
        self.failed = trio.Event()
        self.replicas = ReplicaManager(manager(disk, SMALL, None, ONE, TWO, THREE), NO_TOPICS, self.failed.set)
        self.alter_log_dirs = self.replicas.alter_log_dirs
        topic = TopicImage("t", ID, (PartitionImage(leader=0, leader_epoch=0, replicas=(0,), isr=(0,)),))
        become_leader(self.replicas, topic, 0, SMALL, is_new=True)

    @property
    def partition(self) -> Partition:
        return self.replicas.get(*AT)

    async def append(self, count: int) -> None:
        for _ in range(count):
            number = self.partition.log.log_end_offset
            await self.partition.append_batch(batch(b"%05d" % number, timestamp=1_000_000), 0)

    def records(self) -> list[int]:
        return [int(value or b"-1") for _, value in values(self.partition.log)]

    def where(self) -> Path:
        return self.partition.log.directory.parent

    async def ask(self, path: Path, *partitions: int, topic: str = "t") -> list[int]:
        services = cast(Any, type("Services", (), {"replicas": self.replicas}))
        wanted = [AlterReplicaLogDir(str(path), [AlterReplicaLogDirTopic(topic, list(partitions or (0,)))])]
        answer = await handle_alter_replica_log_dirs(
            RequestContext(services, routes=RouteTable()), AlterReplicaLogDirsRequest(wanted)
        )
        return [each.error_code for result in answer.results for each in result.partitions]

    async def described(self) -> list[tuple[str, int, int, bool]]:
        """(directory, size, lag, is it a copy) of t-0."""
        services = cast(Any, type("Services", (), {"replicas": self.replicas}))
        answer = await handle_describe_log_dirs(
            RequestContext(services, routes=RouteTable()), DescribeLogDirsRequest(None)
        )
        return [
            (result.log_dir, each.partition_size, each.offset_lag, each.is_future_key)
            for result in answer.results
            for topic in result.topics
            for each in topic.partitions
        ]

    async def wait_for_moves(self) -> None:
        for task in list(self.alter_log_dirs._tasks.values()):
            await task.done.wait()


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many steps for a few records."""
    monkeypatch.setattr("wirebroker.replication.alter_log_dir_task._PIECE_BYTES", 300)
    monkeypatch.setattr("wirebroker.replication.alter_log_dir_task.LAST_BYTES", 250)


async def test_it_moves_while_it_is_written_to(nursery: trio.Nursery) -> None:
    harness = AlterLogDirsHarness(FakeDisk())
    await harness.append(50)
    nursery.start_soon(harness.alter_log_dirs.run)
    await trio.testing.wait_all_tasks_blocked()
    assert await harness.ask(TWO) == [ErrorCode.NONE]
    for _ in range(200):  # not until it is there: a machine that starves the copying thread would never see it come
        await harness.append(1)
        await trio.lowlevel.checkpoint()
    await harness.wait_for_moves()
    assert harness.where() == TWO
    assert harness.partition.executor is harness.replicas.executors[TWO]
    await harness.append(3)
    assert harness.records() == list(range(len(harness.records())))
    assert len(harness.records()) > 53
    nursery.cancel_scope.cancel()


async def test_the_copy_is_described(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "os.statvfs", lambda _: cast(Any, type("S", (), dict.fromkeys(("f_blocks", "f_bavail", "f_frsize"), 1)))
    )
    harness = AlterLogDirsHarness(FakeDisk())
    await harness.append(7)
    assert await harness.ask(TWO) == [ErrorCode.NONE]  # nothing runs: it stays at its beginning
    size = harness.partition.log.size_bytes
    assert await harness.described() == [("/one", size, 0, False), ("/two", 0, 7, True)]


async def test_a_move_ends_where_it_began_or_goes_elsewhere(nursery: trio.Nursery) -> None:
    harness = AlterLogDirsHarness(FakeDisk())
    await harness.append(20)
    log_dirs = harness.replicas.log_manager.log_dirs
    assert await harness.ask(TWO) == [ErrorCode.NONE]
    assert await harness.ask(ONE) == [ErrorCode.NONE]
    assert log_dirs.future_logs() == {}
    assert await harness.ask(TWO) == [ErrorCode.NONE]
    assert await harness.ask(THREE) == [ErrorCode.NONE]
    assert [future.directory.parent for future in log_dirs.future_logs().values()] == [THREE]
    nursery.start_soon(harness.alter_log_dirs.run)  # goes on with what it finds
    await trio.testing.wait_all_tasks_blocked()
    await harness.wait_for_moves()
    assert harness.where() == THREE
    assert harness.records() == list(range(20))
    nursery.cancel_scope.cancel()


async def test_a_partition_that_is_served_again_goes_on_with_its_move(nursery: trio.Nursery) -> None:
    harness = AlterLogDirsHarness(FakeDisk())
    await harness.append(20)
    assert await harness.ask(TWO) == [ErrorCode.NONE]
    log = harness.partition.log
    assert await harness.replicas.stop("t", 0, delete=False)
    nursery.start_soon(harness.alter_log_dirs.run)
    await trio.testing.wait_all_tasks_blocked()
    assert harness.alter_log_dirs._tasks == {}
    partition = harness.replicas.host(AT, ID, log, 0)  # the controller's first LeaderAndIsr request comes later
    await harness.wait_for_moves()
    assert partition.log.directory.parent == TWO
    assert partition.executor is harness.replicas.executors[TWO]
    assert harness.records() == list(range(20))


@pytest.mark.usefixtures("small_pieces")
async def test_a_partition_that_is_served_before_its_former_copy_has_ended_goes_on(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    harness = AlterLogDirsHarness(FakeDisk())
    await harness.append(50)
    throttle = {"replica.alter.log.dirs.io.max.bytes.per.second": "100"}
    harness.alter_log_dirs.configure(broker_config().with_dynamic(throttle, {}))
    nursery.start_soon(harness.alter_log_dirs.run)
    await trio.testing.wait_all_tasks_blocked()
    assert await harness.ask(TWO) == [ErrorCode.NONE]
    log = harness.partition.log
    first = harness.alter_log_dirs._tasks[AT]
    harness.replicas.host(AT, ID, log, 0)
    await harness.alter_log_dirs.cancel(AT)
    assert harness.alter_log_dirs._tasks[AT] is not first
    await harness.wait_for_moves()
    assert harness.partition.executor is harness.replicas.executors[TWO]
    assert harness.records() == list(range(50))


async def test_two_requests_at_once_begin_one_move(nursery: trio.Nursery) -> None:
    harness = AlterLogDirsHarness(FakeDisk())
    await harness.append(50)
    nursery.start_soon(harness.alter_log_dirs.run)
    await trio.testing.wait_all_tasks_blocked()
    async with trio.open_nursery() as asking:
        asking.start_soon(harness.ask, TWO)
        asking.start_soon(harness.ask, TWO)
    await harness.wait_for_moves()
    assert harness.where() == TWO
    assert harness.records() == list(range(50))


async def test_it_moves_back_before_the_appends_queued_for_the_old_directory_are_done(nursery: trio.Nursery) -> None:
    harness = AlterLogDirsHarness(FakeDisk())
    await harness.append(50)
    nursery.start_soon(harness.alter_log_dirs.run)
    await trio.testing.wait_all_tasks_blocked()
    partition = harness.partition
    partition.queued += 1
    assert await harness.ask(TWO) == [ErrorCode.NONE]
    with trio.fail_after(60):
        while harness.where() != TWO:  # noqa: ASYNC110  # the copying thread sets no event
            await trio.sleep(0.001)
    async with trio.open_nursery() as asking:
        asking.start_soon(harness.ask, ONE)
        await trio.sleep(0.01)
        partition.queued -= 1
    await harness.wait_for_moves()
    assert harness.where() == ONE
    assert harness.records() == list(range(50))


async def test_partitions_that_cannot_move() -> None:
    harness = AlterLogDirsHarness(FakeDisk())
    assert await harness.ask(Path("/four")) == [ErrorCode.LOG_DIR_NOT_FOUND]
    assert await harness.ask(TWO, 0, 1) == [ErrorCode.NONE, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]
    made = harness.replicas.log_manager.get_or_create("t", 1, ID, is_new=True)
    assert made.directory.parent == TWO  # where it was to go
    harness.replicas.log_manager.log_dirs.mark_offline(THREE, OSError(errno.EIO, "gone"))
    assert await harness.ask(TWO) == [ErrorCode.KAFKA_STORAGE_ERROR]


@pytest.mark.parametrize("directory", ["/one", "/two", "/four"])
async def test_a_topic_whose_name_is_too_long_does_not_move_to_any_directory(directory: str) -> None:
    harness = AlterLogDirsHarness(FakeDisk())
    name = "t" * 249
    topic = TopicImage(name, ID, (PartitionImage(leader=0, leader_epoch=0, replicas=(0,), isr=(0,)),))
    become_leader(harness.replicas, topic, 0, SMALL, is_new=True)
    codes = await harness.ask(Path(directory), 0, 1, topic=name)  # the broker has no partition 1
    assert codes == [ErrorCode.INVALID_TOPIC_EXCEPTION] * 2


async def test_a_replica_that_is_assigned_later_is_created_in_the_directory(caplog: pytest.LogCaptureFixture) -> None:
    image = PartitionImage(leader=1, leader_epoch=0, replicas=(1,), isr=(1,))
    metadata = MetadataCache(ClusterImage(topics={"t": TopicImage("t", ID, (image, image))}))
    harness = AlterLogDirsHarness(FakeDisk())
    log_manager = manager(FakeDisk(), SMALL, None, ONE, TWO, THREE)
    member = cast(Any, object())  # a member of a cluster: other brokers have partitions, too
    replicas = harness.replicas = ReplicaManager(log_manager, metadata, lambda: None, alter_partition_manager=member)
    assert await harness.ask(THREE, 1, 2) == [ErrorCode.REPLICA_NOT_AVAILABLE, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]
    assert replicas.log_manager.get_or_create("t", 1, ID, is_new=True).directory.parent == THREE
    assert [record.getMessage() for record in caplog.records if record.levelname == "WARNING"] == [
        "topic=t partition=1: cannot move to /three: this broker has no replica of it yet; one that it gets later is"
        " created there",
        "topic=t partition=2: cannot move to /three: there is no such topic or partition",
    ]


@pytest.mark.usefixtures("small_pieces")
async def test_a_topic_is_deleted_while_it_moves(nursery: trio.Nursery) -> None:
    harness = AlterLogDirsHarness(FakeDisk())
    await harness.append(50)
    nursery.start_soon(harness.alter_log_dirs.run)
    await trio.testing.wait_all_tasks_blocked()
    await harness.ask(TWO)
    await trio.lowlevel.checkpoint()
    assert await harness.replicas.stop("t", 0, delete=True)
    await harness.wait_for_moves()
    names = [name for each in (ONE, TWO) for name, is_directory in harness.disk.list(str(each)) if is_directory]
    assert [name.rpartition("-")[2] for name in names] == ["delete", "delete"]
    nursery.cancel_scope.cancel()


@pytest.mark.parametrize("victim", ["new", "old"])
@pytest.mark.usefixtures("small_pieces")
async def test_a_directory_that_fails_ends_the_move(nursery: trio.Nursery, victim: str) -> None:
    harness = AlterLogDirsHarness(FakeDisk())
    await harness.append(50)
    nursery.start_soon(harness.alter_log_dirs.run)
    await trio.testing.wait_all_tasks_blocked()
    assert await harness.ask(TWO) == [ErrorCode.NONE]
    await trio.lowlevel.checkpoint()
    if victim == "new":
        harness.disk.fail_next["pwrite"] = errno.EIO
        await harness.wait_for_moves()
        assert harness.replicas.log_manager.log_dirs.is_offline(TWO)
        await harness.append(2)
        assert harness.records() == list(range(52))
        assert harness.where() == ONE
    else:
        harness.replicas.log_manager.log_dirs.mark_offline(ONE, OSError(errno.EIO, "gone"))
        await harness.wait_for_moves()
        assert harness.replicas.is_offline(*AT)
        assert not harness.replicas.log_manager.log_dirs.is_offline(TWO)
    nursery.cancel_scope.cancel()


@pytest.mark.usefixtures("small_pieces")
async def test_a_limit_makes_it_slow(nursery: trio.Nursery, autojump_clock: trio.testing.MockClock) -> None:
    harness = AlterLogDirsHarness(FakeDisk())
    await harness.append(50)
    size = harness.partition.log.size_bytes
    throttle = {"replica.alter.log.dirs.io.max.bytes.per.second": "100"}
    harness.alter_log_dirs.configure(broker_config().with_dynamic(throttle, {}))
    nursery.start_soon(harness.alter_log_dirs.run)
    started = trio.current_time()
    await trio.testing.wait_all_tasks_blocked()
    await harness.ask(TWO)
    await harness.wait_for_moves()
    assert trio.current_time() - started >= (size - 1000) / 100
    nursery.cancel_scope.cancel()


@pytest.mark.usefixtures("small_pieces")
async def test_a_move_goes_on_when_its_throttle_is_removed(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    harness = AlterLogDirsHarness(FakeDisk())
    await harness.append(50)
    throttle = {"replica.alter.log.dirs.io.max.bytes.per.second": "1"}
    harness.alter_log_dirs.configure(broker_config().with_dynamic(throttle, {}))
    nursery.start_soon(harness.alter_log_dirs.run)
    await trio.testing.wait_all_tasks_blocked()
    await harness.ask(TWO)
    await trio.sleep(10)
    assert harness.partition.log.directory.parent == ONE
    started = trio.current_time()
    harness.alter_log_dirs.configure(broker_config().with_dynamic({}, {}))
    await harness.wait_for_moves()
    assert trio.current_time() == started
    assert harness.partition.log.directory.parent == TWO
    nursery.cancel_scope.cancel()


@pytest.mark.usefixtures("small_pieces")
async def test_the_limit_is_for_all_moves_together(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    harness = AlterLogDirsHarness(FakeDisk())
    image = PartitionImage(leader=0, leader_epoch=0, replicas=(0,), isr=(0,))
    become_leader(harness.replicas, TopicImage("t", ID, (image, image)), 1, SMALL, is_new=True)
    partitions = [harness.replicas.get("t", index) for index in range(2)]
    assert [each.log.directory.parent for each in partitions] == [ONE, TWO]
    for partition in partitions:
        for _ in range(50):
            await partition.append_batch(batch(b"12345", timestamp=1_000_000), 0)
    size = sum(partition.log.size_bytes for partition in partitions)
    throttle = {"replica.alter.log.dirs.io.max.bytes.per.second": "100"}
    harness.alter_log_dirs.configure(broker_config().with_dynamic(throttle, {}))
    nursery.start_soon(harness.alter_log_dirs.run)
    started = trio.current_time()
    await trio.testing.wait_all_tasks_blocked()
    assert await harness.ask(THREE, 0, 1) == [ErrorCode.NONE] * 2
    await harness.wait_for_moves()
    assert [each.log.directory.parent for each in partitions] == [THREE] * 2
    assert trio.current_time() - started >= (size - 2000) / 100
    harness.alter_log_dirs.configure(broker_config().with_dynamic({}, {}))
    started = trio.current_time()
    assert await harness.ask(ONE, 0, 1) == [ErrorCode.NONE] * 2
    await harness.wait_for_moves()
    assert trio.current_time() == started


async def test_a_slow_disk_keeps_the_order(nursery: trio.Nursery) -> None:
    harness = AlterLogDirsHarness(FakeDisk())
    await harness.append(20)
    for executor in harness.replicas.executors.values():
        executor.inline = False
    nursery.start_soon(harness.alter_log_dirs.run)
    await trio.testing.wait_all_tasks_blocked()
    await harness.ask(TWO)

    async def produce(partition: Partition) -> None:
        for _ in range(30):
            await partition.append_batch(batch(b"x"), 0)

    async with trio.open_nursery() as producers:
        for _ in range(3):
            producers.start_soon(produce, harness.partition)
    await harness.wait_for_moves()
    assert harness.where() == TWO
    assert harness.partition.executor is harness.replicas.executors[TWO]
    assert [offset for offset, _ in values(harness.partition.log)] == list(range(110))
    nursery.cancel_scope.cancel()


async def test_it_moves_while_appends_are_always_queued(nursery: trio.Nursery) -> None:
    harness = AlterLogDirsHarness(FakeDisk())
    partition = harness.partition
    for executor in harness.replicas.executors.values():
        executor.inline = False
    nursery.start_soon(harness.alter_log_dirs.run)
    await trio.testing.wait_all_tasks_blocked()

    async def produce() -> None:
        while True:
            await partition.append_batch(batch(b"x" * 100), 0)

    async with trio.open_nursery() as producers:
        for _ in range(8):
            producers.start_soon(produce)
        await harness.ask(TWO)
        with trio.fail_after(60):
            await harness.wait_for_moves()
        end = partition.log.log_end_offset
        assert harness.where() == TWO
        assert partition.executor is harness.replicas.executors[TWO]
        while partition.log.log_end_offset < end + 50:  # noqa: ASYNC110  # appends set no event
            await trio.sleep(0.001)
        producers.cancel_scope.cancel()
    assert [offset for offset, _ in values(partition.log)] == list(range(partition.log.log_end_offset))


async def test_the_log_waits_for_a_larger_rest_each_time_that_more_was_queued(
    nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness = AlterLogDirsHarness(FakeDisk())
    await harness.append(5)
    future_logs, asked = harness.replicas.log_manager.future_logs, list[int]()
    replace_current = future_logs.maybe_replace_current

    def maybe_replace_current(log: Log, future: Log, last_bytes: int) -> bool:
        asked.append(last_bytes)
        return last_bytes >= 800 and replace_current(log, future, last_bytes)

    monkeypatch.setattr("wirebroker.replication.alter_log_dir_task.LAST_BYTES", 100)
    monkeypatch.setattr(future_logs, "maybe_replace_current", maybe_replace_current)
    nursery.start_soon(harness.alter_log_dirs.run)
    await trio.testing.wait_all_tasks_blocked()
    await harness.ask(TWO)
    await harness.wait_for_moves()
    assert asked == [100, 200, 400, 800]
    assert harness.where() == TWO


@pytest.mark.real_executors
@pytest.mark.usefixtures("small_pieces")
def test_records_are_deleted_while_a_piece_is_copied() -> None:
    def partition_and_future_log() -> tuple[AlterLogDirsHarness, Log]:
        harness = AlterLogDirsHarness(FakeDisk())
        for n in range(40):
            harness.partition.log.append_as_leader(batch(b"%05d" % n, timestamp=1_000_000), 0, 0)
        return harness, harness.replicas.log_manager.future_logs.get_or_create(harness.partition.log, TWO)

    def copy(harness: AlterLogDirsHarness, future: Log) -> None:
        copy_piece(harness.replicas.log_manager.future_logs, harness.partition.log, future)

    harness, future = partition_and_future_log()
    total = at_every_bytecode(lambda: copy(harness, future), lambda: None)
    for number in range(0, total, max(total // 80, 1)):
        harness, future = partition_and_future_log()
        at_bytecode(number, partial(copy, harness, future), partial(harness.partition.log.delete_records, 30))
        copy(harness, future)
        assert future.log_start_offset in (0, 30)
        assert harness.partition.log.failure is None
