"""The settings of a broker with `zookeeper.connect`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.config.load import load

if TYPE_CHECKING:
    from wirebroker.config.server import BrokerConfig


def config_of(*sets: str) -> BrokerConfig:
    return load(sets=["zookeeper.connect=a:1,b:2/kafka", *sets]).config


def test_defaults_are_those_of_apache_kafka() -> None:
    config = config_of()
    assert (config.in_cluster, config.node_id, config.log_dirs) == (True, -1, ("/tmp/kafka-logs",))
    assert [str(each) for each in config.listeners] == ["PLAINTEXT://:9092"]
    assert (config.offsets_topic_replication_factor, config.transaction_state_log_min_isr) == (3, 2)
    assert config.inter_broker_protocol.name == "3.9-IV0"
    assert config.release_profile.transaction_version == 0


def test_the_id_that_is_found_or_generated_is_the_one_of_both_names() -> None:
    config = config_of().with_broker_id(1001, "meta.properties")
    assert (config.node_id, config.value("broker.id"), config.value("node.id")) == (1001, 1001, 1001)
