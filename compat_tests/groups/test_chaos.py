"""Members of all kinds join, leave and are killed, and the broker is killed; the invariants of groups hold. They are
checked by a watcher (stress.py), by the broker's log lines about removed members, and at the end by reading
__consumer_offsets (offsets_log.py).
"""

from __future__ import annotations

import random
import re
import select
import signal
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest

from compat_tests.conftest import unique_name
from compat_tests.group_clients import SESSION_MS, ConfluentMember
from compat_tests.groups import offsets_log
from compat_tests.groups.stress import PARTITIONS, MemberLifecycle, Watcher, wrongly_removed
from compat_tests.limits import WITHIN_S
from compat_tests.spark_help import create_topic
from compat_tests.wire import Wire
from tools.bench.group_members import MemberPool
from tools.bench.group_wire import await_coordinator

if TYPE_CHECKING:
    from collections.abc import Callable

    from compat_tests.broker import Wirebroker

DOOMED = """
import sys
from itertools import count
from compat_tests.group_clients import SESSION_MS, ConfluentMember
member = ConfluentMember(*sys.argv[1:4], strategy=sys.argv[4], session_timeout_ms=SESSION_MS)
is_in = False
for number in count():
    records = member.poll(0.2)
    if not is_in and member.member_id():
        is_in = True
        print("in", flush=True)
    if records:
        member.commit_as(f"{member.member_id()} {number}")
"""


def _produce(broker: Wirebroker, topic: str, stop: threading.Event) -> None:
    from confluent_kafka import Producer

    producer = Producer({"bootstrap.servers": broker.bootstrap, "log_level": 0})
    while not stop.wait(0.02):
        for partition in range(PARTITIONS):
            producer.produce(topic, b"x", partition=partition)
        producer.poll(0)
    producer.flush(10)


def _chaos(
    broker: Wirebroker, topic: str, duration_s: float, events: Callable[[], None], members: int
) -> tuple[Watcher, list[MemberLifecycle]]:
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
                more = {"session_timeout_ms": SESSION_MS}
                return ConfluentMember(broker.bootstrap, group, topic, instance, strategy, **more)

            lives.append(MemberLifecycle(watcher, make, group, number))
        for each in (feeder, *lives):
            each.start()
        doomed: list[subprocess.Popen[bytes]] = []
        end = time.monotonic() + duration_s
        try:
            rounds = 0
            # in one round the broker removes the members that were killed in the round before
            while rounds < 3 or time.monotonic() < end:
                rounds += 1
                for group, strategy in groups.items():
                    command = [sys.executable, "-c", DOOMED, broker.bootstrap, group, topic, strategy]
                    doomed.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL))
                for process in doomed:
                    assert process.stdout is not None
                    assert select.select([process.stdout], [], [], WITHIN_S)[0], "it never became a member"
                time.sleep(SESSION_MS / 1000)
                for process in doomed:
                    process.send_signal(signal.SIGKILL)
                    process.communicate(timeout=60)
                doomed.clear()
                events()
        finally:
            for process in doomed:
                process.kill()
                process.communicate(timeout=60)
            for life in lives:
                life.stop_it.set()
            stop.set()
            for each in (feeder, *lives):
                each.join(WITHIN_S)
        assert not [fault for life in lives for fault in life.faults]
        assert sum(life.commits for life in lives) > members
    assert not watcher.faults, watcher.faults[:10]
    assert watcher.stable_seen
    assert watcher.acknowledged
    return watcher, lives


@pytest.mark.parametrize("duration_s", [16, pytest.param(300, marks=pytest.mark.nightly)])
def test_members_join_leave_and_die(start_wirebroker: Callable[..., Wirebroker], topic: str, duration_s: int) -> None:
    broker = start_wirebroker()
    watcher, lives = _chaos(broker, topic, duration_s, lambda: None, members=18)
    broker.stop()
    log = broker.log()
    assert not re.search(r"Traceback|ERROR", log), log[-3000:]
    assert not wrongly_removed(log, [each for life in lives for each in life.lived])
    assert re.search("no heartbeat within its session timeout", log), "those who were killed"
    faults = offsets_log.check(broker.data_directory, watcher.acknowledged)
    assert not faults, faults[:10]


@pytest.mark.parametrize("duration_s", [12, pytest.param(180, marks=pytest.mark.nightly)])
def test_the_broker_dies(start_wirebroker: Callable[..., Wirebroker], topic: str, duration_s: int) -> None:
    broker = start_wirebroker()

    def kill_it() -> None:
        broker.kill()
        broker.start()

    watcher, _ = _chaos(broker, topic, duration_s, kill_it, members=6)
    # All members have left or were killed; static and killed members are removed within their session timeout.
    assert broker.starts > 2
    newcomer = ConfluentMember(broker.bootstrap, watcher.groups[0], topic)
    started = time.monotonic()
    try:
        with Wire(broker.host, broker.port) as wire:
            while newcomer.owned() != set(range(PARTITIONS)):
                newcomer.poll(0.1)
                assert time.monotonic() - started < 120, watcher.look(wire, watcher.groups[0])
            watcher.look(wire, watcher.groups[0])
    finally:
        newcomer.close()
    assert not watcher.faults, watcher.faults[:10]
    broker.stop()
    faults = offsets_log.check(broker.data_directory, watcher.acknowledged, may_repeat=True)
    assert not faults, faults[:10]


@pytest.mark.parametrize("duration_s", [8, pytest.param(120, marks=pytest.mark.nightly)])
def test_no_running_member_is_unknown(wirebroker: Wirebroker, duration_s: int) -> None:
    """Every response to 20 members of three groups is checked, while others join, leave and miss heartbeats."""
    choose = random.Random(7)
    names = [unique_name("crowd") for _ in range(3)]
    address = wirebroker.host, wirebroker.port
    await_coordinator(address)
    with MemberPool(address, heartbeat_s=0.3, session_timeout_ms=SESSION_MS) as pool:
        pool.start([pool.add(names[number % 3]) for number in range(20)])
        changes = 0
        end = time.monotonic() + duration_s
        # on a busy machine it takes longer
        while time.monotonic() < end or changes <= duration_s or pool.heartbeats <= 100:
            pause = time.monotonic() + choose.uniform(0.05, 0.4)
            pool.run(lambda pause=pause: time.monotonic() > pause)  # type: ignore[misc]
            name = choose.choice(names)
            here = [peer for peer in pool.groups[name] if peer.stable and peer.asked is None]
            match choose.randrange(3):
                case 0:
                    pool.start([pool.add(name)])
                case 1 if len(here) > 3:
                    pool.leave(choose.choice(here))
                case 2 if len(here) > 3:
                    pool.fall_silent(choose.choice(here))
                case _:
                    continue
            changes += 1
        pool.run(pool.all_stable)
        assert not pool.unexpected
