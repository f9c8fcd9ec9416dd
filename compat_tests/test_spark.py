"""Spark's stock ``kafka`` source and sink in batch queries (the source assigns partitions itself, without a group).

Options are those of Spark's "Structured Streaming + Kafka Integration Guide".
"""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.spark_help import COLUMNS, create_topic, delete_records, produce, read, transactions, values, write

# py4j leaves its sockets to the garbage collector
pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("ignore::ResourceWarning")]

HOUR_MS = 3_600_000
T0 = 1_700_000_000_000


def test_spark_reads_the_records_of_spark(spark: Any, bootstrap: str, topic: str) -> None:
    create_topic(bootstrap, topic, 3)
    rows = [(f"k{i}", f"v{i}") for i in range(300)]
    write(spark.createDataFrame(rows, "key string, value string"), bootstrap, topic)
    frame = read(spark, bootstrap, subscribe=topic)
    assert tuple(frame.columns) == COLUMNS
    found = frame.selectExpr("cast(key as string)", "cast(value as string)", "partition").collect()
    assert sorted((row.key, row.value) for row in found) == sorted(rows)
    assert {row.partition for row in found} == {0, 1, 2}


def test_the_topic_column_names_the_topic_and_the_partition_column_the_partition(
    spark: Any, bootstrap: str, topic: str
) -> None:
    names = [f"{topic}-a", f"{topic}-b"]
    for name in names:
        create_topic(bootstrap, name, 4)
    rows = [(names[i % 2], i % 4, f"v{i}") for i in range(40)]
    write(spark.createDataFrame(rows, "topic string, partition int, value string"), bootstrap)
    frame = read(spark, bootstrap, subscribe=",".join(names)).selectExpr(
        "topic", "partition", "cast(value as string)", "offset"
    )
    found = [tuple(row) for row in frame.collect()]
    assert sorted(row[:3] for row in found) == sorted(rows)
    assert max(row[3] for row in found) == 40 // 4 - 1


def test_null_keys_and_null_values(spark: Any, bootstrap: str, topic: str) -> None:
    create_topic(bootstrap, topic)
    write(spark.createDataFrame([(None, "v"), ("k", None)], "key string, value string").coalesce(1), bootstrap, topic)
    found = read(spark, bootstrap, subscribe=topic).orderBy("offset").collect()
    assert [(row.key, row.value) for row in found] == [(None, b"v"), (b"k", None)]


def test_headers_both_ways(spark: Any, bootstrap: str, topic: str) -> None:
    create_topic(bootstrap, topic)
    schema = "value string, headers array<struct<key: string, value: binary>>"
    rows = [("with", [("h", b"1"), ("h", b"2"), ("none", None)]), ("without", None)]
    write(spark.createDataFrame(rows, schema).coalesce(1), bootstrap, topic, includeHeaders="true")
    produce(bootstrap, topic, ["outside"], headers=[("origin", b"JFK")])
    found = read(spark, bootstrap, subscribe=topic, includeHeaders="true").orderBy("offset").collect()
    headers = [None if row.headers is None else [tuple(header) for header in row.headers] for row in found]
    assert headers == [[("h", b"1"), ("h", b"2"), ("none", None)], None, [("origin", b"JFK")]]


@pytest.mark.parametrize("codec", ["none", "gzip", "snappy", "lz4", "zstd"])
def test_every_codec_of_the_java_producer(spark: Any, bootstrap: str, topic: str, codec: str) -> None:
    topic = f"{topic}-{codec}"
    create_topic(bootstrap, topic)
    frame = spark.range(2000).selectExpr("concat('the same text again and again ', id) as value").coalesce(1)
    write(frame, bootstrap, topic, kafka__compression__type=codec)
    found = values(read(spark, bootstrap, subscribe=topic))
    assert found == [f"the same text again and again {i}" for i in range(2000)]


def test_a_topic_is_made_on_first_write(spark: Any, bootstrap: str, topic: str) -> None:
    write(spark.createDataFrame([("hello",)], "value string"), bootstrap, topic)
    assert values(read(spark, bootstrap, subscribe=topic)) == ["hello"]


def test_subscribe_pattern(spark: Any, bootstrap: str, topic: str) -> None:
    for suffix in ("eu-1", "eu-2", "us-1"):
        create_topic(bootstrap, f"{topic}.{suffix}")
        produce(bootstrap, f"{topic}.{suffix}", [suffix])
    assert values(read(spark, bootstrap, subscribePattern=f"{topic}[.]eu-.*")) == ["eu-1", "eu-2"]


def test_assign(spark: Any, bootstrap: str, topic: str) -> None:
    create_topic(bootstrap, topic, 3)
    for partition in range(3):
        produce(bootstrap, topic, [f"p{partition}"], partition=partition)
    assert values(read(spark, bootstrap, assign={topic: [0, 2]})) == ["p0", "p2"]


@pytest.fixture
def ten_each(bootstrap: str, topic: str) -> str:
    """Two partitions of ten records, an hour apart each."""
    create_topic(bootstrap, topic, 2)
    for partition in range(2):
        names = [f"{partition}:{i}" for i in range(10)]
        produce(bootstrap, topic, names, partition=partition, timestamps_ms=[T0 + i * HOUR_MS for i in range(10)])
    return topic


def span(partition: int, start: int, end: int) -> list[str]:
    return [f"{partition}:{i}" for i in range(start, end)]


def test_timestamps_are_those_of_the_producer(spark: Any, bootstrap: str, ten_each: str) -> None:
    frame = read(spark, bootstrap, subscribe=ten_each).where("partition = 0").orderBy("offset")
    found = frame.selectExpr("unix_millis(timestamp) as ms", "timestampType as type").collect()
    assert [(row.ms, row.type) for row in found] == [(T0 + i * HOUR_MS, 0) for i in range(10)]


def test_log_append_time_is_the_brokers(spark: Any, bootstrap: str, topic: str) -> None:
    create_topic(bootstrap, topic, message_timestamp_type="LogAppendTime")
    produce(bootstrap, topic, ["late"], timestamps_ms=[T0])
    (row,) = (
        read(spark, bootstrap, subscribe=topic).selectExpr("unix_millis(timestamp) as ms", "timestampType").collect()
    )
    assert row.timestampType == 1
    assert row.ms > T0 + HOUR_MS


def test_earliest_to_latest(spark: Any, bootstrap: str, ten_each: str) -> None:
    frame = read(spark, bootstrap, subscribe=ten_each, startingOffsets="earliest", endingOffsets="latest")
    assert values(frame) == span(0, 0, 10) + span(1, 0, 10)


def test_offsets_as_json(spark: Any, bootstrap: str, ten_each: str) -> None:
    earliest, latest = -2, -1
    starting, ending = {ten_each: {"0": 3, "1": earliest}}, {ten_each: {"0": latest, "1": 4}}
    frame = read(spark, bootstrap, subscribe=ten_each, startingOffsets=starting, endingOffsets=ending)
    assert values(frame) == span(0, 3, 10) + span(1, 0, 4)


def test_offsets_by_timestamp_per_partition(spark: Any, bootstrap: str, ten_each: str) -> None:
    starting = {ten_each: {"0": T0 + 2 * HOUR_MS, "1": T0 + 2 * HOUR_MS + 1}}
    ending = {ten_each: {"0": T0 + 5 * HOUR_MS, "1": T0 + 100 * HOUR_MS}}
    frame = read(
        spark,
        bootstrap,
        subscribe=ten_each,
        startingOffsetsByTimestamp=starting,
        endingOffsetsByTimestamp=ending,
    )
    assert values(frame) == span(0, 2, 5) + span(1, 3, 10)


def test_one_timestamp_for_all(spark: Any, bootstrap: str, ten_each: str) -> None:
    frame = read(
        spark, bootstrap, subscribe=ten_each, startingTimestamp=T0 + 4 * HOUR_MS, endingTimestamp=T0 + 6 * HOUR_MS
    )
    assert values(frame) == span(0, 4, 6) + span(1, 4, 6)


def test_a_starting_timestamp_after_the_last_record(spark: Any, bootstrap: str, ten_each: str) -> None:
    late = {"subscribe": ten_each, "startingTimestamp": T0 + 100 * HOUR_MS}
    with pytest.raises(Exception, match="No offset matched"):
        read(spark, bootstrap, **late).collect()
    assert values(read(spark, bootstrap, **late, startingOffsetsByTimestampStrategy="latest")) == []


def test_more_tasks_than_partitions(spark: Any, bootstrap: str, ten_each: str) -> None:
    frame = read(spark, bootstrap, subscribe=ten_each, minPartitions=7)
    assert frame.rdd.getNumPartitions() >= 7
    assert values(frame) == span(0, 0, 10) + span(1, 0, 10)


def test_read_committed(spark: Any, bootstrap: str, ten_each: str) -> None:
    """Records of aborted and of open transactions are not read."""
    with transactions(bootstrap, ten_each) as committed:
        frame = read(spark, bootstrap, subscribe=ten_each, kafka__isolation__level="read_committed")
        assert values(frame) == span(0, 0, 10) + committed + span(1, 0, 10)
        everything = read(spark, bootstrap, subscribe=ten_each, kafka__isolation__level="read_uncommitted")
        assert len(values(everything)) == 20 + 70


def test_offsets_that_are_gone(spark: Any, bootstrap: str, ten_each: str) -> None:
    """A range that begins before the log: an error, or the rest of the range with failOnDataLoss=false."""
    delete_records(bootstrap, ten_each, {0: 5})
    asked = {"subscribe": ten_each, "startingOffsets": {ten_each: {"0": 3, "1": 8}}}
    with pytest.raises(Exception, match=r"(?i)offset"):
        read(spark, bootstrap, **asked, failOnDataLoss="true").collect()
    assert values(read(spark, bootstrap, **asked, failOnDataLoss="false")) == span(0, 5, 10) + span(1, 8, 10)


def test_an_unknown_topic_is_an_error(spark: Any, bootstrap: str, topic: str) -> None:
    with pytest.raises(Exception, match="UnknownTopicOrPartition"):
        read(spark, bootstrap, subscribe=topic).collect()


def test_big_records_and_many_of_them(spark: Any, bootstrap: str, topic: str) -> None:
    create_topic(bootstrap, topic, 2)
    frame = spark.range(400).selectExpr("cast(id as string) as key", "repeat(cast(id % 10 as string), 200000) as value")
    write(frame, bootstrap, topic, kafka__batch__size=500_000)
    found = (
        read(spark, bootstrap, subscribe=topic).selectExpr("sum(length(value)) as bytes", "count(*) as rows").first()
    )
    assert (found.rows, found.bytes) == (400, 400 * 200_000)
