"""Znodes against the bytes that Apache Kafka wrote: golden.json, by compat_tests/znode_scenario.py."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirebroker.config.endpoints import Listener
from wirebroker.model import TopicPartition
from wirebroker.zookeeper.errors import CorruptZnode
from wirebroker.zookeeper.znodes import admin, brokers, cluster, configs, notifications, topics
from wirebroker.zookeeper.znodes.brokers import BrokerInfo
from wirebroker.zookeeper.znodes.configs import ConfigEntity
from wirebroker.zookeeper.znodes.topics import LeaderIsrAndControllerEpoch as State
from wirebroker.zookeeper.znodes.topics import ReplicaAssignment, TopicAssignment

if TYPE_CHECKING:
    from collections.abc import Callable

GOLDEN: Final[dict[str, dict[str, list[str]]]] = json.loads((Path(__file__).parent / "golden.json").read_text())
NEWEST: Final = "3.9.1"
P: Final = TopicPartition("t", 3)


class Codec(NamedTuple):
    """How the data of a path are decoded, and the result encoded again."""

    decode: Callable[[str, bytes], Any]
    encode: Callable[[Any], bytes]


def name(path: str) -> str:
    return path.rpartition("/")[2]


def config_entity(path: str) -> ConfigEntity:
    parts = path.split("/")[2:]
    return ConfigEntity(parts[0], parts[1], parts[3] if len(parts) > 3 else None)


def state_partition(path: str) -> TopicPartition:
    return TopicPartition(path.split("/")[3], int(path.split("/")[5]))


CODECS: Final = {
    "/brokers/ids/": Codec(lambda path, data: BrokerInfo.decode(int(name(path)), data), BrokerInfo.encode),
    "/brokers/topics/words/partitions/": Codec(
        lambda path, data: State.decode(state_partition(path), data),
        State.encode,
    ),
    "/brokers/topics/": Codec(lambda path, data: TopicAssignment.decode(name(path), data), TopicAssignment.encode),
    "/controller_epoch": Codec(lambda _, data: cluster.decode_controller_epoch(data), cluster.encode_controller_epoch),
    "/controller": Codec(lambda _, data: cluster.Controller.decode(data), cluster.Controller.encode),
    "/cluster/id": Codec(lambda _, data: cluster.decode_cluster_id(data), cluster.encode_cluster_id),
    "/latest_producer_id_block": Codec(
        lambda _, data: cluster.ProducerIdBlock.decode(data), cluster.ProducerIdBlock.encode
    ),
    "/config/changes/": Codec(configs.decode_config_change, configs.encode_config_change),
    "/config/": Codec(configs.decode_config, configs.encode_config),
    "/isr_change_notification/": Codec(notifications.decode_isr_change, notifications.encode_isr_change),
    "/log_dir_event_notification/": Codec(notifications.decode_log_dir_failure, notifications.encode_log_dir_failure),
    "/admin/reassign_partitions": Codec(lambda _, data: admin.decode_reassignment(data), admin.encode_reassignment),
}
"""The first prefix that fits a path has its codec."""
REWRITTEN: Final = (
    "/brokers/topics/words",
    "/brokers/topics/gone",
    "/brokers/ids/",
    "/controller",
    "/config/topics/words",
)
"""Of older releases: this broker writes the fields or the order of 3.9."""


def samples() -> list[tuple[str, str, str]]:
    return [
        (release, path, text)
        for release, paths in GOLDEN.items()
        for path, texts in paths.items()
        for text in texts
        if text and path != "/feature" and not path.startswith("/brokers/topics/gone/")
    ]


def codec_of(path: str) -> Codec:
    return next(codec for prefix, codec in CODECS.items() if path.startswith(prefix))


@pytest.mark.parametrize(("release", "path", "text"), samples())
def test_what_kafka_wrote_is_decoded_and_encoded_to_the_same_bytes(release: str, path: str, text: str) -> None:
    codec = codec_of(path)
    value = codec.decode(path, text.encode())
    encoded = codec.encode(value)
    if release == NEWEST or not path.startswith(REWRITTEN):
        assert encoded.decode() == text
    else:
        assert codec.decode(path, encoded) == value
        before, after = json.loads(text), json.loads(encoded)
        assert before == after or before.items() <= (after | {"version": before["version"]}).items()


def test_the_samples_have_every_kind_of_znode() -> None:
    found = {prefix for prefix in CODECS for _, path, _ in samples() if codec_of(path) is CODECS[prefix]}
    assert found == set(CODECS)


@pytest.mark.parametrize(
    ("release", "status", "version"), [("2.8.2 at 2.6", False, 1), ("2.8.2", True, 1), (NEWEST, True, 2)]
)
def test_features_are_enabled_from_protocol_2_7_on(release: str, status: bool, version: int) -> None:
    (text,) = GOLDEN[release]["/feature"]
    assert cluster.FinalizedFeatures.decode(text.encode()) == (status, {}, version)
    assert cluster.FinalizedFeatures(status, {}, version).encode().decode() == text


@pytest.mark.parametrize("version", [1, 2])
def test_levels_of_features_survive_both_formats(version: int) -> None:
    features = cluster.FinalizedFeatures(True, {"group.version": 1, "transaction.version": 2}, version)
    assert cluster.FinalizedFeatures.decode(features.encode()) == features
    levels = json.loads(features.encode())["features"]["transaction.version"]
    assert levels == {"max_version_level": 2} | ({"min_version_level": 2} if version == 1 else {})


def test_persistent_paths_are_those_that_kafka_creates_without_data() -> None:
    created = {path for path, texts in GOLDEN[NEWEST].items() if texts[0] == ""}
    assert set(cluster.PERSISTENT_PATHS) - created == set()


@pytest.mark.parametrize(
    ("text", "endpoints"),
    [
        (
            '{"version":1,"host":"h","port":9092,"jmx_port":9999,"timestamp":"1"}',
            [("PLAINTEXT", "PLAINTEXT", "h", 9092)],
        ),
        (
            '{"version":2,"host":"h","port":1,"jmx_port":9,"timestamp":"1","endpoints":["PLAINTEXT://h:1","SSL://[::1]:2"]}',
            [("PLAINTEXT", "PLAINTEXT", "h", 1), ("SSL", "SSL", "::1", 2)],
        ),
        (
            '{"version":4,"host":null,"port":-1,"jmx_port":9,"timestamp":"1","endpoints":["IN://h:1"],'
            '"listener_security_protocol_map":{"IN":"SASL_SSL"},"rack":"r","later":[1]}',
            [("IN", "SASL_SSL", "h", 1)],
        ),
    ],
)
def test_registrations_of_all_versions(text: str, endpoints: list[tuple[str, str, str, int]]) -> None:
    assert list(BrokerInfo.decode(1, text.encode()).endpoints) == endpoints


def test_a_registration_without_a_plaintext_listener_has_no_host() -> None:
    info = BrokerInfo(5, (Listener("IN", "SSL", "::1", 9), Listener("OUT", "SASL_SSL", "h", 10)), timestamp_ms=3)
    fields = json.loads(info.encode())
    assert (fields["host"], fields["port"]) == (None, -1)
    assert fields["endpoints"] == ["IN://[::1]:9", "OUT://h:10"]
    assert BrokerInfo.decode(5, info.encode()) == info


def test_a_recovering_leader_is_written_only_while_it_recovers() -> None:
    state = State(1, 2, (1,), 3, is_recovering=True)
    assert state.encode() == (  # in the order in which 3.9.1 writes the fields
        b'{"controller_epoch":3,"leader":1,"version":1,"leader_recovery_state":1,"leader_epoch":2,"isr":[1]}'
    )
    assert State.decode(P, state.encode()) == state
    assert b"recovery" not in state._replace(is_recovering=False).encode()


@pytest.mark.parametrize(
    ("text", "entity"),
    [
        ('{"version":1,"entity_type":"topics","entity_name":"t"}', ConfigEntity("topics", "t")),
        ('{"version":2,"entity_path":"users/<default>/clients/c%2F"}', ConfigEntity("users", "<default>", "c%2F")),
        ('{"version":2,"entity_path":"ips/1.2.3.4","more":0}', ConfigEntity("ips", "1.2.3.4")),
    ],
)
def test_config_changes_of_both_versions(text: str, entity: ConfigEntity) -> None:
    assert configs.decode_config_change("/config/changes/x", text.encode()) == entity


@pytest.mark.parametrize(
    ("decode", "data", "problem"),
    [
        (lambda data: BrokerInfo.decode(1, data), b"{", "znode /brokers/ids/1 is corrupt: b'{' is not JSON"),
        (lambda data: BrokerInfo.decode(1, data), None, "it is empty"),
        (lambda data: BrokerInfo.decode(1, data), b"[]", "not a JSON object"),
        (lambda data: BrokerInfo.decode(1, data), b'{"version":0}', "version 0 is not supported"),
        (
            lambda data: BrokerInfo.decode(1, data),
            b'{"version":4,"endpoints":["x"],"timestamp":"1"}',
            "'x' is not NAME",
        ),
        (lambda data: TopicAssignment.decode("t", data), b'{"partitions":{"a":[1]}}', "partition 'a' is not a number"),
        (lambda data: TopicAssignment.decode("t", data), b'{"partitions":{"0":["1"]}}', "not a list of integers"),
        (lambda data: TopicAssignment.decode("t", data), b'{"topic_id":"short"}', "not 22 characters"),
        (
            lambda data: State.decode(P, data),
            b'{"leader":true}',
            "leader is True, not an integer",
        ),
        (lambda data: State.decode(P, data), b'{"leader":1}', "leader_epoch is missing"),
        (cluster.decode_controller_epoch, b"one", "b'one' is not a number"),
        (cluster.ProducerIdBlock.decode, b"", "it is empty"),
        (cluster.ProducerIdBlock.decode, b"[" * 100_000, "is not JSON"),
        (cluster.FinalizedFeatures.decode, b'{"version":3}', "version 3 is not supported"),
        (lambda data: configs.decode_config_change("/c", data), b'{"version":3}', "version 3 is not supported"),
        (
            lambda data: configs.decode_config_change("/c", data),
            b'{"version":2,"entity_path":"x/y"}',
            "not the path of",
        ),
        (lambda data: configs.decode_config("/c", data), b'{"config":{"a":1}}', "a is 1, not a string"),
    ],
)
def test_corrupt_znodes_are_named_with_their_problem(decode: Any, data: bytes | None, problem: str) -> None:
    with pytest.raises(CorruptZnode) as caught:
        decode(data)
    assert problem in str(caught.value)


@given(st.dictionaries(st.integers(0, 99), st.lists(st.integers(0, 2**31 - 1), max_size=4).map(tuple)), st.data())
def test_assignments_round_trip(replicas: dict[int, tuple[int, ...]], data: st.DataObject) -> None:
    lists = st.lists(st.integers(0, 9), max_size=2).map(tuple)
    partitions = {
        number: ReplicaAssignment(each, data.draw(lists), data.draw(lists)) for number, each in replicas.items()
    }
    assignment = TopicAssignment("t", data.draw(st.none() | st.binary(min_size=16, max_size=16)), partitions)
    assert TopicAssignment.decode("t", assignment.encode()) == assignment


@given(st.text())
def test_names_of_users_are_sanitized_both_ways(user: str) -> None:
    if "\ud800" <= max(user, default="") <= "\udfff":
        return  # a lone surrogate has no UTF-8
    sanitized = configs.sanitize(user)
    assert "/" not in sanitized
    assert configs.desanitize(sanitized) == user


@given(st.binary(max_size=60))
def test_arbitrary_bytes_are_decoded_or_corrupt(data: bytes) -> None:
    for path in (
        "/brokers/ids/1",
        "/brokers/topics/t",
        "/config/topics/t",
        "/isr_change_notification/x",
        "/controller",
    ):
        try:
            codec_of(path).decode(path, data)
        except CorruptZnode:
            pass


def test_paths() -> None:
    assert topics.partition_state_path(P) == "/brokers/topics/t/partitions/3/state"
    assert brokers.broker_path(7) == "/brokers/ids/7"
    assert admin.delete_topic_path("t") == "/admin/delete_topics/t"
    assert ConfigEntity("users", "u", "c").path == "/config/users/u/clients/c"
