"""The records of the coordinator in __transaction_state, one by one, compared with Apache Kafka 3.9.1 and 4.1.
wirebroker may write several records in one batch where Kafka writes one each; the records are equal, and encoded as
by Kafka's message generator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from compat_tests.kafka_requests import fetch
from compat_tests.transactions.compared_brokers import SETTINGS
from compat_tests.transactions.differences import NO_TAGGED_FIELDS
from compat_tests.transactions.scenario import RecordedAnswer, TransactionScenario
from wirebroker.protocol.api import ApiKey
from wirebroker.protocol.internal.transaction_state import TransactionLogKey, TransactionLogValue
from wirebroker.record.record_batch import RecordBatch, batches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Same = Callable[..., None]

TOPIC = "__transaction_state"
TAGGED = ("previous_producer_id", "next_producer_id", "next_producer_epoch", "client_transaction_version")


def batches_of(s: TransactionScenario) -> Iterator[RecordBatch]:
    """Everything in the topic, partition by partition."""
    for partition in range(int(SETTINGS["transaction.state.log.num.partitions"])):
        offset = 0
        while True:
            answer = s.ask_unrecorded("admin", fetch(11, {(TOPIC, bytes(16), partition): offset}), 11)
            found = answer.responses[0].partitions[0]
            assert not found.error_code
            if not found.records:
                break
            for each in batches(memoryview(bytes(found.records))):
                yield each
                offset = each.next_offset


def look(s: TransactionScenario, *, fenced: bool = False) -> None:
    """Record the log of the scenario's transactional id."""
    key = TransactionLogKey(s.name()).to_record(0)
    tagged: list[Any] = []
    entries: list[Any] = []
    for batch in batches_of(s):
        header = [hex(batch.attributes), batch.producer_id, batch.producer_epoch, batch.base_sequence]
        for _, each, raw in batch.keyed_records():
            if each == key:
                assert raw is not None
                version = int.from_bytes(raw[:2], "big")
                value = TransactionLogValue.from_record(raw)
                assert value.to_record(version) == raw, "there is another way to encode it"
                fields = {name: _comparable(s, name, getattr(value, name)) for name in value.FIELDS}
                tagged.append([version, {name: fields.pop(name) for name in TAGGED}])
                entries.append([header, fields])
    assert entries
    s.recorded.append(RecordedAnswer("state log", entries))
    what = "tagged fields of an id that was fenced" if fenced else "tagged fields"
    s.recorded.append(RecordedAnswer(what, tagged, NO_TAGGED_FIELDS))


def _comparable(s: TransactionScenario, name: str, value: Any) -> Any:
    if name.endswith("timestamp_ms"):
        return s._time(value)
    if name == "transaction_partitions":
        return value and sorted([each.topic, sorted(each.partition_ids)] for each in value)
    return s._comparable(value, name)


def test_the_older_protocol(same: Same) -> None:
    def script(s: TransactionScenario) -> None:
        producer = s.producer()
        s.add(3, producer, {s.topic: [0]})
        s.add(3, producer, {s.topic: [0]})
        s.add(3, producer, {s.topic: [2, 1]})
        s.add_offsets(3, producer)
        s.write(producer, 0)
        s.end(3, producer)
        s.add(3, producer)
        s.end(3, producer, False)
        s.end(3, producer, False)
        s.init(4, producer.name, 30_000, known=(producer.id, producer.epoch))
        s.add(3, producer)
        look(s)

    same(script)


def test_an_epoch_for_each_transaction(same: Same) -> None:
    def script(s: TransactionScenario) -> None:
        producer = s.producer(version=5)
        for commit in (True, False):
            s.write(producer, 0, version=12)
            s.offsets(5, producer, partitions=[0])
            answer = s.end(5, producer, commit)
            producer = producer._replace(epoch=answer.producer_epoch)
        answer = s.end(5, producer, False)  # of nothing
        producer = producer._replace(epoch=answer.producer_epoch)
        s.write(producer, 0, version=12)
        look(s)

    same(script, (ApiKey.END_TXN, 5), (ApiKey.PRODUCE, 12))


@pytest.mark.parametrize("version", [3, 5])
def test_a_transaction_that_takes_too_long(same: Same, version: int) -> None:
    def script(s: TransactionScenario) -> None:
        producer = s.producer(timeout_ms=1, version=version)
        s.add(3, producer)
        s.await_state(producer.name, "CompleteAbort")
        look(s, fenced=True)

    same(script, (ApiKey.INIT_PRODUCER_ID, version))


@pytest.mark.parametrize("version", [3, 5])
def test_a_new_producer_aborts_the_open_transaction(same: Same, version: int) -> None:
    def script(s: TransactionScenario) -> None:
        producer = s.producer(version=version)
        s.add(3, producer)
        producer = s.producer(version=version)
        s.add(3, producer)
        s.end(3, producer)
        look(s, fenced=True)

    same(script, (ApiKey.INIT_PRODUCER_ID, version))
