"""What a broker gives its group coordinator: every key of the configuration, and which topics there are."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from wirebroker.coordinator.group.coordinator import GroupCoordinator, _settings
from wirebroker.coordinator.group.settings import GroupSettings
from wirebroker.tests.controller.fakes import broker_config


def test_defaults() -> None:
    """Kafka's, but for a broker that is alone: nobody else is coming, so a new group waits for nobody."""
    assert _settings(broker_config()) == GroupSettings(initial_rebalance_delay_ms=0)


@pytest.mark.parametrize(
    ("key", "value", "field", "found"),
    [
        ("group_min_session_timeout_ms", 1, "min_session_timeout_ms", 1),
        ("group_max_session_timeout_ms", 2, "max_session_timeout_ms", 2),
        ("group_initial_rebalance_delay_ms", 3, "initial_rebalance_delay_ms", 3),
        ("group_max_size", 4, "max_size", 4),
        ("offset_metadata_max_bytes", 5, "offset_metadata_max_bytes", 5),
        ("offsets_retention_minutes", 6, "offsets_retention_ms", 360_000),
        ("offsets_retention_check_interval_ms", 7, "offsets_retention_check_ms", 7),
    ],
)
def test_keys(key: str, value: int, field: str, found: int) -> None:
    assert _settings(broker_config(**{key: value})) == GroupSettings(initial_rebalance_delay_ms=0)._replace(
        **{field: found}
    )


@pytest.mark.parametrize(
    ("topic", "partition", "there"),
    [("t", 0, True), ("t", 1, True), ("t", 2, False), ("t", -1, False), ("missing", 0, False)],
)
def test_offsets_of_a_partition_that_is_offline_or_elsewhere_may_be_committed(
    topic: str, partition: int, there: bool
) -> None:
    image = SimpleNamespace(topic={"t": SimpleNamespace(partitions=[None, None])}.get)
    replicas = SimpleNamespace(find=lambda *_: None)
    coordinator = GroupCoordinator(broker_config(), cast("Any", SimpleNamespace(image=image)), cast("Any", replicas))
    shard = cast("Any", coordinator._new_shard(0))
    assert shard.topic_exists(topic, partition) == there
