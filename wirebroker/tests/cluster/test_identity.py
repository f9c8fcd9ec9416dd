"""The identity of a broker: settings, meta.properties and ZooKeeper have to agree."""

from __future__ import annotations

import pytest

from wirebroker.cluster.identity import InconsistentIdentity, check_cluster_id, known_broker_id
from wirebroker.metadata.meta_properties import MetaProperties

NEW = MetaProperties("/a/meta.properties", None, None)
OURS = MetaProperties("/b/meta.properties", 3, "cluster")
OLD = MetaProperties("/c/meta.properties", 3, None)


@pytest.mark.parametrize(
    ("found", "configured", "known"),
    [([NEW], -1, -1), ([NEW], 5, 5), ([NEW, OURS], -1, 3), ([OURS, OLD], 3, 3), ([], -1, -1)],
)
def test_the_id_of_this_broker(found: list[MetaProperties], configured: int, known: int) -> None:
    assert known_broker_id(found, configured) == known


def test_directories_of_another_broker_are_refused() -> None:
    with pytest.raises(
        InconsistentIdentity, match=r"/b/meta.properties .* broker 3, and broker.id that this is broker 4"
    ):
        known_broker_id([NEW, OURS], 4)
    with pytest.raises(InconsistentIdentity, match=r"/d .* broker 4, and /b/meta.properties that this is broker 3"):
        known_broker_id([OURS, OURS._replace(path="/d", node_id=4)], -1)


def test_directories_of_another_cluster_are_refused() -> None:
    check_cluster_id([NEW, OURS, OLD], "cluster", "z:1/kafka")
    with pytest.raises(InconsistentIdentity, match=r"cluster, but zookeeper.connect=z:1/kafka is cluster other: check"):
        check_cluster_id([NEW, OURS], "other", "z:1/kafka")
