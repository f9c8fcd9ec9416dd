"""kill -9 in the middle of join, of sync and of commit: the group is stable again within session and rebalance time,
and offsets never go back.

The members are librdkafka's and are not told of anything.  One more joins when the broker is to die, so that there is a
rebalance to be torn apart.
"""

from __future__ import annotations

import random
import threading
import time
from typing import TYPE_CHECKING

import pytest

from compat_tests.conftest import unique_name, wait_until
from compat_tests.group_clients import SESSION_MS, ConfluentMember
from compat_tests.groups import offsets_log
from compat_tests.groups.offsets_log import Commit
from compat_tests.groups.stress import Watcher
from compat_tests.spark_help import create_topic
from compat_tests.transactions.mortal_broker import KILLED
from compat_tests.wire import Wire

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from compat_tests.broker import Wirebroker

PARTITIONS = 6
REBALANCE_MS = SESSION_MS  # librdkafka asks for max.poll.interval.ms, which must not be less
BACK_S = (SESSION_MS + REBALANCE_MS) / 1000
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


class Steady(threading.Thread):
    """A member that reads and commits until it is told to stop."""

    def __init__(self, watcher: Watcher, topic: str, strategy: str) -> None:
        super().__init__(daemon=True)
        self.watcher = watcher
        (self.group,) = watcher.groups
        self.member = ConfluentMember(
            watcher.broker.bootstrap,
            self.group,
            topic,
            strategy=strategy,
            heartbeat_interval_ms=300,
            max_poll_interval_ms=REBALANCE_MS,
            reconnect_backoff_ms=20,
            reconnect_backoff_max_ms=100,
        )
        self.stop_it = threading.Event()
        self.faults: list[str] = []
        self.owned: set[int] = set()
        """Seen by this thread: asked from another one, confluent-kafka waits for ever, and lets nobody else run."""
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
                    self.watcher.told([Commit(self.group, *each) for each in done])
            except Exception as fault:  # what librdkafka raises depends on the moment
                if "UNKNOWN_MEMBER_ID" in str(fault):
                    self.faults.append(str(fault))
        self.member.close()


class Stage:
    """A group on a broker that may die, and records that keep coming."""

    def __init__(self, broker: Wirebroker, topic: str, strategy: str) -> None:
        self.broker, self.topic, self.strategy = broker, topic, strategy
        create_topic(broker.bootstrap, topic, PARTITIONS)
        self.watcher = Watcher(broker, [unique_name("mortal")])
        self.members: list[Steady] = []
        self._stop = threading.Event()
        self._feeder = threading.Thread(target=self._feed, daemon=True)
        self._feeder.start()

    def _feed(self) -> None:
        from confluent_kafka import Producer

        settings = {"bootstrap.servers": self.broker.bootstrap, "log_level": 0, "reconnect.backoff.max.ms": 100}
        producer = Producer(settings | {"linger.ms": 0})
        while not self._stop.wait(0.02):
            for partition in range(PARTITIONS):
                producer.produce(self.topic, b"x", partition=partition)
            producer.poll(0)

    def add(self, count: int = 1) -> None:
        self.members += [Steady(self.watcher, self.topic, self.strategy) for _ in range(count)]

    def stable(self, wire: Wire) -> bool:
        """Whether the broker says so, and every partition has one owner who knows it."""
        if self.watcher.look(wire, self.watcher.groups[0]) != "Stable":
            return False
        owned = [each.owned for each in self.members]
        return all(owned) and sorted(p for each in owned for p in each) == list(range(PARTITIONS))

    def settle(self, timeout_s: float) -> float:
        """Wait until the group is stable: how long that took."""
        began = time.monotonic()
        with Wire(self.broker.host, self.broker.port) as wire:
            wait_until(lambda: self.stable(wire), timeout_s)
        return time.monotonic() - began

    def progress(self) -> None:
        """Wait until everybody has committed something new."""
        before = len(self.watcher.acknowledged)
        wait_until(lambda: len(self.watcher.acknowledged) > before + 2 * PARTITIONS, 10)

    def end(self) -> None:
        """Stop all, and read the log."""
        self._stop.set()
        for each in self.members:
            each.stop_it.set()
        for each in self.members:
            each.join(30)
        assert not self.watcher.faults, self.watcher.faults[:10]
        assert not [fault for each in self.members for fault in each.faults]
        self.broker.stop()
        faults = offsets_log.check(self.broker.data_directory, self.watcher.acknowledged, may_repeat=True)
        assert not faults, faults[:10]


@pytest.fixture
def armed(tmp_path: Path) -> Path:
    """The switch of a mortal broker."""
    return tmp_path / "armed"


@pytest.fixture
def mortal(start_wirebroker: Callable[..., Wirebroker], armed: Path) -> Wirebroker:
    """A broker that dies when told to."""
    broker = start_wirebroker({"group.initial.rebalance.delay.ms": "0"})
    broker.stop()
    broker.program = ["-m", "compat_tests.groups.mortal_broker", str(armed)]
    return broker.start()


@pytest.mark.parametrize("point", POINTS)
def test_a_group_survives(mortal: Wirebroker, armed: Path, topic: str, point: str) -> None:
    stage = Stage(mortal, topic, "range" if POINTS.index(point) % 2 else "cooperative-sticky")
    stage.add(2)
    stage.settle(20)
    stage.progress()
    armed.write_text(point)
    stage.add()
    assert mortal.await_death(15) == KILLED
    armed.unlink()
    mortal.start()
    assert stage.settle(BACK_S) <= BACK_S
    stage.progress()
    stage.end()


@pytest.mark.parametrize("kills", [3, pytest.param(40, marks=pytest.mark.nightly)])
def test_killed_at_any_time(start_wirebroker: Callable[..., Wirebroker], topic: str, kills: int) -> None:
    choose = random.Random(11)
    stage = Stage(start_wirebroker(), topic, "cooperative-sticky")
    stage.add(3)
    stage.settle(20)
    for number in range(kills):
        if number % 2:
            stage.add()  # it joins just then
            leaver = stage.members.pop(0)
            leaver.stop_it.set()
        time.sleep(choose.uniform(0, 1.5))
        stage.broker.kill()
        time.sleep(choose.uniform(0, 0.5))
        stage.broker.start()
        assert stage.settle(BACK_S) <= BACK_S
        stage.progress()
    stage.end()
