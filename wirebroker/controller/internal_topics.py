"""Settings of topics that are created automatically, on first use.

Facts: the settings that Kafka 3.9 gives `__consumer_offsets` and `__transaction_state`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.controller.topic_rules import NewTopic
from wirebroker.model import GROUP_METADATA_TOPIC_NAME, TRANSACTION_STATE_TOPIC_NAME

if TYPE_CHECKING:
    from wirebroker.config.server import BrokerConfig


def auto_created(name: str, config: BrokerConfig, most_replicas: int | None) -> NewTopic:
    """Return the topic *name* as it is created automatically, with at most *most_replicas* (None: any number).

    In a cluster an internal topic is not created while there are fewer brokers than replicas, as in Kafka; a standalone
    broker creates it with fewer replicas, because otherwise it would never serve a group.
    """
    if name == GROUP_METADATA_TOPIC_NAME:
        return NewTopic(
            name,
            config.offsets_topic_num_partitions,
            _at_most(config.offsets_topic_replication_factor, most_replicas),
            configs={
                "cleanup.policy": "compact",
                "compression.type": "producer",
                "segment.bytes": str(config.offsets_topic_segment_bytes),
            },
        )
    if name == TRANSACTION_STATE_TOPIC_NAME:
        return NewTopic(
            name,
            config.transaction_state_log_num_partitions,
            _at_most(config.transaction_state_log_replication_factor, most_replicas),
            configs={
                "cleanup.policy": "compact",
                "compression.type": "uncompressed",
                "min.insync.replicas": str(config.transaction_state_log_min_isr),
                "segment.bytes": str(config.transaction_state_log_segment_bytes),
                "unclean.leader.election.enable": "false",
            },
        )
    return NewTopic(name)


def _at_most(replication_factor: int, most: int | None) -> int:
    return replication_factor if most is None else min(replication_factor, most)
