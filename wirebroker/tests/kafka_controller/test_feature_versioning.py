"""/feature by the protocol of the new controller and by what an earlier one has left, as Apache Kafka writes it."""

from __future__ import annotations

import pytest

from wirebroker.kafka_controller.controller_zk_client import ControllerZkClient
from wirebroker.tests.kafka_controller.controller_cluster import ControllerCluster, settle
from wirebroker.tests.zookeeper.harness import member
from wirebroker.zookeeper.errors import CorruptZnode
from wirebroker.zookeeper.znodes.cluster import FEATURE_PATH, FinalizedFeatures

DISABLED = b'{"features":{},"version":1,"status":0}'
ENABLED_1 = b'{"features":{},"version":1,"status":1}'
ENABLED_2 = b'{"features":{},"version":2,"status":1}'
WITH_LEVELS = b'{"features":{"f":{"max_version_level":3}},"version":2,"status":1}'
WITH_RANGES = b'{"features":{"f":{"max_version_level":3,"min_version_level":3}},"version":1,"status":1}'


@pytest.mark.parametrize(
    ("protocol", "before", "after"),
    [
        ("2.6", None, DISABLED),
        ("2.7", None, ENABLED_1),
        ("3.2", None, ENABLED_1),
        ("3.3", None, ENABLED_2),
        ("3.9", None, ENABLED_2),
        # the protocol was raised: features that are finalized stay, those of a disabled znode do not
        ("2.7", DISABLED, ENABLED_1),
        ("3.9", ENABLED_1, ENABLED_2),
        ("3.9", WITH_RANGES, WITH_LEVELS),
        ("3.2", WITH_LEVELS, WITH_RANGES),
        ("3.9", WITH_LEVELS.replace(b'"status":1', b'"status":0'), ENABLED_2),
        # it was lowered
        ("2.6", ENABLED_2, DISABLED),
        ("2.6", WITH_LEVELS, DISABLED),
    ],
)
async def test_features_are_enabled_or_disabled(protocol: str, before: bytes | None, after: bytes) -> None:
    cluster = ControllerCluster()
    cluster.register(1)
    if before is not None:
        cluster.zookeeper.put(FEATURE_PATH, before)
    async with cluster.controller(1, protocol) as only:
        assert only.is_active
        assert cluster.zookeeper.read(FEATURE_PATH) == after


async def test_a_znode_that_is_right_is_not_written_again() -> None:
    cluster = ControllerCluster()
    cluster.register(1)
    cluster.zookeeper.put(FEATURE_PATH, WITH_LEVELS)
    version = cluster.zookeeper.nodes[FEATURE_PATH].version
    async with cluster.controller(1):
        await settle()
    assert cluster.zookeeper.nodes[FEATURE_PATH].version == version
    assert cluster.zookeeper.read(FEATURE_PATH) == WITH_LEVELS


async def test_a_corrupt_znode_is_reported() -> None:
    cluster = ControllerCluster()
    cluster.zookeeper.put(FEATURE_PATH, b"no JSON")
    async with member(cluster.zookeeper) as this:
        with pytest.raises(CorruptZnode):
            await ControllerZkClient(this.session).get_finalized_features()


def test_what_is_written_can_be_read() -> None:
    features = FinalizedFeatures(True, {"f": 3})
    assert FinalizedFeatures.decode(features.encode()) == features
