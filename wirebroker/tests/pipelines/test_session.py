"""The name of Spark's Kafka connector."""

from __future__ import annotations

import pytest

from wirebroker.pipelines.session import connector


@pytest.mark.parametrize(
    ("spark", "package"),
    [
        ("3.5.7", "org.apache.spark:spark-sql-kafka-0-10_2.12:3.5.7"),
        ("4.0.0", "org.apache.spark:spark-sql-kafka-0-10_2.13:4.0.0"),
    ],
)
def test_the_connector_has_sparks_version_and_scala(spark: str, package: str) -> None:
    assert connector(spark) == package
