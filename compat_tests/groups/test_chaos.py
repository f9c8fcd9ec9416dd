"""Groups under stress: members of all kinds come, go and die, and the broker is killed; what a group promises holds.

A watcher looks at the groups all the time over raw requests: no partition has two owners in a stable generation, and no
committed offset goes back or falls behind a commit that was acknowledged.  The broker's own log tells whether a member
that lives was ever taken for dead.
"""

from __future__ import annotations

import random
import re
import signal
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Self

import pytest

from compat_tests.conftest import unique_name
from compat_tests.group_clients import ConfluentMember
from compat_tests.spark_help import create_topic
from compat_tests.wire import Closed, Wire
from wirebroker.protocol.internal.consumer_protocol import ConsumerProtocolAssignment
from wirebroker.protocol.messages.describe_groups import DescribeGroupsRequest
from wirebroker.protocol.messages.offset_fetch import OffsetFetchRequest

if TYPE_CHECKING:
    from collections.abc import Callable

    from compat_tests.broker import Wirebroker

PARTITIONS = 24
SESSION_S = 6
DOOMED = """
import sys
from compat_tests.group_clients import ConfluentMember
member = ConfluentMember(*sys.argv[1:4], strategy=sys.argv[4])
while True:
    if member.poll(0.2):
        member.commit()
"""


class Watcher(threading.Thread):
    """Looks at groups until stopped; `faults` is what must not be."""

    def __init__(self, broker: Wirebroker, groups: list[str]) -> None:
        super().__init__(daemon=True)
        self.broker, self.groups = broker, groups
        self.faults: list[str] = []
        self.stable_seen = 0
        self._acknowledged: dict[tuple[str, int], int] = {}
        self._seen: dict[tuple[str, int], int] = {}
        self._lock = threading.Lock()
        self._stop_it = threading.Event()

    def acknowledged(self, group: str, offsets: dict[int, int]) -> None:
        """A member was told that these are committed."""
        with self._lock:
            for partition, offset in offsets.items():
                key = (group, partition)
                self._acknowledged[key] = max(offset, self._acknowledged.get(key, 0))

    def run(self) -> None:
        while not self._stop_it.wait(0.1):
            try:
                with Wire(self.broker.host, self.broker.port, 5) as wire:
                    while not self._stop_it.wait(0.1):
                        for group in self.groups:
                            self.look(wire, group)
            except (Closed, OSError):
                continue  # the broker is down; it comes back

    def look(self, wire: Wire, group: str) -> str:
        (described,) = wire.ask(DescribeGroupsRequest([group]), 5).groups
        if described.group_state == "Stable":
            self.stable_seen += 1
            owners: dict[int, str] = {}
            for member in described.members:
                for partition in _assigned(bytes(member.member_assignment)):
                    if partition in owners:
                        self.faults.append(f"{group} {partition}: {owners[partition]} and {member.member_id}")
                    owners[partition] = member.member_id
        with self._lock:
            promised = {key: offset for key, offset in self._acknowledged.items() if key[0] == group}
        answer = wire.ask(OffsetFetchRequest(group, None), 5)
        if answer.error_code:
            return str(described.group_state)
        found = {(group, p.partition_index): p.committed_offset for t in answer.topics for p in t.partitions}
        for key, offset in {**self._seen, **promised}.items():
            if key[0] == group:
                least = max(offset, self._seen.get(key, 0), promised.get(key, 0))
                if found.get(key, 0) < least:
                    self.faults.append(f"{key}: {found.get(key)} is committed, and {least} was")
        self._seen.update(found)
        return str(described.group_state)

    def stop(self) -> None:
        self._stop_it.set()
        self.join()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def _assigned(assignment: bytes) -> list[int]:
    if not assignment:
        return []
    version = int.from_bytes(assignment[:2], "big")
    found, _ = ConsumerProtocolAssignment.read(assignment, 2, version)
    return [partition for topic in found.assigned_partitions for partition in topic.partitions]


class Life(threading.Thread):
    """One member after the other, each for a while; commits what it has read."""

    def __init__(self, watcher: Watcher, make: Callable[[], ConfluentMember], group: str, seed: int) -> None:
        super().__init__(daemon=True)
        self.watcher, self.make, self.group = watcher, make, group
        self.random = random.Random(seed)
        self.stop_it = threading.Event()
        self.commits, self.faults = 0, list[str]()

    def run(self) -> None:
        while not self.stop_it.is_set():
            member = self.make()
            try:
                self._live(member, time.monotonic() + self.random.uniform(4, 15))
            finally:
                member.close()

    def _live(self, member: ConfluentMember, until: float) -> None:
        while time.monotonic() < until and not self.stop_it.is_set():
            try:
                if not member.poll(0.2):
                    continue
                self.watcher.acknowledged(self.group, member.commit_and_tell())
                self.commits += 1
            except Exception as fault:  # what librdkafka raises depends on the moment
                # A rebalance refuses commits of the generation before; whoever owns the partition reads it again.
                if "UNKNOWN_MEMBER_ID" in str(fault):
                    self.faults.append(f"{self.name}: {fault}")


def _produce(broker: Wirebroker, topic: str, stop: threading.Event) -> None:
    from confluent_kafka import Producer

    producer = Producer({"bootstrap.servers": broker.bootstrap, "log_level": 0})
    while not stop.wait(0.02):
        for partition in range(PARTITIONS):
            producer.produce(topic, b"x", partition=partition)
        producer.poll(0)
    producer.flush(10)


def _chaos(broker: Wirebroker, topic: str, duration_s: float, events: Callable[[], None], members: int) -> Watcher:
    """Two groups, eager and cooperative, half of each static; *events* is called every few seconds."""
    create_topic(broker.bootstrap, topic, PARTITIONS)
    groups = {unique_name("eager"): "range", unique_name("cooperative"): "cooperative-sticky"}
    stop = threading.Event()
    feeder = threading.Thread(target=_produce, args=(broker, topic, stop), daemon=True)
    with Watcher(broker, list(groups)) as watcher:
        lives = []
        for number in range(members):
            group, strategy = list(groups.items())[number % 2]
            instance = f"static-{number}" if number % 4 < 2 else None

            def make(group: str = group, instance: str | None = instance, strategy: str = strategy) -> ConfluentMember:
                return ConfluentMember(broker.bootstrap, group, topic, instance, strategy)

            lives.append(Life(watcher, make, group, number))
        for each in (feeder, *lives):
            each.start()
        doomed: list[subprocess.Popen[bytes]] = []
        end = time.monotonic() + duration_s
        try:
            while time.monotonic() < end:
                for group, strategy in groups.items():
                    command = [sys.executable, "-c", DOOMED, broker.bootstrap, group, topic, strategy]
                    doomed.append(subprocess.Popen(command, stderr=subprocess.DEVNULL))
                time.sleep(6)
                for process in doomed:
                    process.send_signal(signal.SIGKILL)
                    process.wait()
                doomed.clear()
                events()
        finally:
            for process in doomed:
                process.kill()
                process.wait()
            for life in lives:
                life.stop_it.set()
            stop.set()
            for each in (feeder, *lives):
                each.join(30)
        assert not [fault for life in lives for fault in life.faults]
        assert sum(life.commits for life in lives) > members
    assert not watcher.faults, watcher.faults[:10]
    assert watcher.stable_seen
    return watcher


@pytest.mark.parametrize("duration_s", [30, pytest.param(300, marks=pytest.mark.nightly)])
def test_members_join_leave_and_die(start_wirebroker: Callable[..., Wirebroker], topic: str, duration_s: int) -> None:
    broker = start_wirebroker()
    _chaos(broker, topic, duration_s, lambda: None, members=18)
    assert not re.search(r"Traceback|ERROR", broker.log()), broker.log()[-3000:]


@pytest.mark.parametrize("duration_s", [18, pytest.param(180, marks=pytest.mark.nightly)])
def test_the_broker_dies(start_wirebroker: Callable[..., Wirebroker], topic: str, duration_s: int) -> None:
    broker = start_wirebroker()

    def kill_it() -> None:
        broker.kill()
        broker.start()

    watcher = _chaos(broker, topic, duration_s, kill_it, members=6)
    # All have left or are gone; static members and those who died leave within their session.
    assert broker.starts > 2
    newcomer = ConfluentMember(broker.bootstrap, watcher.groups[0], topic)
    started = time.monotonic()
    try:
        with Wire(broker.host, broker.port) as wire:
            while newcomer.owned() != set(range(PARTITIONS)):
                newcomer.poll(0.1)
                assert time.monotonic() - started < 4 * SESSION_S, watcher.look(wire, watcher.groups[0])
            watcher.look(wire, watcher.groups[0])
    finally:
        newcomer.close()
    assert not watcher.faults, watcher.faults[:10]
