"""Spark's stock ``kafka`` source with a given group id (`kafka.group.id`), as shared clusters require."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from compat_tests.spark_help import create_topic, produce, read, read_stream, run_available, values

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# py4j leaves its sockets to the garbage collector
pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("ignore::ResourceWarning")]

BY_CONSUMER = "spark.sql.streaming.kafka.useDeprecatedOffsetFetching"


@pytest.fixture(params=[False, True], ids=["admin", "consumer"])
def by_consumer(spark: Any, request: pytest.FixtureRequest) -> Iterator[bool]:
    """Whether the driver looks for offsets with a consumer that subscribes, or with an admin client."""
    spark.conf.set(BY_CONSUMER, str(request.param).lower())
    yield request.param
    spark.conf.unset(BY_CONSUMER)


def groups(bootstrap: str) -> set[str]:
    from confluent_kafka.admin import AdminClient

    admin = AdminClient({"bootstrap.servers": bootstrap})
    listed = admin.list_consumer_groups().result(timeout=20)
    assert not listed.errors
    return {each.group_id for each in listed.valid}


def test_a_stream_with_a_group_id(spark: Any, bootstrap: str, topic: str, tmp_path: Path, by_consumer: bool) -> None:
    create_topic(bootstrap, topic, 2)
    group = f"{topic}-group"
    seen: set[str] = set()

    def run() -> list[str]:
        stream = read_stream(spark, bootstrap, subscribe=topic, startingOffsets="earliest", kafka__group__id=group)
        found = run_available(stream, tmp_path / "checkpoint").values
        seen.update(groups(bootstrap))
        return found

    for partition in range(2):
        produce(bootstrap, topic, [f"{partition}:{number}" for number in range(30)], partition=partition)
    assert len(run()) == 60
    produce(bootstrap, topic, ["more"])
    assert run() == ["more"]
    # Spark keeps offsets in its checkpoint; a group comes to be only where its driver subscribes.
    assert (group in seen) == by_consumer


def test_a_batch_with_a_group_id(spark: Any, bootstrap: str, topic: str, by_consumer: bool) -> None:
    create_topic(bootstrap, topic, 2)
    for partition in range(2):
        produce(bootstrap, topic, [f"{partition}:{number}" for number in range(5)], partition=partition)
    group = f"{topic}-group"
    found = values(read(spark, bootstrap, subscribe=topic, kafka__group__id=group))
    assert found == [f"{partition}:{number}" for partition in range(2) for number in range(5)]
    assert (group in groups(bootstrap)) == by_consumer


def test_two_streams_in_one_group(spark: Any, bootstrap: str, topic: str, tmp_path: Path) -> None:
    """Spark warns of it, and executors only fetch: each stream still sees everything."""
    create_topic(bootstrap, topic, 2)
    produce(bootstrap, topic, ["a", "b", "c"])
    for name in ("one", "two"):
        stream = read_stream(
            spark, bootstrap, subscribe=topic, startingOffsets="earliest", kafka__group__id=f"{topic}-group"
        )
        assert run_available(stream, tmp_path / name).values == ["a", "b", "c"]
