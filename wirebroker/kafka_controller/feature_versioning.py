"""FeatureVersioning: /feature as the controller leaves it at the begin of its term (KIP-584).

With an inter-broker protocol from 2.7 on features are enabled, and those that were finalized stay; below, the znode
says that they are disabled, and has none.  Brokers of Apache Kafka read it to tell clients which features there are.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from wirebroker.zookeeper.znodes.cluster import FinalizedFeatures

if TYPE_CHECKING:
    from wirebroker.config.inter_broker_protocol import InterBrokerProtocol
    from wirebroker.kafka_controller.controller_zk_client import ControllerZkClient

logger = logging.getLogger(__name__)


def finalized_features(protocol: InterBrokerProtocol, found: FinalizedFeatures | None) -> FinalizedFeatures:
    """Return what /feature is to say; *found* is what it says, None if it does not exist."""
    is_enabled = protocol.feature_versioning_supported
    levels = found.levels if is_enabled and found is not None and found.is_enabled else {}
    return FinalizedFeatures(is_enabled, levels, 2 if protocol.is_at_least("3.3-IV0") else 1)


async def set_up_feature_versioning(
    zk_client: ControllerZkClient, protocol: InterBrokerProtocol, epoch_zk_version: int
) -> None:
    """Create or change /feature, if it is not as *protocol* demands.

    Raises:
        ControllerMoved: another controller was elected.
        CorruptZnode: it is not what Kafka writes, so nobody knows which features are finalized.
    """
    found = await zk_client.get_finalized_features()
    if found is not None and not found.is_enabled and found.levels:
        logger.warning("/feature is disabled but has features, which are dropped: %s", dict(found.levels))
    wanted = finalized_features(protocol, found)
    if wanted != found:
        await zk_client.set_or_create_finalized_features(wanted, epoch_zk_version)
