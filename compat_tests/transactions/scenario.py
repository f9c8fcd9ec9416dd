"""Scripts of raw requests to a transaction coordinator: producers by transactional id, and a record of every answer,
in which producer ids are numbered in the order of their first appearance and the present time is "now".

The same script is run on wirebroker and on Apache Kafka and the records are compared.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from compat_tests.comparison import NEAR_MS
from compat_tests.conftest import wait_until
from compat_tests.group_scenario import GroupScenario, to_plain
from compat_tests.kafka_requests import batch, fetch, list_offsets, produce
from compat_tests.limits import join
from compat_tests.transactions.differences import Intended, uncovered
from wirebroker.protocol.message import Data, Message
from wirebroker.protocol.messages.add_offsets_to_txn import AddOffsetsToTxnRequest
from wirebroker.protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTopic,
    AddPartitionsToTxnTransaction,
)
from wirebroker.protocol.messages.describe_transactions import DescribeTransactionsRequest
from wirebroker.protocol.messages.end_txn import EndTxnRequest
from wirebroker.protocol.messages.init_producer_id import InitProducerIdRequest
from wirebroker.protocol.messages.list_transactions import ListTransactionsRequest
from wirebroker.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from wirebroker.protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from wirebroker.protocol.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
)
from wirebroker.record.record_batch import RecordBatch

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from compat_tests.broker import Broker

CONCURRENT: Final = 51
SHOWN: Final = 8  # differing fields of one answer
TIMES: Final = frozenset({"transaction_start_time_ms", "last_timestamp", "timestamp", "log_append_time_ms"})


class Producer(NamedTuple):
    """The producer id, epoch and transactional id of a client."""

    id: int
    epoch: int
    name: str

    def with_epoch(self, change: int) -> Producer:
        return self._replace(epoch=self.epoch + change)

    def with_id(self, change: int) -> Producer:
        return self._replace(id=self.id + change)


class RecordedAnswer(NamedTuple):
    """One answer in comparable form."""

    label: str
    value: Any
    expect_difference: Intended | None = None


class TransactionScenario(GroupScenario):
    """The clients of one broker; requests go over the connection "t" if no other is named."""

    def __init__(self, broker: Broker, group: str, topic: str) -> None:
        super().__init__(broker, group, topic)
        self._producer_ids: dict[int, str] = {}
        self._but: Intended | None = None

    # -- comparing -----------------------------------------------------------------------------------------------

    def expect_difference(self, intended: Intended) -> None:
        """Expect the next answer to differ."""
        self._but = intended

    def _note(self, label: str, answer: Any) -> None:
        member_id = getattr(answer, "member_id", "")
        if member_id:
            self._number(member_id)
        value = self._comparable(answer) if isinstance(answer, Data) else answer
        self.recorded.append(RecordedAnswer(label, value, self._but))
        self._but = None

    def _comparable(self, value: Any, field: str = "") -> Any:
        if field == "records":
            return None if value is None else self._batches(value)
        if isinstance(value, Data):
            return {name: self._comparable(getattr(value, name), name) for name in value.FIELDS}
        if isinstance(value, list):
            values = [self._comparable(each) for each in value]
            return values if field == "aborted_transactions" else sorted(values, key=repr)
        if field.endswith("producer_id") and value >= 0:
            return self._producer_ids.setdefault(value, f"producer {len(self._producer_ids) + 1}")
        if field in TIMES:
            return self._time(value)
        if field == "topic_id":
            return value != bytes(16)
        if isinstance(value, str) and field != "error_message":
            return self._numbered(value)
        return to_plain(value, field)

    def _time(self, value: int) -> object:
        return "now" if abs(value - time.time() * 1000) < NEAR_MS else value

    def _batches(self, data: Any) -> list[Any]:
        data, at, found = bytes(data), 0, list[Any]()
        while at + 61 <= len(data):
            each = RecordBatch.parse(data, at)
            assert each.is_valid()
            found.append(
                (
                    each.base_offset, each.last_offset, each.partition_leader_epoch, hex(each.attributes),
                    self._comparable(each.producer_id, "producer_id"), each.producer_epoch, each.base_sequence,
                    [(record.offset, record.key, record.value, record.headers) for record in each.records()],
                )
            )  # fmt: skip
            at += each.size_bytes
        return found

    # -- what producers do ---------------------------------------------------------------------------------------

    def ask_unrecorded(self, client: str, request: Message, version: int) -> Any:
        """As in the base class; producers that only this answer names get no number."""
        known = dict(self._producer_ids)
        answer = super().ask_unrecorded(client, request, version)
        self._producer_ids = known
        return answer

    def ask_coordinator(self, request: Message, version: int) -> Any:
        return self.ask("t", request, version)

    def name(self, suffix: str = "") -> str:
        """A transactional id of this scenario."""
        return self.group + suffix

    def init(self, version: int, name: str | None, timeout_ms: int = 60_000, known: tuple[int, int] = (-1, -1)) -> Any:
        request = InitProducerIdRequest(name, timeout_ms)
        if version >= 3:
            request.producer_id, request.producer_epoch = known
        return self.ask_coordinator(request, version)

    def producer(self, suffix: str = "", timeout_ms: int = 60_000, version: int = 4) -> Producer:
        """Initialise a producer, again while the coordinator is busy; only the last answer is recorded."""
        name = self.name(suffix)
        answer: Any = None

        def ready() -> bool:
            nonlocal answer
            answer = self.init(version, name, timeout_ms)
            again = answer.error_code in (14, 15, 16, CONCURRENT)
            if again:
                self.recorded.pop()
            return not again

        wait_until(ready)
        return Producer(answer.producer_id, answer.producer_epoch, name)

    def add(self, version: int, producer: Producer, wanted: Mapping[str, Sequence[int]] | None = None) -> Any:
        """AddPartitionsToTxn, version 0 to 3."""
        topics = self._topics(wanted)
        return self.ask_coordinator(
            AddPartitionsToTxnRequest(
                v3_and_below_transactional_id=producer.name,
                v3_and_below_producer_id=producer.id,
                v3_and_below_producer_epoch=producer.epoch,
                v3_and_below_topics=topics,
            ),
            version,
        )

    def _topics(self, wanted: Mapping[str, Sequence[int]] | None) -> list[AddPartitionsToTxnTopic]:
        chosen = {self.topic: [0]} if wanted is None else wanted
        return [AddPartitionsToTxnTopic(name, list(partitions)) for name, partitions in chosen.items()]

    def add_many(
        self, version: int, *which: tuple[Producer, bool], wanted: Mapping[str, Sequence[int]] | None = None
    ) -> Any:
        """AddPartitionsToTxn as brokers send it: (producer, verify only)."""
        made = [
            AddPartitionsToTxnTransaction(producer.name, producer.id, producer.epoch, verify, self._topics(wanted))
            for producer, verify in which
        ]
        return self.ask_coordinator(AddPartitionsToTxnRequest(transactions=made), version)

    def add_offsets(self, version: int, producer: Producer, group: str | None = None) -> Any:
        group_id = self.group if group is None else group
        return self.ask_coordinator(
            AddOffsetsToTxnRequest(producer.name, producer.id, producer.epoch, group_id), version
        )

    def end(self, version: int, producer: Producer, commit: bool = True) -> Any:
        answer = self.ask_coordinator(EndTxnRequest(producer.name, producer.id, producer.epoch, commit), version)
        self.await_completion(producer.name)
        return answer

    def await_completion(self, name: str) -> None:
        """Wait until the transaction of this id is completed."""

        def settled() -> bool:
            (found,) = self.ask_unrecorded("admin", DescribeTransactionsRequest([name]), 0).transaction_states
            return not found.transaction_state.startswith("Prepare")

        wait_until(settled)

    def await_state(self, name: str, state: str) -> None:
        """Wait until the transaction of this id is in *state*."""

        def there() -> bool:
            (found,) = self.ask_unrecorded("admin", DescribeTransactionsRequest([name]), 0).transaction_states
            return bool(found.transaction_state == state)

        wait_until(there)

    def write(
        self, producer: Producer, sequence: int, *values: bytes, partition: int = 0, version: int = 7, **more: Any
    ) -> Any:
        """A transactional Produce; *more* goes to the batch."""
        given = {
            "transactional": True,
            "producer_id": producer.id,
            "producer_epoch": producer.epoch,
            "base_sequence": sequence,
        }
        transactional_id = more.pop("transactional_id", producer.name)
        topic = more.pop("topic", self.topic)
        data = batch(*(values or (b"v",)), **(given | more))
        request = produce(topic, data, partition=partition, transactional_id=transactional_id)
        return self.ask_coordinator(request, version)

    def offsets(
        self,
        version: int,
        producer: Producer,
        offset: int = 5,
        *,
        group: str | None = None,
        member: tuple[int, str, str | None] = (-1, "", None),
        topic: str | None = None,
        partitions: Sequence[int] = (0,),
        metadata: str | None = "m",
    ) -> Any:
        """TxnOffsetCommit; *member* is generation, member id, instance id."""
        made = [
            TxnOffsetCommitRequestPartition(index, offset, 0 if version >= 2 else -1, metadata) for index in partitions
        ]
        request = TxnOffsetCommitRequest(
            transactional_id=producer.name,
            group_id=self.group if group is None else group,
            producer_id=producer.id,
            producer_epoch=producer.epoch,
            topics=[TxnOffsetCommitRequestTopic(self.topic if topic is None else topic, made)],
        )
        if version >= 3:
            request.generation_id, request.member_id, request.group_instance_id = member
        return self.ask_coordinator(request, version)

    def marker(
        self,
        version: int,
        producer: Producer,
        commit: bool = True,
        *,
        coordinator_epoch: int = 0,
        wanted: Mapping[str, Sequence[int]] | None = None,
    ) -> Any:
        chosen = {self.topic: [0]} if wanted is None else wanted
        topics = [WritableTxnMarkerTopic(name, list(partitions)) for name, partitions in chosen.items()]
        made = WritableTxnMarker(producer.id, producer.epoch, commit, topics, coordinator_epoch)
        return self.ask_coordinator(WriteTxnMarkersRequest([made]), version)

    def topic_id(self) -> bytes:
        """The id of the scenario's topic on this broker."""
        (found,) = self.ask_unrecorded("admin", MetadataRequest([MetadataRequestTopic(name=self.topic)]), 12).topics
        return bytes(found.topic_id)

    # -- looking -------------------------------------------------------------------------------------------------

    def read(self, offset: int = 0, *, partition: int = 0, committed: bool = True, version: int = 11) -> Any:
        request = fetch(version, {(self.topic, bytes(16), partition): offset}, isolation_level=int(committed))
        return self.ask_coordinator(request, version)

    def ends(self, partition: int = 0) -> None:
        """The end of the log, by both isolation levels."""
        for isolation in (0, 1):
            self.ask_coordinator(list_offsets(self.topic, -1, partition=partition, isolation_level=isolation), 5)

    def describe(self, *names: str) -> Any:
        return self.ask_coordinator(DescribeTransactionsRequest(list(names) or [self.name()]), 0)

    def listed(self, version: int = 0, **filters: Any) -> Any:
        """ListTransactions; only transactions of this scenario are recorded."""
        answer = self.ask_unrecorded("t", ListTransactionsRequest(**filters), version)
        answer.transaction_states = [
            each for each in answer.transaction_states if each.transactional_id.startswith(self.group)
        ]
        self._note(f"ListTransactions v{version} {filters}", answer)
        return answer


def run_script(
    brokers: Mapping[str, Broker], group: str, topic: str, script: Callable[[TransactionScenario], None]
) -> dict[str, list[RecordedAnswer]]:
    """Run a script on every broker at the same time; return the recorded answers of each."""
    records: dict[str, list[RecordedAnswer]] = {}

    def on(name: str) -> None:
        with TransactionScenario(brokers[name], group, topic) as scenario:
            try:
                script(scenario)
            except Exception as fault:
                scenario.recorded.append(RecordedAnswer("the script broke off", repr(fault)))
            records[name] = scenario.recorded

    threads = [threading.Thread(target=on, args=(name,), daemon=True) for name in brokers]
    for thread in threads:
        thread.start()
    join(*threads, timeout_s=600)
    return records


def differences(ours: list[RecordedAnswer], theirs: list[RecordedAnswer], release: str) -> list[str]:
    """Steps with an unexpected difference, and steps without an expected one."""
    found = []
    for number, (mine, other) in enumerate(zip(ours, theirs, strict=False)):
        expected = mine.expect_difference is not None and release in mine.expect_difference.releases
        if mine[:2] == other[:2] and expected:
            assert mine.expect_difference is not None
            found.append(f"{mine.label}: no longer different, though it is said: {mine.expect_difference.why}")
        elif mine.label != other.label:
            found.append(f"{mine.label}, and Kafka {release} {other.label}: {other.value}")
        elif mine.value != other.value and not expected:
            for path, ours_said, theirs_said in uncovered(mine.label, mine.value, other.value, release)[:SHOWN]:
                found.append(
                    f"step {number}, {mine.label}{path}: ours {ours_said!r:.300}, Kafka {release} {theirs_said!r:.300}"
                )
    if len(ours) != len(theirs):
        found.append(f"{len(ours)} steps and {len(theirs)}: {ours[len(theirs) :]} {theirs[len(ours) :]}")
    return found
