"""What the coordinator writes into __transaction_state, record by record, beside Apache Kafka 3.9.1 and 4.1.

Batches may hold more than one of our records where Kafka writes one each; the records are the same, and each of ours is
encoded as Kafka's message generator does it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from compat_tests.kafka_requests import fetch
from compat_tests.transactions.differences import NO_TAGGED_FIELDS
from compat_tests.transactions.scene import Said, TransactionScene
from compat_tests.transactions.stage import SETTINGS
from wirebroker.protocol.api import ApiKey
from wirebroker.protocol.internal.transaction_state import TransactionLogKey, TransactionLogValue
from wirebroker.record.record_batch import RecordBatch, batches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Same = Callable[..., None]

TOPIC = "__transaction_state"
TAGGED = ("previous_producer_id", "next_producer_id", "next_producer_epoch", "client_transaction_version")


def batches_of(s: TransactionScene) -> Iterator[RecordBatch]:
    """Everything in the topic, partition by partition."""
    for partition in range(int(SETTINGS["transaction.state.log.num.partitions"])):
        offset = 0
        while True:
            answer = s.quietly("admin", fetch(11, {(TOPIC, bytes(16), partition): offset}), 11)
            found = answer.responses[0].partitions[0]
            assert not found.error_code
            if not found.records:
                break
            for each in batches(memoryview(bytes(found.records))):
                yield each
                offset = each.next_offset


def look(s: TransactionScene, *, fenced: bool = False) -> None:
    """Write down what is in the log of the scene's transactional id."""
    key = TransactionLogKey(s.name()).to_record(0)
    tagged: list[Any] = []
    plain: list[Any] = []
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
                plain.append([header, fields])
    assert plain
    s.said.append(Said("state log", plain))
    what = "tagged fields of an id that was fenced" if fenced else "tagged fields"
    s.said.append(Said(what, tagged, NO_TAGGED_FIELDS))


def _comparable(s: TransactionScene, name: str, value: Any) -> Any:
    if name.endswith("timestamp_ms"):
        return s._time(value)
    if name == "transaction_partitions":
        return value and sorted([each.topic, sorted(each.partition_ids)] for each in value)
    return s._comparable(value, name)


def test_the_older_protocol(same: Same) -> None:
    def script(s: TransactionScene) -> None:
        who = s.producer()
        s.add(3, who, {s.topic: [0]})
        s.add(3, who, {s.topic: [0]})
        s.add(3, who, {s.topic: [2, 1]})
        s.add_offsets(3, who)
        s.write(who, 0)
        s.end(3, who)
        s.add(3, who)
        s.end(3, who, False)
        s.end(3, who, False)
        s.init(4, who.name, 30_000, known=(who.id, who.epoch))
        s.add(3, who)
        look(s)

    same(script)


def test_an_epoch_for_each_transaction(same: Same) -> None:
    def script(s: TransactionScene) -> None:
        who = s.producer(version=5)
        for commit in (True, False):
            s.write(who, 0, version=12)
            s.offsets(5, who, partitions=[0])
            answer = s.end(5, who, commit)
            who = who._replace(epoch=answer.producer_epoch)
        answer = s.end(5, who, False)  # of nothing
        who = who._replace(epoch=answer.producer_epoch)
        s.write(who, 0, version=12)
        look(s)

    same(script, (ApiKey.END_TXN, 5), (ApiKey.PRODUCE, 12))


@pytest.mark.parametrize("version", [3, 5])
def test_a_transaction_that_takes_too_long(same: Same, version: int) -> None:
    def script(s: TransactionScene) -> None:
        who = s.producer(timeout_ms=1, version=version)
        s.add(3, who)
        s.await_state(who.name, "CompleteAbort")
        look(s, fenced=True)

    same(script, (ApiKey.INIT_PRODUCER_ID, version))


@pytest.mark.parametrize("version", [3, 5])
def test_a_producer_that_aborts_what_the_last_one_left(same: Same, version: int) -> None:
    def script(s: TransactionScene) -> None:
        who = s.producer(version=version)
        s.add(3, who)
        who = s.producer(version=version)
        s.add(3, who)
        s.end(3, who)
        look(s, fenced=True)

    same(script, (ApiKey.INIT_PRODUCER_ID, version))
