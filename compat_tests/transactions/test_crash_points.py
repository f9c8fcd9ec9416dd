"""The broker is killed at every point of the two-phase commit; after the restart the transaction is completed within
ten seconds, equally in all of its partitions, and as its producer was answered.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from compat_tests.kafka_requests import batch, fetch, list_offsets, produce
from compat_tests.transactions.compared_brokers import SETTINGS, await_coordinators, create_topic
from compat_tests.transactions.crashing_broker import KILLED
from compat_tests.transactions.scenario import Producer, TransactionScenario
from compat_tests.wire import Closed, Wire
from wirebroker.protocol.messages.describe_transactions import DescribeTransactionsRequest
from wirebroker.protocol.messages.end_txn import EndTxnRequest
from wirebroker.record.control import read_marker
from wirebroker.record.record_batch import RecordBatch, batches

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from compat_tests.broker import Wirebroker

TOPIC, NAME = "torn", "producer"
PARTITIONS = (0, 1, 2)
MARKERS = len(PARTITIONS) + 1
"""The group's partition has one, too."""
DECIDED_S = 60
RETRIED = {14, 15, 16, 51}


class Point(NamedTuple):
    """Where the broker dies; `prepared`: the outcome is in the log, so it stands without the producer.

    *loading* is where the restarted broker dies once more.
    """

    moment: str
    prepared: bool = True
    loading: str | None = None


POINTS = {
    "before the Prepare record": Point("Prepare before 1", False),
    "half of the Prepare record": Point("Prepare half 1", False),
    "after the Prepare record": Point("Prepare after 1"),
    "before the first marker": Point("marker before 1"),
    "half of the first marker": Point("marker half 1"),
    "after the first marker": Point("marker after 1"),
    "before the last marker": Point(f"marker before {MARKERS}"),
    "after the last marker": Point(f"marker after {MARKERS}"),
    "before the Complete record": Point("Complete before 1"),
    "after the Complete record": Point("Complete after 1"),
    "before the reply": Point("reply before 1"),
    "while loading": Point("Prepare after 1", loading="load before 1"),
    "when loaded": Point("marker after 2", loading="loaded before 1"),
    "after one marker more": Point("marker after 1", loading="marker after 1"),
    "half of the Complete record": Point("Complete half 1"),
}


class CrashScenario:
    """Transactions of one producer on one broker, each of which ends in a crash."""

    def __init__(self, broker: Wirebroker, switch: Path) -> None:
        self.broker, self.switch = broker, switch
        self.expected: dict[int, list[bytes]] = {partition: [] for partition in PARTITIONS}
        self.committed_offset = -1
        self.number = 0

    def scenario(self) -> TransactionScenario:
        return TransactionScenario(self.broker, NAME, TOPIC)

    def crash(self, point: Point, commit: bool, version: int) -> None:
        """Run one transaction during which the broker is killed, and check the outcome."""
        self.number += 1
        value = b"%d" % self.number
        ends = [self.end(partition) for partition in PARTITIONS]
        with self.scenario() as s:
            producer = s.producer(version=5)
            s.write(producer, 0, value, version=12)
            for partition in PARTITIONS[1:]:
                s.write(producer, 0, value, partition=partition, version=12)
            s.offsets(5, producer, self.number)
            assert not _codes(s.recorded[-4:])
            which = "Commit" if commit else "Abort"
            self.arm(point.moment.replace("Prepare", f"Prepare{which}").replace("Complete", f"Complete{which}"))
            request = EndTxnRequest(producer.name, producer.id, producer.epoch, commit)
            s.ask_coordinator(request, version)
        assert self.broker.wait() == KILLED
        if point.loading is not None:
            self.arm(point.loading)
            self.start_to_die()
        self.switch.unlink()
        self.broker.start()
        if point.prepared:
            self.decided()
        self.retry(request, version)
        self.decided()
        if commit:
            for values in self.expected.values():
                values.append(value)
            self.committed_offset = self.number
        self.check(ends, commit, producer)

    def arm(self, moment: str) -> None:
        self.switch.write_text(moment)

    def start_to_die(self) -> None:
        try:
            self.broker.start()
        except RuntimeError:
            return  # it died before it was ready
        assert self.broker.wait() == KILLED

    def decided(self) -> None:
        """Wait until the coordinator has completed the transaction, without a request of the producer."""
        deadline = time.monotonic() + DECIDED_S
        state = ""
        while not state.startswith("Complete"):
            assert time.monotonic() < deadline, state
            with Wire(self.broker.host, self.broker.port) as wire:
                (found,) = wire.ask(DescribeTransactionsRequest([NAME]), 0).transaction_states
            state = found.transaction_state
            time.sleep(0.005)

    def retry(self, request: EndTxnRequest, version: int) -> None:
        """Send the EndTxn again that was not answered: the answer does not depend on how far the first one came."""
        deadline = time.monotonic() + DECIDED_S
        with Wire(self.broker.host, self.broker.port) as wire:
            while (code := wire.ask(request, version).error_code) in RETRIED:
                assert time.monotonic() < deadline, code
                time.sleep(0.01)
        assert code == 0

    def check(self, ends: list[int], commit: bool, producer: Producer) -> None:
        with self.scenario() as s:
            for partition, end in zip(PARTITIONS, ends, strict=True):
                written = self.read(partition, end, committed=False)
                markers = [read_marker(each) for each in written if each.is_control]
                assert markers, (partition, "has no marker")
                assert {marker.committed for marker in markers if marker} == {commit}
                assert [each.record_count for each in written if not each.is_control] == [1]
                assert self.end(partition, committed=True) == self.end(partition), "something is still open"
            answer = s.committed("t", 7, stable=True)
            found = answer.topics[0].partitions[0]
            assert (found.error_code, found.committed_offset) == (0, self.committed_offset)

    def values(self, partition: int) -> list[bytes]:
        """The values that read_committed consumers deliver, computed from the batches as they do."""
        with Wire(self.broker.host, self.broker.port) as wire:
            request = fetch(11, {(TOPIC, bytes(16), partition): 0}, isolation_level=1)
            answer = wire.ask(request, 11).responses[0].partitions[0]
        aborted = sorted(answer.aborted_transactions, key=lambda each: each.first_offset)
        open_aborts: set[int] = set()
        found = []
        for each in batches(memoryview(bytes(answer.records))):
            while aborted and aborted[0].first_offset <= each.last_offset:
                open_aborts.add(aborted.pop(0).producer_id)
            if each.is_control:
                marker = read_marker(each)
                if marker is not None and not marker.committed:
                    open_aborts.discard(each.producer_id)
            elif not (each.is_transactional and each.producer_id in open_aborts):
                found += [record.value or b"" for record in each.records()]
        return found

    def read(self, partition: int, offset: int, *, committed: bool) -> list[RecordBatch]:
        with Wire(self.broker.host, self.broker.port) as wire:
            request = fetch(11, {(TOPIC, bytes(16), partition): offset}, isolation_level=int(committed))
            answer = wire.ask(request, 11).responses[0].partitions[0]
        return list(batches(memoryview(bytes(answer.records))))

    def end(self, partition: int, *, committed: bool = False) -> int:
        with Wire(self.broker.host, self.broker.port) as wire:
            request = list_offsets(TOPIC, -1, partition=partition, isolation_level=int(committed))
            offset: int = wire.ask(request, 5).topics[0].partitions[0].offset
        return offset


def _codes(recorded: list[Any]) -> list[Any]:
    """Error codes other than 0 in answers."""

    def walk(value: Any) -> Any:
        if isinstance(value, dict):
            for name, each in value.items():
                if name == "error_code" and each:
                    yield each
                yield from walk(each)
        elif isinstance(value, list):
            for each in value:
                yield from walk(each)

    return [code for each in recorded for code in walk(each.value)]


@pytest.fixture
def crashes(start_wirebroker: Callable[..., Wirebroker], tmp_path: Path) -> CrashScenario:
    """A broker that ends at a chosen moment, and its topic."""
    broker = start_wirebroker(SETTINGS)
    broker.stop()
    switch = tmp_path / "armed"
    broker.program = ["-m", "compat_tests.transactions.crashing_broker", str(switch)]
    broker.start()
    await_coordinators(broker)
    create_topic(broker, TOPIC)
    with Wire(broker.host, broker.port) as wire:  # a first batch, so that no log is empty
        for partition in PARTITIONS:
            wire.ask(produce(TOPIC, batch(b"first"), partition=partition), 7)
    crashes = CrashScenario(broker, switch)
    for values in crashes.expected.values():
        values.append(b"first")
    return crashes


@pytest.mark.parametrize("times", [1, pytest.param(10, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("point", POINTS)
def test_a_crash_is_decided(crashes: CrashScenario, point: str, times: int) -> None:
    for _ in range(times):
        for commit in (True, False):
            for version in (5,) if times == 1 else (4, 5):
                crashes.crash(POINTS[point], commit, version)
    for partition in PARTITIONS:
        assert crashes.values(partition) == crashes.expected[partition]


def test_the_switch_off_changes_nothing(crashes: CrashScenario) -> None:
    with crashes.scenario() as s:
        producer = s.producer(version=5)
        s.write(producer, 0, b"x", version=12)
        s.end(5, producer)
        assert not _codes(s.recorded)
    assert crashes.values(0) == [b"first", b"x"]
    with pytest.raises(Closed):  # noqa: PT012 - the broker must be armed and then asked
        crashes.arm("PrepareAbort before 1")
        with Wire(crashes.broker.host, crashes.broker.port) as wire, crashes.scenario() as s:
            producer = s.producer(version=5)
            s.write(producer, 0, b"y", version=12)
            wire.ask(EndTxnRequest(producer.name, producer.id, producer.epoch, False), 4)
