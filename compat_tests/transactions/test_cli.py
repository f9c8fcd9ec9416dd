"""`wirebroker transactions` beside kafka-transactions.sh, on one broker: the same tables to the last tab."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest
from confluent_kafka import Consumer, Producer

from compat_tests.conftest import wait_until
from compat_tests.versions import KAFKA
from compat_tests.wire import Wire
from wirebroker.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from wirebroker.record.builder import build_batch
from wirebroker.record.record_batch import TRANSACTIONAL, BatchProducer, Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from compat_tests.broker import Wirebroker
    from tools.jvm.kafka import KafkaDist

HANGING = 4711
DURATION = 7
"""Its column in `describe`, which has nine, and in `find-hanging`, where it is the last one."""
MINUTES_20 = 20 * 60_000


@pytest.fixture(scope="module")
def dist(kafka_dist: Callable[[str], KafkaDist]) -> KafkaDist:
    return kafka_dist(KAFKA)


@pytest.fixture
def broker(start_wirebroker: Callable[..., Wirebroker]) -> Wirebroker:
    """A broker that lets transactions hang: it does not verify that a partition belongs to a transaction."""
    return start_wirebroker({"transaction.partition.verification.enable": "false", "num.partitions": "2"})


@pytest.fixture
def open_transaction(broker: Wirebroker) -> Iterator[Producer]:
    """The transactional id "x" has an open transaction in t-0 and t-1; "y" has committed."""
    other = Producer({"bootstrap.servers": broker.bootstrap, "transactional.id": "y"})
    other.init_transactions(60)
    other.begin_transaction()
    other.produce("t", b"v", partition=0)
    other.commit_transaction(60)
    producer = Producer(
        {"bootstrap.servers": broker.bootstrap, "transactional.id": "x", "transaction.timeout.ms": 900_000}
    )
    producer.init_transactions(60)
    producer.begin_transaction()
    for partition in (0, 1):
        producer.produce("t", b"v", partition=partition)
    assert producer.flush(60) == 0
    yield producer
    producer.abort_transaction(60)


def hang(broker: Wirebroker, partition: int) -> int:
    """Begin a transaction with old timestamps that no coordinator knows; return its first offset."""
    record = Record(0, time.time_ns() // 1_000_000 - MINUTES_20, None, b"hangs", [])
    data = build_batch([record], producer=BatchProducer(HANGING, 3, 0), attributes=TRANSACTIONAL)
    request = ProduceRequest(
        "nobody", -1, 1000, [TopicProduceData("t", partition_data=[PartitionProduceData(partition, memoryview(data))])]
    )
    host, port = broker.bootstrap.rsplit(":", 1)
    with Wire(host, int(port)) as wire:
        answer = wire.ask(request, 9).responses[0].partition_responses[0]
    assert not answer.error_code
    return int(answer.base_offset)


def ours(broker: Wirebroker, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "wirebroker", "transactions", *words, "--bootstrap-server", broker.bootstrap]
    return subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)


def as_json(broker: Wirebroker, *words: str) -> Any:
    done = ours(broker, *words, "--format", "json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def both(dist: KafkaDist, broker: Wirebroker, *words: str) -> str:
    """The output of both commands, equal but for the order of lines."""
    done = ours(broker, *words)
    assert done.returncode == 0, done.stderr
    theirs = dist.run("kafka-transactions", "--bootstrap-server", broker.bootstrap, *words).stdout
    assert sorted(map(lasting, done.stdout.splitlines())) == sorted(map(lasting, theirs.splitlines()))
    return done.stdout


def lasting(line: str) -> str:
    """Without the duration, as time has passed between the two; partitions in order, as the original has none."""
    row = line.split("\t")[:-1]
    if len(row) > DURATION and row[DURATION].strip().isdigit():
        del row[DURATION]
    *cells, partitions = row
    return "\t".join([*cells, ",".join(sorted(partitions.strip().split(",")))])


@pytest.mark.usefixtures("open_transaction")
def test_tables_are_the_original_s(dist: KafkaDist, broker: Wirebroker) -> None:
    assert "Ongoing" in both(dist, broker, "list")
    assert "Ongoing" not in both(dist, broker, "list", "--duration-filter", "3600000")
    assert "t-0" in both(dist, broker, "describe", "--transactional-id", "x")
    assert "CompleteCommit" in both(dist, broker, "describe", "--transactional-id", "y")
    both(dist, broker, "describe-producers", "--topic", "t", "--partition", "0")
    both(dist, broker, "describe-producers", "--topic", "t", "--partition", "1", "--broker-id", "0")


def test_hanging_transactions_are_found_and_aborted(
    dist: KafkaDist, broker: Wirebroker, open_transaction: Producer
) -> None:
    offsets = [hang(broker, partition) for partition in (0, 1)]
    open_transaction.abort_transaction(60)
    open_transaction.begin_transaction()
    for where in (("--topic", "t"), ("--topic", "t", "--partition", "1"), ("--broker-id", "0")):
        _, *rows = both(dist, broker, "find-hanging", *where).splitlines()
        assert rows
        for row in rows:
            assert str(HANGING) in row
            assert int(row.split("\t")[DURATION]) >= 20  # minutes
    assert len(both(dist, broker, "find-hanging", "--topic", "t", "--max-transaction-timeout", "30").splitlines()) == 1
    abort = ("abort", "--topic", "t", "--partition")
    assert ours(broker, *abort, "0", "--start-offset", str(offsets[0])).returncode == 0
    dist.run(
        "kafka-transactions", "--bootstrap-server", broker.bootstrap, *abort, "1", "--start-offset", f"{offsets[1]}"
    )
    assert as_json(broker, "find-hanging", "--broker-id", "0") == []
    consumer = Consumer({"bootstrap.servers": broker.bootstrap, "group.id": "g", "auto.offset.reset": "earliest"})
    consumer.subscribe(["t"])
    seen: list[bytes] = []

    def some_came(timeout_s: float = 1) -> bool:
        seen.extend(each.value() for each in consumer.consume(5, timeout_s) if not each.error())
        return bool(seen)

    wait_until(some_came)
    some_came(2)
    consumer.close()
    assert seen == [b"v"], "only what y has committed"
    again = ours(broker, *abort, "0", "--start-offset", str(offsets[0]))
    assert (again.returncode, again.stdout) == (1, "")
    assert "begins at offset" in again.stderr
    for epoch, code in ((3, 0), (2, 1)):
        older = ("--producer-id", str(HANGING), "--producer-epoch", str(epoch), "--coordinator-epoch", "0")
        assert ours(broker, *abort, "0", *older).returncode == code
        theirs = dist.run(
            "kafka-transactions", "--bootstrap-server", broker.bootstrap, *abort, "0", *older, check=False
        )
        assert theirs.returncode == code


@pytest.mark.usefixtures("open_transaction")
def test_json(broker: Wirebroker) -> None:
    listed = as_json(broker, "list", "--transactional-id-pattern", "x|z")
    assert [(each["transactional_id"], each["coordinator"], each["state"]) for each in listed] == [("x", 0, "Ongoing")]
    (described,) = as_json(broker, "describe", "--transactional-id", "x")
    assert sorted(described["partitions"]) == ["t-0", "t-1"]
    assert described["duration_ms"] >= 0
    (producer,) = as_json(broker, "describe-producers", "--topic", "t", "--partition", "1")
    assert (producer["producer_id"], producer["start_offset"]) == (described["producer_id"], 0)


def test_questions_that_have_no_answer(broker: Wirebroker) -> None:
    for words, code, message in (
        (("describe", "--transactional-id", "nobody"), 1, "there is no transactional id nobody"),
        (("describe-producers", "--topic", "t", "--partition", "7"), 1, "t-7 does not exist"),
        (("describe-producers", "--topic", "t", "--partition", "0", "--broker-id", "9"), 1, "there is no broker 9"),
        (("find-hanging",), 2, "--topic or --broker-id"),
        (("find-hanging", "--broker-id", "0", "--partition", "0"), 2, "--partition needs --topic"),
        (("find-hanging", "--topic", "nowhere"), 1, "topic nowhere does not exist"),
        (("abort", "--topic", "t", "--partition", "0"), 2, "--start-offset"),
        (("abort", "--topic", "t", "--partition", "0", "--producer-id", "1"), 2, "--producer-epoch"),
        (("abort", "--topic", "t", "--partition", "9", "--start-offset", "0"), 1, "t-9 does not exist"),
    ):
        done = ours(broker, *words)
        assert (done.returncode, done.stdout) == (code, ""), words
        assert message in done.stderr
