"""The settings of a broker with `zookeeper.connect`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from wirebroker.config.load import load
from wirebroker.config.values import ConfigError

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


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        (("broker.id=-2",), "broker.id=-2: an id that is given is -1 to 1000; higher ones are generated"),
        (("broker.id=1001",), "broker.id=1001: an id that is given is -1 to 1000; higher ones are generated"),
        (("node.id=6", "reserved.broker.max.id=5"), "broker.id=6: an id that is given is -1 to 5;"),
        (("broker.id=-1", "broker.id.generation.enable=false"), "broker.id=-1: an id that is given is 0 or more"),
    ],
)
def test_an_id_of_an_operator_is_none_of_those_that_are_generated(settings: tuple[str, ...], reason: str) -> None:
    with pytest.raises(ConfigError, match=reason):
        config_of(*settings)


@pytest.mark.parametrize(
    "settings", [("broker.id=-1",), ("broker.id=1000",), ("broker.id=1001", "broker.id.generation.enable=false")]
)
def test_ids_that_an_operator_may_give(settings: tuple[str, ...]) -> None:
    broker_id = int(settings[0].partition("=")[2])
    assert config_of(*settings).node_id == broker_id


LISTENERS = (
    "listeners=PLAINTEXT://:9092,CTRL://:9093",
    "listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CTRL:PLAINTEXT",
)


def test_the_controller_has_a_listener_of_its_own_if_one_is_named() -> None:
    assert config_of(*LISTENERS).control_plane_listener is None
    config = config_of(*LISTENERS, "control.plane.listener.name=ctrl")
    assert (config.control_plane_listener, config.inter_broker_listener) == ("CTRL", "PLAINTEXT")
    alone = load(sets=[*LISTENERS, "control.plane.listener.name=CTRL"]).config
    assert alone.control_plane_listener is None, "a broker without ZooKeeper is its own controller"


@pytest.mark.parametrize(
    ("name", "reason"),
    [("OTHER", "there is no such listener"), ("PLAINTEXT", "that is the listener for other brokers")],
)
def test_the_listener_of_the_controller_exists_and_is_not_that_of_brokers(name: str, reason: str) -> None:
    with pytest.raises(ConfigError, match=f"control.plane.listener.name={name}: {reason}"):
        config_of(*LISTENERS, f"control.plane.listener.name={name}")
