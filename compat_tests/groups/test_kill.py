"""kill -9 in the middle of join, of sync and of commit: the group is stable again within session and rebalance time,
and offsets never go back.

The members are librdkafka's and know nothing of the crash. One more joins just before, so that the crash interrupts a
rebalance.
"""

from __future__ import annotations

import random
import threading
import time
from typing import TYPE_CHECKING, Self

import pytest

from compat_tests.conftest import unique_name, wait_until
from compat_tests.group_clients import SESSION_MS, ConfluentMember
from compat_tests.groups import offsets_log
from compat_tests.groups.offsets_log import Commit
from compat_tests.groups.stress import Watcher
from compat_tests.limits import errors_into, flush, join
from compat_tests.spark_help import create_topic
from compat_tests.transactions.crashing_broker import KILLED
from compat_tests.wire import Wire

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from compat_tests.broker import Wirebroker

PARTITIONS = 6
REBALANCE_MS = SESSION_MS  # librdkafka asks for max.poll.interval.ms, which must not be less
BACK_S = 120
"""Within SESSION_MS and REBALANCE_MS a group is stable again; a busy machine adds its own delays."""
POINTS = [
    *(
        f"{api} {when} {number}"
        for api in ("JoinGroup", "SyncGroup")
        for when in ("before", "after")
        for number in (1, 2)
    ),
    *(f"group {when} 1" for when in ("before", "half", "after")),
    *(f"offset {when} 2" for when in ("before", "half", "after")),
    "OffsetCommit after 2",
    "Heartbeat before 5",
]


class SteadyMember(threading.Thread):
    """A member that reads and commits until `stop` is set."""

    def __init__(self, watcher: Watcher, topic: str, strategy: str) -> None:
        super().__init__(daemon=True)
        self.watcher = watcher
        (self.group,) = watcher.groups
        self.member = ConfluentMember(
            watcher.broker.bootstrap,
            self.group,
            topic,
            strategy=strategy,
            session_timeout_ms=SESSION_MS,
            heartbeat_interval_ms=300,
            max_poll_interval_ms=REBALANCE_MS,
            reconnect_backoff_ms=20,
            reconnect_backoff_max_ms=100,
        )
        self.stop_it = threading.Event()
        self.faults: list[str] = []
        self.owned: set[int] = set()
        """The assignment as this thread has seen it: asked from another one, confluent-kafka blocks the interpreter
        for ever."""
        self.start()

    def run(self) -> None:
        number = 0
        while not self.stop_it.is_set():
            try:
                read = self.member.poll(0.1)
                self.owned = self.member.owned()
                if read:
                    number += 1
                    done = self.member.commit_as(f"{self.member.member_id()} {number}")
                    self.watcher.note_acknowledged([Commit(self.group, *each) for each in done])
            except Exception as fault:  # what librdkafka raises depends on the moment
                if "UNKNOWN_MEMBER_ID" in str(fault):
                    self.faults.append(str(fault))
        try:
            self.member.close()
        except Exception as fault:
            self.faults.append(f"close: {fault}")


class GroupUnderCrashes:
    """A group on a broker that is killed, and a producer that goes on."""

    def __init__(self, broker: Wirebroker, topic: str, strategy: str) -> None:
        self.broker, self.topic, self.strategy = broker, topic, strategy
        create_topic(broker.bootstrap, topic, PARTITIONS)
        self.watcher = Watcher(broker, [unique_name("mortal")])
        self.members: list[SteadyMember] = []
        self.left: list[SteadyMember] = []
        """Members that were told to leave."""
        self.refused: list[object] = []
        self._stop = threading.Event()
        self._feeder = threading.Thread(target=self._feed, daemon=True)
        self._feeder.start()

    def _feed(self) -> None:
        from confluent_kafka import Producer

        settings = {"bootstrap.servers": self.broker.bootstrap, "log_level": 0, "reconnect.backoff.max.ms": 100}
        producer = Producer(settings | {"linger.ms": 0})
        report = errors_into(self.refused)
        while not self._stop.wait(0.02):
            for partition in range(PARTITIONS):
                producer.produce(self.topic, b"x", partition=partition, on_delivery=report)
            producer.poll(0)
        flush(producer)

    def add(self, count: int = 1) -> None:
        self.members += [SteadyMember(self.watcher, self.topic, self.strategy) for _ in range(count)]

    def leave(self) -> None:
        """Have the oldest member leave; its thread ends when it has left."""
        member = self.members.pop(0)
        member.stop_it.set()
        self.left.append(member)

    def stable(self, wire: Wire) -> bool:
        """Whether the group is Stable, and every partition has one owner that has received its assignment."""
        if self.watcher.look(wire, self.watcher.groups[0]) != "Stable":
            return False
        owned = [each.owned for each in self.members]
        return all(owned) and sorted(p for each in owned for p in each) == list(range(PARTITIONS))

    def await_stable(self, timeout_s: float) -> float:
        """Wait until the group is stable: how long that took."""
        began = time.monotonic()
        with Wire(self.broker.host, self.broker.port) as wire:
            wait_until(lambda: self.stable(wire), timeout_s)
        return time.monotonic() - began

    def progress(self) -> None:
        """Wait until more offsets have been committed."""
        before = len(self.watcher.acknowledged)
        wait_until(lambda: len(self.watcher.acknowledged) > before + 2 * PARTITIONS)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for each in self.members:
            each.stop_it.set()

    def end(self) -> None:
        """Stop all, and read the log."""
        self.__exit__()
        join(self._feeder, *self.members, *self.left)
        assert not self.watcher.faults, self.watcher.faults[:10]
        assert not self.refused, self.refused[:10]
        faults = [fault for each in (*self.members, *self.left) for fault in each.faults]
        assert not faults, faults[:10]
        self.broker.stop()
        repeated = offsets_log.check(self.broker.data_directory, self.watcher.acknowledged, may_repeat=True)
        assert not repeated, repeated[:10]


@pytest.fixture
def armed(tmp_path: Path) -> Path:
    """The file that names the moment at which a crashing broker ends."""
    return tmp_path / "armed"


@pytest.fixture
def crashing_broker(start_wirebroker: Callable[..., Wirebroker], armed: Path) -> Wirebroker:
    """A broker that ends at the moment in the file."""
    broker = start_wirebroker({"group.initial.rebalance.delay.ms": "0"})
    broker.stop()
    broker.program = ["-m", "compat_tests.groups.crashing_broker", str(armed)]
    return broker.start()


@pytest.mark.parametrize("point", POINTS)
def test_a_group_survives(crashing_broker: Wirebroker, armed: Path, topic: str, point: str) -> None:
    strategy = "range" if POINTS.index(point) % 2 else "cooperative-sticky"
    with GroupUnderCrashes(crashing_broker, topic, strategy) as group:
        group.add(2)
        group.await_stable(BACK_S)
        group.progress()
        armed.write_text(point)
        group.add()
        assert crashing_broker.wait() == KILLED
        armed.unlink()
        crashing_broker.start()
        group.await_stable(BACK_S)
        group.progress()
        group.end()


@pytest.mark.parametrize("kills", [3, pytest.param(40, marks=pytest.mark.nightly)])
def test_killed_at_any_time(start_wirebroker: Callable[..., Wirebroker], topic: str, kills: int) -> None:
    choose = random.Random(11)
    with GroupUnderCrashes(start_wirebroker(), topic, "cooperative-sticky") as group:
        group.add(3)
        group.await_stable(BACK_S)
        for number in range(kills):
            if number % 2:
                group.add()  # it joins just then
                group.leave()
            time.sleep(choose.uniform(0, 1.5))
            group.broker.kill()
            time.sleep(choose.uniform(0, 0.5))
            group.broker.start()
            group.await_stable(BACK_S)
            group.progress()
        group.end()
