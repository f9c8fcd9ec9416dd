"""Spark's stock ``kafka`` source and sink in Structured Streaming: triggers, checkpoints, data that went away."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

from compat_tests.spark_help import (
    add_partitions,
    create_topic,
    delete_records,
    produce,
    read,
    read_stream,
    run_available,
    transactions,
    values,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

# py4j leaves its sockets to the garbage collector
pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("ignore::ResourceWarning")]

HOUR_MS = 3_600_000
T0 = 1_700_000_000_000


def numbered(start: int, end: int) -> list[str]:
    """Texts that sort as their numbers do."""
    return [f"{i:05}" for i in range(start, end)]


def wait_until(condition: Callable[[], bool], within_s: float = 60) -> None:
    deadline = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < deadline, "not in time"
        time.sleep(0.1)


def test_available_now_reads_all_and_ends(spark: Any, bootstrap: str, topic: str, tmp_path: Path) -> None:
    create_topic(bootstrap, topic, 3)
    for partition in range(3):
        produce(bootstrap, topic, numbered(partition * 100, partition * 100 + 100), partition=partition)
    run = run_available(read_stream(spark, bootstrap, subscribe=topic, startingOffsets="earliest"), tmp_path)
    assert run.values == numbered(0, 300)
    assert run.batches == [300]


def test_max_offsets_per_trigger_makes_batches(spark: Any, bootstrap: str, topic: str, tmp_path: Path) -> None:
    create_topic(bootstrap, topic, 2)
    produce(bootstrap, topic, numbered(0, 100), partition=0)
    produce(bootstrap, topic, numbered(100, 200), partition=1)
    stream = read_stream(spark, bootstrap, subscribe=topic, startingOffsets="earliest", maxOffsetsPerTrigger=60)
    run = run_available(stream, tmp_path)
    assert run.values == numbered(0, 200)
    assert len(run.batches) >= 4
    assert max(run.batches) <= 60


def test_a_restart_goes_on_at_its_checkpoint(spark: Any, bootstrap: str, topic: str, tmp_path: Path) -> None:
    create_topic(bootstrap, topic)

    def run() -> list[str]:
        stream = read_stream(spark, bootstrap, subscribe=topic, startingOffsets="earliest")
        return run_available(stream, tmp_path / "checkpoint").values

    produce(bootstrap, topic, numbered(0, 50))
    assert run() == numbered(0, 50)
    produce(bootstrap, topic, numbered(50, 80))
    assert run() == numbered(50, 80)
    assert run() == []


def test_new_partitions_and_new_topics_are_found(spark: Any, bootstrap: str, topic: str, tmp_path: Path) -> None:
    create_topic(bootstrap, f"{topic}-a")

    def run() -> list[str]:
        stream = read_stream(spark, bootstrap, subscribePattern=f"{topic}-.*", startingOffsets="earliest")
        return run_available(stream, tmp_path / "checkpoint").values

    produce(bootstrap, f"{topic}-a", ["a0"])
    assert run() == ["a0"]
    add_partitions(bootstrap, f"{topic}-a", 2)
    create_topic(bootstrap, f"{topic}-b")
    produce(bootstrap, f"{topic}-a", ["a1"], partition=1)
    produce(bootstrap, f"{topic}-b", ["b0"])
    assert run() == ["a1", "b0"]


@pytest.mark.parametrize(
    ("options", "start"),
    [
        pytest.param({"startingOffsets": {"TOPIC": {"0": 7}}}, 7, id="json"),
        pytest.param({"startingOffsetsByTimestamp": {"TOPIC": {"0": T0 + 4 * HOUR_MS}}}, 4, id="timestamps"),
        pytest.param({"startingTimestamp": T0 + 9 * HOUR_MS}, 9, id="timestamp"),
    ],
)
def test_starting_offsets(
    spark: Any, bootstrap: str, topic: str, tmp_path: Path, options: dict[str, Any], start: int
) -> None:
    topic = f"{topic}-{start}"
    create_topic(bootstrap, topic)
    produce(bootstrap, topic, numbered(0, 10), timestamps_ms=[T0 + i * HOUR_MS for i in range(10)])
    asked = {name: {topic: value["TOPIC"]} if isinstance(value, dict) else value for name, value in options.items()}
    run = run_available(read_stream(spark, bootstrap, subscribe=topic, **asked), tmp_path)
    assert run.values == numbered(start, 10)


def test_assign_and_headers_in_a_stream(spark: Any, bootstrap: str, topic: str, tmp_path: Path) -> None:
    create_topic(bootstrap, topic, 2)
    produce(bootstrap, topic, ["zero"], partition=0)
    produce(bootstrap, topic, ["one"], partition=1, headers=[("h", b"x")])
    stream = read_stream(spark, bootstrap, assign={topic: [1]}, startingOffsets="earliest", includeHeaders="true")
    run = run_available(stream.selectExpr("concat(value, headers[0].value) as value"), tmp_path)
    assert run.values == ["onex"]


def test_min_partitions_in_a_stream(spark: Any, bootstrap: str, topic: str, tmp_path: Path) -> None:
    create_topic(bootstrap, topic)
    produce(bootstrap, topic, numbered(0, 100))
    stream = read_stream(spark, bootstrap, subscribe=topic, startingOffsets="earliest", minPartitions=4)
    run = run_available(stream.selectExpr("cast(spark_partition_id() as string) as value"), tmp_path)
    assert set(run.values) == {"0", "1", "2", "3"}


def test_read_committed_in_a_stream(spark: Any, bootstrap: str, topic: str, tmp_path: Path) -> None:
    create_topic(bootstrap, topic)
    produce(bootstrap, topic, numbered(0, 20))
    stream = read_stream(
        spark, bootstrap, subscribe=topic, startingOffsets="earliest", kafka__isolation__level="read_committed"
    )
    with transactions(bootstrap, topic) as committed:
        assert run_available(stream, tmp_path).values == sorted(numbered(0, 20) + committed)
    assert run_available(stream, tmp_path).values == []  # the open transaction is aborted


def test_from_topic_to_topic_while_data_arrives(spark: Any, bootstrap: str, topic: str, tmp_path: Path) -> None:
    """A stream that stays: it starts at the latest offset and follows."""
    source, target = f"{topic}-in", f"{topic}-out"
    create_topic(bootstrap, source, 2)
    create_topic(bootstrap, target)
    produce(bootstrap, source, ["before"])
    stream = read_stream(spark, bootstrap, subscribe=source, startingOffsets="latest")
    query = (
        stream.selectExpr("key", "upper(cast(value as string)) as value", "topic as was")
        .selectExpr("key", "value", f"'{target}' as topic")
        .writeStream.format("kafka")
        .option("kafka.bootstrap.servers", bootstrap)
        .option("checkpointLocation", str(tmp_path))
        .trigger(processingTime="200 milliseconds")
        .start()
    )
    try:
        wait_until(lambda: query.lastProgress is not None)
        for number in range(3):
            produce(bootstrap, source, [f"word{number}"], partition=number % 2)
            query.processAllAvailable()
        assert sorted(values(read(spark, bootstrap, subscribe=target))) == ["WORD0", "WORD1", "WORD2"]
    finally:
        query.stop()


def test_a_watermark_closes_windows_once(spark: Any, bootstrap: str, topic: str, tmp_path: Path) -> None:
    """Event time is the records' timestamp; in append mode a window is written when it is over."""
    from pyspark.sql import functions as f

    create_topic(bootstrap, topic)
    produce(bootstrap, topic, ["a", "a", "a"], timestamps_ms=[T0, T0 + 1000, T0 + HOUR_MS])
    produce(bootstrap, topic, ["end"], timestamps_ms=[T0 + 10 * HOUR_MS])
    stream = read_stream(spark, bootstrap, subscribe=topic, startingOffsets="earliest")
    counts = (
        stream.withWatermark("timestamp", "1 hour")
        .groupBy(f.window("timestamp", "1 minute"))
        .count()
        .selectExpr("cast(count as string) as value")
    )
    run = run_available(counts, tmp_path)
    assert run.values == ["1", "2"]


def lose_data(spark: Any, bootstrap: str, topic: str, checkpoint: Path) -> None:
    """A stream has read ten records; ten more come, and the first fifteen of the twenty are deleted."""
    create_topic(bootstrap, topic)
    produce(bootstrap, topic, numbered(0, 10))
    stream = read_stream(spark, bootstrap, subscribe=topic, startingOffsets="earliest")
    assert run_available(stream, checkpoint).values == numbered(0, 10)
    produce(bootstrap, topic, numbered(10, 20))
    delete_records(bootstrap, topic, {0: 15})


def test_lost_data_ends_the_stream(spark: Any, bootstrap: str, topic: str, tmp_path: Path) -> None:
    lose_data(spark, bootstrap, topic, tmp_path)
    stream = read_stream(spark, bootstrap, subscribe=topic, startingOffsets="earliest")
    with pytest.raises(Exception, match=r"(?i)failOnDataLoss|offset"):
        run_available(stream, tmp_path)


def test_lost_data_is_skipped_without_fail_on_data_loss(spark: Any, bootstrap: str, topic: str, tmp_path: Path) -> None:
    lose_data(spark, bootstrap, topic, tmp_path)
    stream = read_stream(spark, bootstrap, subscribe=topic, startingOffsets="earliest", failOnDataLoss="false")
    assert run_available(stream, tmp_path).values == numbered(15, 20)
