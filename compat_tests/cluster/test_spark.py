"""Spark's stock ``kafka`` source and sink on three wirebrokers, which are killed one after the other meanwhile."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from compat_tests.cluster.clients import RecordingProducer
from compat_tests.cluster.three_wirebrokers import Feeder, ThreeWirebrokers
from compat_tests.conftest import wait_until
from compat_tests.spark_help import create_topic, read, read_stream, values, write
from compat_tests.versions import KAFKA

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tools.jvm.kafka import KafkaDist

# py4j leaves its sockets to the garbage collector
pytestmark = [pytest.mark.spark, pytest.mark.nightly, pytest.mark.filterwarnings("ignore::ResourceWarning")]

SOURCE, SINK, PARTITIONS = "words", "copies", 3
ROWS = 20_000


def numbers(rows: list[str]) -> Counter[int]:
    """How often each number is there."""
    return Counter(map(int, rows))


def test_a_stream_goes_on_through_faults(kafka_dist: Callable[[str], KafkaDist], spark: Any, tmp_path: Path) -> None:
    """The stream copies a topic; its batches and its state are exactly-once, its sink at-least-once, as documented."""
    with ThreeWirebrokers(tmp_path / "cluster", kafka_dist(KAFKA)) as cluster:
        bootstrap = cluster.bootstrap()
        for topic in (SOURCE, SINK):
            create_topic(bootstrap, topic, PARTITIONS)
        cluster.await_in_sync()
        stream = read_stream(spark, bootstrap, subscribe=SOURCE, startingOffsets="earliest")
        copy = (
            stream.select("key", "value")
            .writeStream.format("kafka")
            .option("kafka.bootstrap.servers", bootstrap)
            .option("topic", SINK)
            .option("checkpointLocation", str(tmp_path / "copy"))
            .trigger(processingTime="200 milliseconds")
            .start()
        )
        counted: dict[int, tuple[int, int]] = {}

        def note(batch: Any, number: int) -> None:
            """Keep the totals of a batch; a batch that is made again replaces itself."""
            row = batch.selectExpr("count(value)", "sum(cast(cast(value as string) as bigint))").first()
            counted[number] = (row[0], row[1] or 0)

        count = (
            stream.writeStream.foreachBatch(note)
            .option("checkpointLocation", str(tmp_path / "count"))
            .trigger(processingTime="200 milliseconds")
            .start()
        )
        try:
            with Feeder(bootstrap, SOURCE) as feeder:
                # the first batch of each starts much of Spark
                wait_until(lambda: copy.lastProgress is not None and count.lastProgress is not None, 600)
                cluster.kill_and_restart(cluster.leader(SOURCE))
                cluster.kill_and_restart(cluster.controller())
                cluster.kill_and_restart(cluster.leader(SINK))
                cluster.kill_and_restart(cluster.leader(SOURCE, 1))
                total = feeder.finish()
            for query in (copy, count):
                query.processAllAvailable()
                assert query.exception() is None
        finally:
            copy.stop()
            count.stop()
        source = numbers(values(read(spark, bootstrap, subscribe=SOURCE)))
        assert source == Counter(range(total))
        rows, sums = zip(*counted.values(), strict=True)
        assert (sum(rows), sum(sums)) == (total, sum(range(total)))
        copies = numbers(values(read(spark, bootstrap, subscribe=SINK)))
        assert set(copies) == set(range(total))


def test_batches_are_read_and_written_through_faults(
    kafka_dist: Callable[[str], KafkaDist], spark: Any, tmp_path: Path
) -> None:
    """A topic is read and copied again and again until three brokers have been killed."""
    with ThreeWirebrokers(tmp_path / "cluster", kafka_dist(KAFKA)) as cluster, ThreadPoolExecutor(1) as pool:
        bootstrap = cluster.bootstrap()
        for topic in (SOURCE, SINK):
            create_topic(bootstrap, topic, PARTITIONS)
        cluster.await_in_sync()
        producer = RecordingProducer(bootstrap, {"queue.buffering.max.messages": ROWS})
        producer.send(SOURCE, ROWS, PARTITIONS)
        producer.flush()
        wanted = sorted(each.value for each in producer.acked)

        def fault() -> None:
            cluster.kill_and_restart(cluster.leader(SOURCE))
            cluster.kill_and_restart(cluster.controller())
            cluster.kill_and_restart(cluster.leader(SOURCE, 2))

        faults = pool.submit(fault)
        passes = 0
        while passes == 0 or not faults.done():
            frame = read(spark, bootstrap, subscribe=SOURCE)
            assert sorted(values(frame)) == wanted
            write(frame.selectExpr("key", f"concat(cast(value as string), ' {passes}') as value"), bootstrap, SINK)
            passes += 1
        faults.result(600)
        copied = sorted(values(read(spark, bootstrap, subscribe=SINK)))
        assert copied == sorted(f"{value} {number}" for value in wanted for number in range(passes))
