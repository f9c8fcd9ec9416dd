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
from wirebroker.metadata.image import PartitionImage, TopicImage
from wirebroker.model import TopicPartition
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.alter_replica_log_dirs import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirTopic,
)
from wirebroker.protocol.messages.describe_log_dirs import DescribeLogDirsRequest
from wirebroker.replication.log_mover import _copy_piece
from wirebroker.replication.replica_manager import ReplicaManager
from wirebroker.tests.replication.leader import become_leader
from wirebroker.tests.storage.fakes.disk import FakeDisk
from wirebroker.tests.storage.fakes.logs import SMALL, batch, manager, values
from wirebroker.tests.storage.fakes.preemption import at_bytecode, at_every_bytecode

if TYPE_CHECKING:
    from wirebroker.replication.partition import Partition
    from wirebroker.storage.log import Log

ID = bytes(range(16))
AT = TopicPartition("t", 0)
ONE, TWO, THREE = Path("/one"), Path("/two"), Path("/three")


class House:
    """A replica manager over three directories, t-0 in the first of them."""

    def __init__(self, disk: FakeDisk) -> None:
        self.disk = disk
        self.failed = trio.Event()
        self.replicas = ReplicaManager(manager(disk, SMALL, None, ONE, TWO, THREE), self.failed.set)
        self.mover = self.replicas.mover
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
        answer = await handle_alter_replica_log_dirs(RequestContext(services), AlterReplicaLogDirsRequest(wanted))
        return [each.error_code for result in answer.results for each in result.partitions]

    async def described(self) -> list[tuple[str, int, int, bool]]:
        """(directory, size, lag, is it a copy) of t-0."""
        services = cast(Any, type("Services", (), {"replicas": self.replicas}))
        answer = await handle_describe_log_dirs(RequestContext(services), DescribeLogDirsRequest(None))
        return [
            (result.log_dir, each.partition_size, each.offset_lag, each.is_future_key)
            for result in answer.results
            for topic in result.topics
            for each in topic.partitions
        ]

    async def arrive(self) -> None:
        for move in list(self.mover._moves.values()):
            await move.done.wait()


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many steps for a few records."""
    monkeypatch.setattr("wirebroker.replication.log_mover._PIECE_BYTES", 300)
    monkeypatch.setattr("wirebroker.replication.log_mover.LAST_BYTES", 250)


async def test_it_moves_while_it_is_written_to(nursery: trio.Nursery) -> None:
    house = House(FakeDisk())
    await house.append(50)
    nursery.start_soon(house.mover.run)
    await trio.testing.wait_all_tasks_blocked()
    assert await house.ask(TWO) == [ErrorCode.NONE]
    for _ in range(200):  # not until it is there: a machine that starves the copying thread would never see it come
        await house.append(1)
        await trio.lowlevel.checkpoint()
    await house.arrive()
    assert house.where() == TWO
    assert house.partition.lane is house.replicas.lanes[TWO]
    await house.append(3)
    assert house.records() == list(range(len(house.records())))
    assert len(house.records()) > 53
    nursery.cancel_scope.cancel()


async def test_the_copy_is_described(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "os.statvfs", lambda _: cast(Any, type("S", (), dict.fromkeys(("f_blocks", "f_bavail", "f_frsize"), 1)))
    )
    house = House(FakeDisk())
    await house.append(7)
    assert await house.ask(TWO) == [ErrorCode.NONE]  # nothing runs: it stays at its beginning
    size = house.partition.log.size_bytes
    assert await house.described() == [("/one", size, 0, False), ("/two", 0, 7, True)]


async def test_a_move_ends_where_it_began_or_goes_elsewhere(nursery: trio.Nursery) -> None:
    house = House(FakeDisk())
    await house.append(20)
    moves = house.replicas.log_manager.moves
    assert await house.ask(TWO) == [ErrorCode.NONE]
    assert await house.ask(ONE) == [ErrorCode.NONE]
    assert moves.all() == {}
    assert await house.ask(TWO) == [ErrorCode.NONE]
    assert await house.ask(THREE) == [ErrorCode.NONE]
    assert [future.directory.parent for future in moves.all().values()] == [THREE]
    nursery.start_soon(house.mover.run)  # goes on with what it finds
    await trio.testing.wait_all_tasks_blocked()
    await house.arrive()
    assert house.where() == THREE
    assert house.records() == list(range(20))
    nursery.cancel_scope.cancel()


async def test_what_cannot_move() -> None:
    house = House(FakeDisk())
    assert await house.ask(Path("/four")) == [ErrorCode.LOG_DIR_NOT_FOUND]
    assert await house.ask(TWO, 0, 1) == [ErrorCode.NONE, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]
    made = house.replicas.log_manager.get_or_create("t", 1, ID, is_new=True)
    assert made.directory.parent == TWO  # where it was to go
    house.replicas.directory_failed(THREE, OSError(errno.EIO, "gone"))
    assert await house.ask(TWO) == [ErrorCode.KAFKA_STORAGE_ERROR]


@pytest.mark.usefixtures("small_pieces")
async def test_a_topic_is_deleted_while_it_moves(nursery: trio.Nursery) -> None:
    house = House(FakeDisk())
    await house.append(50)
    nursery.start_soon(house.mover.run)
    await trio.testing.wait_all_tasks_blocked()
    await house.ask(TWO)
    await trio.lowlevel.checkpoint()
    assert await house.replicas.stop("t", 0, delete=True)
    await house.arrive()
    names = [name for each in (ONE, TWO) for name, is_directory in house.disk.list(str(each)) if is_directory]
    assert [name.rpartition("-")[2] for name in names] == ["delete", "delete"]
    nursery.cancel_scope.cancel()


@pytest.mark.parametrize("victim", ["new", "old"])
@pytest.mark.usefixtures("small_pieces")
async def test_a_directory_that_fails_ends_the_move(nursery: trio.Nursery, victim: str) -> None:
    house = House(FakeDisk())
    await house.append(50)
    nursery.start_soon(house.mover.run)
    await trio.testing.wait_all_tasks_blocked()
    assert await house.ask(TWO) == [ErrorCode.NONE]
    await trio.lowlevel.checkpoint()
    if victim == "new":
        house.disk.fail_next["pwrite"] = errno.EIO
        await house.arrive()
        assert house.replicas.log_manager.is_dir_offline(TWO)
        await house.append(2)
        assert house.records() == list(range(52))
        assert house.where() == ONE
    else:
        house.replicas.directory_failed(ONE, OSError(errno.EIO, "gone"))
        await house.arrive()
        assert house.replicas.is_offline(*AT)
        assert not house.replicas.log_manager.is_dir_offline(TWO)
    nursery.cancel_scope.cancel()


@pytest.mark.usefixtures("small_pieces")
async def test_a_limit_makes_it_slow(nursery: trio.Nursery, autojump_clock: trio.testing.MockClock) -> None:
    house = House(FakeDisk())
    await house.append(50)
    size = house.partition.log.size_bytes
    house.mover.bytes_per_second = lambda: 100
    nursery.start_soon(house.mover.run)
    started = trio.current_time()
    await trio.testing.wait_all_tasks_blocked()
    await house.ask(TWO)
    await house.arrive()
    assert trio.current_time() - started >= (size - 1000) / 100
    nursery.cancel_scope.cancel()


async def test_a_slow_disk_keeps_the_order(nursery: trio.Nursery) -> None:
    house = House(FakeDisk())
    await house.append(20)
    for lane in house.replicas.lanes.values():
        lane.quick = False
        nursery.start_soon(lane.own)
    nursery.start_soon(house.mover.run)
    await trio.testing.wait_all_tasks_blocked()
    await house.ask(TWO)

    async def produce(partition: Partition) -> None:
        for _ in range(30):
            await partition.append_batch(batch(b"x"), 0)

    async with trio.open_nursery() as producers:
        for _ in range(3):
            producers.start_soon(produce, house.partition)
    await house.arrive()
    assert house.where() == TWO
    assert house.partition.lane is house.replicas.lanes[TWO]
    assert [offset for offset, _ in values(house.partition.log)] == list(range(110))
    nursery.cancel_scope.cancel()


@pytest.mark.real_lanes
@pytest.mark.usefixtures("small_pieces")
def test_records_are_deleted_while_a_piece_is_copied() -> None:
    def scene() -> tuple[House, Log]:
        house = House(FakeDisk())
        for n in range(40):
            house.partition.log.append_as_leader(batch(b"%05d" % n, timestamp=1_000_000), 0, 0)
        return house, house.replicas.log_manager.begin_move(house.partition.log, TWO)

    def copy(house: House, future: Log) -> None:
        _copy_piece(house.replicas.log_manager.moves, house.partition.log, future)

    house, future = scene()
    total = at_every_bytecode(lambda: copy(house, future), lambda: None)
    for number in range(0, total, max(total // 80, 1)):
        house, future = scene()
        at_bytecode(number, partial(copy, house, future), partial(house.partition.log.delete_records, 30))
        copy(house, future)
        assert future.log_start_offset in (0, 30)
        assert house.partition.log.failure is None
