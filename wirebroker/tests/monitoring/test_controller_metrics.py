"""The figures of kafka.controller on a broker of a cluster: read from its KafkaController, active or not."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from wirebroker.loop_budget import LoopBudget
from wirebroker.metadata.image import ClusterImage
from wirebroker.metrics import catalogue
from wirebroker.monitoring.broker_state import collect_controller
from wirebroker.tests.kafka_controller.controller_cluster import ControllerCluster, settle

if TYPE_CHECKING:
    from wirebroker.kafka_controller.kafka_controller import KafkaController


async def figures_of(controller: KafkaController) -> dict[str, object]:
    """Return name -> value of the metrics that have no tags."""
    services: Any = SimpleNamespace(
        kafka_controller=controller, metadata=SimpleNamespace(image=ClusterImage()), node_id=1
    )
    sources: Any = SimpleNamespace(services=services)
    snapshot = await collect_controller(sources, LoopBudget())
    return {metric.name: next(iter(rows))[1] for metric, rows in snapshot if not metric.tags}


async def test_the_active_controller_counts_what_it_knows() -> None:
    cluster = ControllerCluster()
    cluster.register(1, 2)
    cluster.put_topic("t", {0: (1, 2), 1: (2, 1), 2: (2,)})
    async with cluster.controller(1) as only:
        cluster.unregister(2)
        await settle()
        found = await figures_of(only.assembled.controller)
    assert found[catalogue.ACTIVE_CONTROLLER.name] == 1
    assert found[catalogue.ACTIVE_BROKERS.name] == 1
    assert found[catalogue.GLOBAL_TOPICS.name] == 1
    assert found[catalogue.GLOBAL_PARTITIONS.name] == 3
    assert found[catalogue.OFFLINE_PARTITIONS.name] == 1
    assert found[catalogue.PREFERRED_IMBALANCE.name] == 2  # the one without a leader, too
    assert found[catalogue.UNCLEAN_ELECTIONS.name] == 0


async def test_other_brokers_have_zeros() -> None:
    cluster = ControllerCluster()
    cluster.register(1, 2)
    cluster.put_topic("t", {0: (1, 2)})
    async with cluster.controller(1), cluster.controller(2) as other:
        await settle()
        found = await figures_of(other.assembled.controller)
    assert {found[each.name] for each in catalogue.OF_ACTIVE_CONTROLLER} == {0}


@pytest.mark.parametrize("metric", catalogue.OF_ACTIVE_CONTROLLER, ids=lambda metric: metric.name)
async def test_every_figure_of_the_catalogue_is_a_gauge_of_the_controller(metric: Any) -> None:
    async with ControllerCluster().controller(1) as only:
        assert metric.name in only.assembled.controller.metrics.gauges()
