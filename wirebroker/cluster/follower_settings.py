"""Brings the dynamic settings of replication to fetchers and quotas."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.replication.fetcher.follower_config import FollowerConfig

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.config.dynamic_config import DynamicConfig
    from wirebroker.config.server import BrokerConfig
    from wirebroker.quota.replication_quota import ReplicationQuota


def follow_fetcher_count(config: DynamicConfig, resize: Callable[[int], None]) -> None:
    """Call *resize* with ``num.replica.fetchers`` now, and after each change of settings."""

    def changed(current: BrokerConfig) -> None:
        follower_config = FollowerConfig(current.value)
        resize(follower_config.num_replica_fetchers)

    config.subscribe(changed)


def follow_throttles(config: DynamicConfig, leader: ReplicationQuota, follower: ReplicationQuota) -> None:
    """Set the limits of the quotas now, and after each change of settings."""

    def changed(current: BrokerConfig) -> None:
        leader.limit = current.leader_throttle
        follower.limit = current.follower_throttle

    config.subscribe(changed)
