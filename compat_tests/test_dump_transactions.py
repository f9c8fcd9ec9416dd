"""`wirebroker dump-log --transaction-log-decoder` against kafka-dump-log.sh: the same lines about the same records."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from compat_tests.directory_scenario import await_markers
from compat_tests.limits import WITHIN_S, flush
from compat_tests.test_dump_log import assert_same, ours, theirs
from compat_tests.versions import KAFKA
from wirebroker.protocol.internal.transaction_state import PartitionsSchema, TransactionLogKey, TransactionLogValue
from wirebroker.record.builder import build_keyed_batch, simple_batch
from wirebroker.record.record_batch import RecordBatch, stamp

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from compat_tests.broker import Wirebroker
    from tools.jvm.kafka import KafkaDist

LOG = f"{0:020}.log"


@pytest.fixture(scope="module")
def dist(kafka_dist: Callable[[str], KafkaDist]) -> KafkaDist:
    return kafka_dist(KAFKA)


def write(directory: Path, pairs: Iterable[tuple[bytes, bytes | None]]) -> None:
    with (directory / LOG).open("wb") as file:
        for offset, pair in enumerate(pairs):
            batch = RecordBatch.parse(build_keyed_batch([pair], 1_700_000_000_000 + offset))
            stamp(batch, offset, 0)
            file.write(batch.buffer)


def value(random: Random, status: int, version: int) -> bytes:
    topics = [
        PartitionsSchema(
            random.choice(["t", "flights", "grün", "__consumer_offsets", "x" * 100, "\U0001f600"]) + str(number),
            random.sample(range(60), random.choice([1, 2, 3, 4, 5, 11, 40])),
        )
        for number in range(random.choice([0, 1, 1, 2, 5]))
    ]
    return TransactionLogValue(
        producer_id=random.getrandbits(40),
        producer_epoch=random.randrange(-1, 32767),
        transaction_timeout_ms=random.randrange(1 << 30),
        transaction_status=status,
        transaction_partitions=None if status == 0 else topics,
        transaction_last_update_timestamp_ms=random.getrandbits(41),
        transaction_start_timestamp_ms=random.getrandbits(41),
    ).to_record(version)


def test_any_state_of_any_transaction(dist: KafkaDist, tmp_path: Path) -> None:
    random = Random(5)
    pairs: list[tuple[bytes, bytes | None]] = []
    for number in range(400):
        key = TransactionLogKey(f"id-{number % 50}").to_record(0)
        pairs.append((key, None if number % 13 == 0 else value(random, number % 8, number % 2)))
    pairs.append((b"\0\x07?", b"unknown"))
    write(tmp_path, pairs)
    printed = assert_same(dist, tmp_path, [LOG], "--transaction-log-decoder")
    for sight in ("state=PrepareEpochFence", "payload: <DELETE>", "partitions=[]", "unknown::version=7"):
        assert sight in printed
    assert_same(dist, tmp_path, [LOG], "--transaction-log-decoder", "--skip-record-metadata")


BAD = {
    "no status": (TransactionLogKey("x").to_record(0), TransactionLogValue(transaction_status=9).to_record(0)),
    "an unknown version": (TransactionLogKey("x").to_record(0), b"\0\x05"),
    "a short value": (TransactionLogKey("x").to_record(0), b"\0\0\0"),
    "a short key": (b"\0\0\0", b""),
}


@pytest.mark.parametrize("name", BAD)
def test_records_that_are_none(dist: KafkaDist, tmp_path: Path, name: str) -> None:
    write(tmp_path, [(TransactionLogKey("y").to_record(0), None), BAD[name]])
    code, out, _ = ours(tmp_path, "--files", LOG, "--transaction-log-decoder")
    their_code, their_out, _ = theirs(dist, tmp_path, "--files", LOG, "--transaction-log-decoder")
    *whole, half = their_out.splitlines()  # the original ends amid a line
    assert out.splitlines() == whole
    assert half.startswith("| offset: 1 ")
    assert code == their_code == 1


def test_records_of_our_coordinator(dist: KafkaDist, start_wirebroker: Callable[..., Wirebroker]) -> None:
    from confluent_kafka import Producer

    broker = start_wirebroker()
    producer = Producer({"bootstrap.servers": broker.bootstrap, "transactional.id": "x"})
    producer.init_transactions(WITHIN_S)
    for number in range(3):
        producer.begin_transaction()
        producer.produce("t", b"v")
        flush(producer)
        if number:
            producer.commit_transaction(WITHIN_S)
        else:
            producer.abort_transaction(WITHIN_S)
    await_markers(broker.bootstrap, "t")
    del producer
    broker.stop()
    for pattern, options, sights in (
        ("__transaction_state-*/*.log", ("--transaction-log-decoder",), ("state=CompleteAbort", "partitions=[t-0]")),
        ("t-0/*.log", ("--print-data-log",), ("endTxnMarker: ABORT coordinatorEpoch: 0", "endTxnMarker: COMMIT")),
        ("t-0/*.txnindex", (), ("firstOffset: 0 lastOffset: 1 lastStableOffset: 2",)),
    ):
        written = [path for path in broker.data_directory.glob(pattern) if path.stat().st_size]
        (directory,) = {path.parent for path in written}
        printed = assert_same(dist, directory, [path.name for path in written], *options)
        for sight in sights:
            assert sight in printed


def test_as_json(tmp_path: Path) -> None:
    write(tmp_path, [(TransactionLogKey("x").to_record(0), None)])
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / LOG).write_bytes(simple_batch([(b"\0\x09", b"")]))
    code, out, _ = ours(tmp_path, "--files", f"{LOG},other/{LOG}", "--transaction-log-decoder", "--json")
    assert code == 0
    assert '"key":"transaction_metadata::transactionalId=x","payload":null' in out
    assert '"key":"unknown::version=9","payload":null' in out
