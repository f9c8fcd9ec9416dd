"""ControllerConfig: the config keys of the controller."""

from __future__ import annotations

from wirebroker.config.section import Section


class ControllerConfig(Section):
    """The config keys of the controller of a cluster with ZooKeeper."""

    auto_leader_rebalance_enable: bool
    controller_socket_timeout_ms: int
    leader_imbalance_check_interval_seconds: int
    leader_imbalance_per_broker_percentage: int

    FIELDS = __slots__ = tuple(__annotations__)
