"""The broker is killed before every change that the exchange of a compacted segment makes to the disk.

After each restart every key has its last committed value at its old offset, nothing is there twice, and when the
cleaner has caught up, no temporary file is left.
"""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

import pytest

from compat_tests.broker import Wirebroker
from compat_tests.conftest import wait_until
from compat_tests.crashing_cleaner import CHANGES, OVER, TOPIC
from compat_tests.directory_scenario import EAGER_CLEANER, await_markers, consume_all, create
from compat_tests.fork_server import ForkServer
from compat_tests.limits import WITHIN_S, flush

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SETTINGS = {
    **EAGER_CLEANER,
    "log.cleaner.backoff.ms": "50",
    "offsets.topic.num.partitions": "1",
    "transaction.state.log.num.partitions": "1",
    "log.segment.delete.delay.ms": "50",
    "log.initial.task.delay.ms": "50",
}
KEYS, RECORDS, VALUE_BYTES, SEGMENT_BYTES = 9, 40, 900, 15_000
KILLS = 20
RUNNING = 4
"""Brokers that are killed at the same time; most of the time each of them waits for its disk and for its clients."""


class Written(NamedTuple):
    """A committed record."""

    offset: int
    key: bytes
    value: bytes | None


class CrashScenario:
    """Rounds of writes and of one cleaning each, during which the broker may be killed."""

    def __init__(self, directory: Path, fork_server: ForkServer) -> None:
        self._armed = directory / "armed"
        self._broker = Wirebroker(directory / "broker", SETTINGS)
        self._broker.launch = fork_server.launch
        self._broker.program = ["-m", "compat_tests.crashing_cleaner", str(self._armed)]
        self._broker.start()
        create(self._broker.bootstrap, {TOPIC: {"segment.bytes": str(SEGMENT_BYTES), "index.interval.bytes": "1000"}})
        self._directory = self._broker.data_directory / f"{TOPIC}-0"
        self._written: dict[int, Written] = {}
        self._number = 0

    def crash(self, change: str, number: int) -> bool:
        """Write, let the cleaner begin, and check what a restart finds; return whether the broker was killed."""
        self._set_policy("delete")
        self._write()
        self._armed.write_text(f"{number} {change}")
        self._set_policy("compact")
        wait_until(lambda: self._change_left() in (None, OVER))
        killed = self._change_left() is None
        if killed:
            self._broker.wait()
            self._broker.start()
        self._check()
        self._wait_until_cleaned()
        self._check()
        return killed

    def _change_left(self) -> str | None:
        """Return the content of the file that arms the broker, None if it is gone, as the broker was killed."""
        try:
            return self._armed.read_text()
        except FileNotFoundError:
            return None

    def close(self) -> None:
        """Stop the broker, and have its directory verified."""
        self._broker.stop()
        self._broker.start()
        assert self._temporary_files() == []
        self._check()
        self._broker.stop()
        command = [sys.executable, "-m", "wirebroker", "log", "verify", str(self._broker.data_directory)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stdout + done.stderr

    def _set_policy(self, policy: str) -> None:
        from confluent_kafka.admin import AdminClient, AlterConfigOpType, ConfigEntry, ConfigResource, ResourceType

        entry = ConfigEntry("cleanup.policy", policy, incremental_operation=AlterConfigOpType.SET)
        resource = ConfigResource(ResourceType.TOPIC, TOPIC, incremental_configs=[entry])
        admin = AdminClient({"bootstrap.servers": self._broker.bootstrap})
        admin.incremental_alter_configs([resource])[resource].result(WITHIN_S)

    def _write(self) -> None:
        """A committed transaction, an aborted one, and records of an idempotent producer, with some tombstones."""
        from confluent_kafka import Producer

        broker = {"bootstrap.servers": self._broker.bootstrap, "batch.num.messages": 3}
        producer = Producer({**broker, "transactional.id": "t"})
        producer.init_transactions(WITHIN_S)
        for commit in (True, False):
            producer.begin_transaction()
            records = self._produce(producer, RECORDS // 4)
            if commit:
                producer.commit_transaction(WITHIN_S)
                self._written |= records
            else:
                flush(producer)
                producer.abort_transaction(WITHIN_S)
        producer = Producer({**broker, "enable.idempotence": True})
        records = self._produce(producer, RECORDS // 2)
        flush(producer)
        await_markers(self._broker.bootstrap, TOPIC)
        self._written |= records

    def _produce(self, producer: object, count: int) -> dict[int, Written]:
        """Produce *count* records; the result, offset -> record, is complete when they are flushed."""
        found: dict[int, Written] = {}

        def delivered(error: object, message: object) -> None:
            assert error is None
            offset, key, value = message.offset(), message.key(), message.value()  # type: ignore[attr-defined]
            found[offset] = Written(offset, key, value)

        for _ in range(count):
            self._number += 1
            value = None if self._number % 11 == 0 else b"%d:" % self._number + b"x" * VALUE_BYTES
            producer.produce(TOPIC, value, b"k%d" % (self._number % KEYS), on_delivery=delivered)  # type: ignore[attr-defined]
        return found

    def _check(self) -> None:
        (found,) = consume_all(self._broker.bootstrap, {TOPIC}, "read_committed").values()
        offsets = [each.offset for each in found]
        assert offsets == sorted(set(offsets))
        assert [Written(each.offset, each.key or b"", each.value) for each in found] == [
            self._written[offset] for offset in offsets
        ]
        last = {each.key: each.offset for each in found}
        for record in {each.key: each for _, each in sorted(self._written.items())}.values():
            if record.value is not None:
                assert last[record.key] == record.offset

    def _wait_until_cleaned(self) -> None:
        checkpoint = self._broker.data_directory / "cleaner-offset-checkpoint"

        def is_clean() -> bool:
            active = max(int(path.stem) for path in self._directory.glob("*.log"))
            found = re.search(rf"^{TOPIC} 0 (\d+)$", checkpoint.read_text(), re.MULTILINE)
            return found is not None and int(found[1]) == active

        wait_until(is_clean)
        wait_until(lambda: self._temporary_files() == [])

    def _temporary_files(self) -> list[Path]:
        return [path for suffix in (".cleaned", ".swap", ".deleted") for path in self._directory.glob(f"*{suffix}")]


@pytest.fixture(scope="module")
def fork_server() -> Iterator[ForkServer]:
    server = ForkServer()
    yield server
    server.kill()


def test_a_kill_at_every_change_loses_and_doubles_nothing(tmp_path: Path, fork_server: ForkServer) -> None:
    scenario = CrashScenario(tmp_path, fork_server)
    for change in CHANGES:
        assert scenario.crash(change, 1), change
    scenario.close()


@pytest.mark.nightly
@pytest.mark.parametrize("change", CHANGES)
def test_many_kills_at_one_change(tmp_path: Path, fork_server: ForkServer, change: str) -> None:
    def kill_often(directory: Path) -> None:
        directory.mkdir()
        scenario = CrashScenario(directory, fork_server)
        kills = 0
        for number in itertools.cycle((1, 1, 1, 2)):  # a second one of its kind there is not always
            kills += scenario.crash(change, number)
            if kills == KILLS // RUNNING:
                break
        scenario.close()

    with ThreadPoolExecutor(RUNNING) as threads:
        list(threads.map(kill_often, [tmp_path / f"{number}" for number in range(RUNNING)]))
