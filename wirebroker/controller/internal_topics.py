"""The topics that the broker itself writes, and how they are made on first use.

Facts: the topic settings Kafka 3.9 gives `__consumer_offsets` and `__transaction_state`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.controller.topic_rules import NewTopic

if TYPE_CHECKING:
    from wirebroker.config.server import BrokerConfig

CONSUMER_OFFSETS = "__consumer_offsets"
TRANSACTION_STATE = "__transaction_state"


def auto_created(name: str, config: BrokerConfig, broker_count: int) -> NewTopic:
    """The topic *name* as its first use creates it.

    Kafka refuses to make internal topics while fewer brokers are there than they want replicas; we are content with
    the brokers there are, because a broker that is alone would otherwise never serve a group.
    """
    if name == CONSUMER_OFFSETS:
        return NewTopic(
            name,
            config.offsets_topic_num_partitions,
            min(config.offsets_topic_replication_factor, broker_count),
            configs={
                "cleanup.policy": "compact",
                "compression.type": "producer",
                "segment.bytes": str(config.offsets_topic_segment_bytes),
            },
        )
    if name == TRANSACTION_STATE:
        return NewTopic(
            name,
            config.transaction_state_log_num_partitions,
            min(config.transaction_state_log_replication_factor, broker_count),
            configs={
                "cleanup.policy": "compact",
                "compression.type": "uncompressed",
                "min.insync.replicas": str(config.transaction_state_log_min_isr),
                "segment.bytes": str(config.transaction_state_log_segment_bytes),
                "unclean.leader.election.enable": "false",
            },
        )
    return NewTopic(name)
