"""GroupCoordinator: the configuration that its shards get, and which topics exist for them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from wirebroker.coordinator.group.coordinator import GroupCoordinator
from wirebroker.coordinator.group.group_config import GroupCoordinatorConfig
from wirebroker.tests.controller.fakes import broker_config
from wirebroker.timer.timer import Timer


def test_config() -> None:
    config = GroupCoordinatorConfig(broker_config(offsets_retention_minutes=6, group_max_size=4).value)
    assert (config.group_max_size, config.offsets_retention_ms) == (4, 360_000)
    assert config.group_initial_rebalance_delay_ms == 0, "no other members are expected on a standalone broker"


@pytest.mark.parametrize(
    ("topic", "partition", "there"),
    [("t", 0, True), ("t", 1, True), ("t", 2, False), ("t", -1, False), ("missing", 0, False)],
)
def test_offsets_of_a_partition_that_is_offline_or_elsewhere_may_be_committed(
    topic: str, partition: int, there: bool
) -> None:
    image = SimpleNamespace(topic={"t": SimpleNamespace(partitions=[None, None])}.get)
    replicas = SimpleNamespace(find=lambda *_: None, timer=Timer())
    coordinator = GroupCoordinator(broker_config(), cast("Any", SimpleNamespace(image=image)), cast("Any", replicas))
    shard = cast("Any", coordinator._new_shard(0))
    assert shard.manager.topic_exists(topic, partition) == there
