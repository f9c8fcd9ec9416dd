"""Configs altered at an Apache Kafka broker and at wirebrokers by turns: each change keeps those made before it."""

from __future__ import annotations

import json
from contextlib import contextmanager
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from compat_tests.cluster.mixed_cluster import MixedCluster
from compat_tests.cluster.zookeeper_client import zookeeper_client
from compat_tests.conftest import wait_until
from compat_tests.test_configs import BROKER, SET, TOPIC, ask, describe, known
from compat_tests.versions import KAFKA, OLD_KAFKA
from wirebroker.protocol.messages import incremental_alter_configs as incremental
from wirebroker.protocol.messages.alter_client_quotas import (
    AlterClientQuotasRequest,
    OpData,
    RequestEntityData,
    RequestEntryData,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from compat_tests.broker import Broker, Wirebroker
    from tools.jvm.kafka import KafkaDist

THEIRS, OURS, OTHER_OF_OURS = 0, 1, 2
KEYS = ("retention.ms", "max.message.bytes", "segment.bytes")
"""The key that each broker sets for a topic."""
BROKER_KEYS = ("log.retention.ms", "message.max.bytes", "log.segment.bytes")
QUOTAS = ("producer_byte_rate", "consumer_byte_rate", "controller_mutation_rate")
OWN = {"min.insync.replicas": "1", "cleanup.policy": "compact"}
"""The settings that topics are created with."""
ROUNDS = 5


def set_config(broker: Broker, kind: int, name: str, key: str, value: int) -> None:
    resource = incremental.AlterConfigsResource(kind, name, [incremental.AlterableConfig(key, SET, str(value))])
    (answer,) = ask(broker, incremental.IncrementalAlterConfigsRequest([resource]), 1).responses
    assert (answer.error_code, answer.error_message or "") == (0, "")


def set_quota(broker: Broker, client_id: str, quota: str, limit: int) -> None:
    entry = RequestEntryData([RequestEntityData("client-id", client_id)], [OpData(quota, limit)])
    (answer,) = ask(broker, AlterClientQuotasRequest([entry]), 0).entries
    assert answer.error_code == 0


@pytest.mark.parametrize("version", [OLD_KAFKA, pytest.param(KAFKA, marks=pytest.mark.nightly)])
def test_changes_at_brokers_by_turns_are_all_in_zookeeper(
    kafka_dist: Callable[[str], KafkaDist], tmp_path: Path, version: str
) -> None:
    """No broker waits until it hears of the change before; no wirebroker has a replica of "theirs"."""
    with MixedCluster(tmp_path, kafka_dist(version)) as cluster, znodes_of(cluster) as settings_at:
        brokers: list[Broker] = [cluster.kafka(THEIRS), cluster.wirebroker(OURS), cluster.wirebroker(OTHER_OF_OURS)]
        cluster.await_brokers(THEIRS, OURS, OTHER_OF_OURS)
        for topic, replicas in (("theirs", (THEIRS,)), ("ours", (OURS, THEIRS))):
            cluster.create_topic(topic, {0: replicas}, OWN)
            wait_until(lambda topic=topic: all(known(each, topic) for each in brokers))  # type: ignore[misc]  # bound
            for broker in brokers:
                assert settings_of(broker, topic).items() >= OWN.items()
        for round_ in range(ROUNDS):
            value = 1_000_000 + round_
            for topic in ("theirs", "ours"):
                for broker, key in zip(brokers, KEYS, strict=True):
                    set_config(broker, TOPIC, topic, key, value)
                wanted = OWN | dict.fromkeys(KEYS, str(value))
                assert settings_at(f"topics/{topic}") == wanted
                for broker in brokers:
                    assert settings_of(broker, topic) == wanted
            for broker, key in zip(brokers, BROKER_KEYS, strict=True):
                set_config(broker, BROKER, "", key, value)
            assert settings_at("brokers/<default>") == dict.fromkeys(BROKER_KEYS, str(value))
            for broker, quota in zip(brokers, QUOTAS, strict=True):
                set_quota(broker, "c", quota, value)
            quotas = {quota: float(limit) for quota, limit in settings_at("clients/c").items()}
            assert quotas == dict.fromkeys(QUOTAS, float(value))


def test_changes_at_two_brokers_at_once_are_all_in_zookeeper(
    kafka_dist: Callable[[str], KafkaDist], tmp_path: Path
) -> None:
    with MixedCluster(tmp_path, kafka_dist(OLD_KAFKA)) as cluster, znodes_of(cluster) as settings_at:
        brokers = [cluster.wirebroker(each) for each in (OURS, OTHER_OF_OURS)]
        cluster.await_brokers(OURS, OTHER_OF_OURS)
        cluster.create_topic("t", {0: (OURS,)})
        wait_until(lambda: all(known(each, "t") for each in brokers))

        def alter(broker: Wirebroker, key: str) -> None:
            for value in range(1_000_000, 1_000_020):
                set_config(broker, TOPIC, "t", key, value)

        for _ in range(ROUNDS):
            threads = [Thread(target=alter, args=each) for each in zip(brokers, KEYS[:2], strict=True)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert settings_at("topics/t") == dict.fromkeys(KEYS[:2], "1000019")


def settings_of(broker: Broker, topic: str) -> dict[str, str]:
    """The settings of a topic that a broker describes, without defaults."""
    return {each.name: each.value for each in describe(broker, TOPIC, topic, 1).configs if each.config_source == 1}


@contextmanager
def znodes_of(cluster: MixedCluster) -> Iterator[Callable[[str], dict[str, str]]]:
    """A function that returns the settings in a znode below /config."""
    with zookeeper_client(cluster.zookeeper.connect) as client:

        def settings_at(path: str) -> dict[str, str]:
            found: dict[str, str] = json.loads(client.get(f"/config/{path}")[0])["config"]
            return found

        yield settings_at
