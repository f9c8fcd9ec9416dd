"""The replicas of a member: the ReplicaManager, whose leaders propose ISRs to the cluster, and the fetchers."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import trio

from wirebroker.cluster.controlled_shutdown import ControlledShutdownConfig
from wirebroker.cluster.default_alter_partition_manager import DefaultAlterPartitionManager
from wirebroker.cluster.follower_settings import follow_fetcher_count, follow_throttles
from wirebroker.cluster.zk_alter_partition_manager import ZkAlterPartitionManager
from wirebroker.config.sections.replication import RACK_AWARE_SELECTOR
from wirebroker.quota.rate import QuotaWindow
from wirebroker.quota.replication_quota import ReplicationQuota
from wirebroker.replication.fetcher.follower_config import FollowerConfig
from wirebroker.replication.fetcher.replica_fetcher_manager import Follower, ReplicaFetcherManager
from wirebroker.replication.leader_state import IsrRules
from wirebroker.replication.replica_manager import ReplicaManager
from wirebroker.zookeeper.log_dir_events import LogDirEvents

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.cluster_member.member import Member
    from wirebroker.config.dynamic_config import DynamicConfig
    from wirebroker.storage.log_manager import LogManager


def build_replica_manager(member: Member, log_manager: LogManager, on_failure: Callable[[], None]) -> ReplicaManager:
    """Return the replicas of this broker, whose leaders change ISRs with the consent of the cluster.

    Calls *on_failure* when too many log directories have failed.  Below protocol 1.0 that is one: the LeaderAndIsr of
    the controller does not tell new partitions from those whose log was in that directory.
    """
    config, member_config = member.config, member.member_config
    lag_s = member_config.replica_lag_time_max_ms / 1000
    rules = IsrRules(
        lag_s,
        limits_min_isr_to_replicas=config.release_profile.limits_min_isr_to_replicas,
        holds_below_min_isr=config.inter_broker_protocol.is_at_least("3.7-IV0"),
    )
    isr_changes = _isr_changes(member)
    replicas = ReplicaManager(log_manager, member.metadata, on_failure, rules, isr_changes)
    replicas.selects_by_rack = member_config.replica_selector_class == RACK_AWARE_SELECTOR
    replicas.refuses_log_append_time = config.release_profile.refuses_log_append_time
    # kafka-replica-verification of a release before 2.4 asks followers with a version that later brokers refuse there
    replicas.serves_debugging_from_followers = not config.inter_broker_protocol.is_at_least("2.4-IV0")
    log_manager.log_dirs.needs_all = not config.inter_broker_protocol.is_at_least("1.0-IV0")
    if not log_manager.log_dirs.can_serve:
        on_failure()
    member.tasks.add(isr_changes.run)
    member.tasks.add_repeatable("ISR expiration", partial(_shrink_isrs, replicas, lag_s / 2))
    return replicas


def _isr_changes(member: Member) -> ZkAlterPartitionManager | DefaultAlterPartitionManager:
    """Return the way in which leaders change ISRs at this inter-broker protocol."""
    if not member.config.inter_broker_protocol.alter_partition_supported:
        return ZkAlterPartitionManager(member.session)
    timeout_s = ControlledShutdownConfig(member.config.value).controller_socket_timeout_ms / 1000
    return DefaultAlterPartitionManager(member.node_id, member.broker_epoch, member.find_control_plane, timeout_s)


async def _shrink_isrs(replicas: ReplicaManager, interval_s: float) -> None:
    """Remove followers that lag from the ISRs of partitions that are led here, until cancelled."""
    while True:
        await trio.sleep(interval_s)
        await replicas.shrink_isrs()


def build_fetchers(member: Member, config: DynamicConfig, replicas: ReplicaManager) -> ReplicaFetcherManager:
    """Return the fetchers of the partitions that are followed here, and limit both sides of replication."""
    node_id, member_config = member.node_id, member.member_config
    window = QuotaWindow(
        member_config.replication_quota_window_num, member_config.replication_quota_window_size_seconds
    )
    replicas.leader_quota = ReplicationQuota(node_id, window)
    follower_quota = ReplicationQuota(node_id, window)
    follow_throttles(config, replicas.leader_quota, follower_quota)
    fetchers = ReplicaFetcherManager(
        Follower(node_id, member.config.inter_broker_protocol, member.broker_epoch),
        replicas,
        FollowerConfig(member.config.value),
        follower_quota,
    )
    follow_fetcher_count(config, fetchers.resize)
    log_dir_events = LogDirEvents(member.session, node_id)

    def log_dir_failed() -> None:
        fetchers.remove_fetcher_for_unserved_partitions()
        log_dir_events.log_dir_failed()

    replicas.on_log_dir_failed = log_dir_failed
    member.tasks.add(fetchers.run)
    member.tasks.add_repeatable("log directory events", log_dir_events.run)
    return fetchers
