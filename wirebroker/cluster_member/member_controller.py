"""The controller of a member, which it runs for like every other one: its settings, and unclean elections it makes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.kafka_controller.assembly import AssembledController, ControllerSettings, build_kafka_controller
from wirebroker.kafka_controller.controller_config import ControllerConfig
from wirebroker.kafka_controller.kafka_controller import RebalanceSettings

if TYPE_CHECKING:
    from wirebroker.cluster.config_publisher import ConfigPublisher
    from wirebroker.cluster_member.member import Member
    from wirebroker.config.dynamic_config import DynamicConfig
    from wirebroker.config.server import BrokerConfig


def build_member_controller(member: Member, config: DynamicConfig, publisher: ConfigPublisher) -> AssembledController:
    """Return the controller, active or not, which follows changes of `unclean.leader.election.enable`."""
    assembled = build_kafka_controller(member.session, _controller_settings(member, config))
    controller = assembled.controller
    was_enabled = config.current.topic_defaults.unclean_leader_election_enable

    def topic_changed(topic: str) -> None:
        own = member.metadata.image.topic_config(topic)
        if config.current.log_config(own).unclean_leader_election_enable:
            controller.enable_unclean_leader_election(topic)

    def default_changed(changed: BrokerConfig) -> None:
        nonlocal was_enabled
        is_enabled = changed.topic_defaults.unclean_leader_election_enable
        if is_enabled and not was_enabled:
            controller.enable_unclean_leader_election()
        was_enabled = is_enabled

    publisher.on_topic_changed = topic_changed
    config.subscribe(default_changed)
    return assembled


def _controller_settings(member: Member, config: DynamicConfig) -> ControllerSettings:
    controller_config = ControllerConfig(member.config.value)
    rebalance = RebalanceSettings(
        controller_config.auto_leader_rebalance_enable,
        controller_config.leader_imbalance_check_interval_seconds,
        controller_config.leader_imbalance_per_broker_percentage,
    )
    return ControllerSettings(
        member.node_id,
        member.config.inter_broker_protocol,
        member.config.inter_broker_listener,
        member.config.control_plane_listener or member.config.inter_broker_listener,
        controller_config.controller_socket_timeout_ms / 1000,
        lambda overrides: config.current.log_config(overrides),
        member.config.delete_topic_enable,
        lambda: rebalance,
    )
