"""`--as-version`: API tables, features, errors and configs compared with Apache Kafka of six releases. Each release
is started once, asked, and stopped. APIs that wirebroker does not serve are listed with the reason; every other
difference is a failure.
"""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from compat_tests.conftest import unique_name, wait_until
from compat_tests.test_configs import DIFFERENT_BY_PLACE
from compat_tests.versions import KAFKA, KAFKA_4, NEWEST_KAFKA, OLD_KAFKA
from compat_tests.wire import Closed, Wire, request_header
from tools.jvm.kafka import KafkaBroker
from tools.jvm.zookeeper import ZooKeeper, ZooKeeperBroker
from wirebroker.config.registry import STANDALONE
from wirebroker.protocol.api import API, ApiKey
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse
from wirebroker.protocol.messages.create_topics import CreatableTopic, CreatableTopicConfig, CreateTopicsRequest
from wirebroker.protocol.messages.describe_configs import DescribeConfigsRequest, DescribeConfigsResource
from wirebroker.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from wirebroker.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from wirebroker.releases.api_versions import HISTORY
from wirebroker.releases.profile import ReleaseProfile
from wirebroker.tests.record.produce_cases import CASES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from compat_tests.broker import Broker, Wirebroker
    from tools.jvm.kafka import KafkaDist

TOPIC, BROKER = 2, 4
TOPIC_IS_THERE = (ErrorCode.NONE, ErrorCode.TOPIC_ALREADY_EXISTS)
COMPARED = ("2.0.1", OLD_KAFKA, KAFKA, pytest.param("4.0.0", marks=pytest.mark.nightly), KAFKA_4, NEWEST_KAFKA)

NOT_SERVED = {
    "between brokers and their controller": "4 5 6 7 52 53 54 56 58 59 62 63 67 70 73 82",
    "users with passwords": "51",
    "the KRaft quorum and its members": "55 64 80 81",
    "features of the cluster": "57",
    "the newer group protocols": "68 69 76 77 78 79 83 84 85 86 87 88 89 90 91 92",
    "client telemetry": "71 72",
}
"""Why wirebroker has no handler for an API that a release advertised."""
REASONS = {int(key): reason for reason, keys in NOT_SERVED.items() for key in keys.split()}

IN_THE_FILE = {
    *("log.cleaner.dedupe.buffer.size", "zookeeper.connect", "zookeeper.session.timeout.ms"),
    "broker.session.timeout.ms",
}
"""Settings that Apache Kafka is started with here: with ZooKeeper, and with a controller beside the broker."""
BY_FEATURE = {"min.insync.replicas"}
"""Where eligible leader replicas are in use (4.1), the cluster sets it, to the same value."""

Settings = dict[str, tuple[Any, ...]]


class ReleaseBehaviour(NamedTuple):
    """Everything in which releases differ for clients: tables, features, configs, errors."""

    tables: dict[int, dict[int, tuple[int, int]]]
    """Version of the ApiVersions request -> API key -> versions."""
    supported: dict[int, dict[str, tuple[int, int]]]
    finalized: dict[int, dict[str, int]]
    has_epoch: bool
    unknown_version: tuple[int, list[tuple[int, int, int]]] | None
    """Error and list that ApiVersions 99 is answered with; None for a closed connection."""
    broker_settings: dict[int, Settings]
    """Version of DescribeConfigs -> the answer for each key of the broker."""
    topic_settings: dict[int, Settings]
    topic_being_made: dict[int, int]
    """Version of Metadata -> the first error for a topic that the request creates."""
    below_min_isr: dict[tuple[str, int], int]
    """Batch and acks -> the error of Produce to a topic whose min.insync.replicas is above its replicas."""


Behaviours = tuple[str, ReleaseBehaviour, ReleaseBehaviour]
"""Version, Apache Kafka's, wirebroker's."""


def behaviour_of(broker: Broker) -> ReleaseBehaviour:
    behaviour = ReleaseBehaviour({}, {}, {}, False, None, {}, {}, {}, {})
    for version in ApiVersionsRequest.VERSIONS:
        try:
            answer = ask(broker, version)
        except Closed:
            continue
        if answer is None:
            continue
        behaviour.tables[version] = {e.api_key: (e.min_version, e.max_version) for e in answer.api_keys}
        if version >= 3:
            behaviour.supported[version] = {e.name: (e.min_version, e.max_version) for e in answer.supported_features}
            behaviour.finalized[version] = {e.name: e.max_version_level for e in answer.finalized_features}
            behaviour = behaviour._replace(has_epoch=answer.finalized_features_epoch >= 0)
    describe_settings(broker, behaviour)
    ask_for_new_topics(broker, behaviour)
    produce_below_min_isr(broker, behaviour)
    return behaviour._replace(unknown_version=refusal(broker))


def describe_settings(broker: Broker, behaviour: ReleaseBehaviour) -> None:
    """Ask for all settings of the broker and of a topic with two of its own, in every version that is served."""
    if not behaviour.tables:
        return
    table = behaviour.tables[0]
    low, high = table[ApiKey.CREATE_TOPICS]
    configs = [CreatableTopicConfig("segment.bytes", "2000000"), CreatableTopicConfig("cleanup.policy", "compact")]
    request = CreateTopicsRequest([CreatableTopic("t", 1, 1, [], configs)], 50_000)
    with Wire(broker.host, broker.port) as wire:
        wait_until(lambda: wire.ask(request, min(high, 5)).topics[0].error_code in TOPIC_IS_THERE)
    assert low <= min(high, 5)
    low, high = table[ApiKey.DESCRIBE_CONFIGS]
    for version in range(low, high + 1):
        for kind, name, found in ((BROKER, "0", behaviour.broker_settings), (TOPIC, "t", behaviour.topic_settings)):
            wait_until(lambda: described(broker, kind, name, version).error_code == 0)  # noqa: B023
            entries = described(broker, kind, name, version).configs
            found[version] = {entry.name: shown(entry, version) for entry in entries}


def ask_for_new_topics(broker: Broker, behaviour: ReleaseBehaviour) -> None:
    if not behaviour.tables:
        return
    low, high = behaviour.tables[0][ApiKey.METADATA]
    with Wire(broker.host, broker.port) as wire:
        for version in range(low, high + 1):
            request = MetadataRequest([MetadataRequestTopic(name=unique_name("new"))], allow_auto_topic_creation=True)
            behaviour.topic_being_made[version] = wire.ask(request, version).topics[0].error_code


def produce_below_min_isr(broker: Broker, behaviour: ReleaseBehaviour) -> None:
    if not behaviour.tables:
        return
    configs = [CreatableTopicConfig("min.insync.replicas", "2")]
    create = CreateTopicsRequest([CreatableTopic("two", 1, 1, [], configs)], 50_000)
    version = min(7, behaviour.tables[0][ApiKey.PRODUCE][1])
    batches = {case.name: case.records for case in CASES if case.name in ("good", "bad checksum")}
    with Wire(broker.host, broker.port) as wire:
        assert (
            wire.ask(create, min(4, behaviour.tables[0][ApiKey.CREATE_TOPICS][1])).topics[0].error_code
            in TOPIC_IS_THERE
        )

        def code(records: bytes, acks: int) -> int:
            data = [TopicProduceData("two", partition_data=[PartitionProduceData(0, memoryview(records))])]
            answer = wire.ask(ProduceRequest(None, acks, 10_000, data), version)
            error: int = answer.responses[0].partition_responses[0].error_code
            return error

        wait_until(lambda: code(batches["good"], 1) == ErrorCode.NONE)  # until it knows that it leads the topic
        for name, records in batches.items():
            for acks in (-1, 1):
                behaviour.below_min_isr[name, acks] = code(records, acks)


def described(broker: Broker, kind: int, name: str, version: int) -> Any:
    request = DescribeConfigsRequest([DescribeConfigsResource(kind, name, None)], include_synonyms=version > 0)
    with Wire(broker.host, broker.port) as wire:
        return wire.ask(request, version).results[0]


def shown(entry: Any, version: int) -> tuple[Any, ...]:
    """All but the documentation; of v0 not whether it is a default, which 2.8 and 3.9 always deny."""
    synonyms = [(each.name, each.value, each.source) for each in entry.synonyms]
    source = entry.config_source if version else None
    return entry.value, entry.read_only, entry.is_sensitive, entry.config_type, source, synonyms


def ask(broker: Broker, version: int) -> Any:
    """The answer to ApiVersions, None when it is an error."""
    with Wire(broker.host, broker.port) as wire:
        wire.send(ApiVersionsRequest("compat", "1.0"), version)
        frame = wire.receive_frame()
        if int.from_bytes(frame[4:6], "big", signed=True):
            return None
        answer, end = ApiVersionsResponse.read(frame, 4, version)
        assert end == len(frame)
        return answer


def refusal(broker: Broker) -> tuple[int, list[tuple[int, int, int]]] | None:
    with Wire(broker.host, broker.port) as wire:
        wire.send_frame(request_header(ApiKey.API_VERSIONS, 99, 1))
        try:
            frame = wire.receive_frame()
        except Closed:
            return None
        answer, end = ApiVersionsResponse.read(frame, 4, 0)
        assert end == len(frame)
        return answer.error_code, [(e.api_key, e.min_version, e.max_version) for e in answer.api_keys]


@contextmanager
def apache_kafka_of(dist: KafkaDist, directory: Path) -> Iterator[KafkaBroker]:
    """A broker of that release: with ZooKeeper where KRaft was not for production yet."""
    if ReleaseProfile(dist.version).is_zookeeper_era:
        with (
            ZooKeeper(dist, directory / "zookeeper") as zookeeper,
            ZooKeeperBroker(dist, directory / "kafka", zookeeper) as broker,
        ):
            yield broker
    else:
        with KafkaBroker(dist, directory / "kafka") as broker:
            yield broker


@pytest.fixture(scope="module", params=COMPARED)
def behaviours(
    request: pytest.FixtureRequest, kafka_dist: Callable[[str], KafkaDist], tmp_path_factory: pytest.TempPathFactory
) -> Behaviours:
    """(version, behaviour of Apache Kafka, behaviour of wirebroker with --as-version)."""
    from compat_tests.broker import Wirebroker

    version: str = request.param
    directory = tmp_path_factory.mktemp(f"as-{version}")
    with apache_kafka_of(kafka_dist(version), directory) as kafka:
        theirs = behaviour_of(kafka)
    with Wirebroker(directory / "wirebroker", {"wirebroker.as.version": version}) as broker:
        ours = behaviour_of(broker)
    return version, theirs, ours


def test_the_table_is_the_release_s(behaviours: Behaviours, show_at_the_end: Callable[[str, str], None]) -> None:
    version, theirs, ours = behaviours
    assert set(ours.tables) == set(theirs.tables), "other versions of ApiVersions are answered"
    for asked, table in theirs.tables.items():
        mine = ours.tables[asked]
        missing = sorted(set(table) - set(mine))
        if asked == max(theirs.tables):
            lines = [f"{key:>4} {API[key].name if key in API else '':28} {REASONS.get(key, '')}" for key in missing]
            title = f"as {version}: {len(mine)} of {len(table)} APIs; left out"
            show_at_the_end(title, "\n".join(lines))
        assert set(mine) - set(table) == set(), "APIs that the release did not have"
        assert [key for key in missing if key not in REASONS] == []
        for key, span in mine.items():
            assert span == table[key], API[key].name


def test_broker_settings_are_the_release_s(behaviours: Behaviours) -> None:
    version, theirs, ours = behaviours
    assert set(ours.broker_settings) == set(theirs.broker_settings)
    if version == NEWEST_KAFKA:
        pytest.skip("the newest settings in the registry are those of 4.1")
    for asked, real in theirs.broker_settings.items():
        mine = ours.broker_settings[asked]
        assert set(mine) - set(real) == {"wirebroker.as.version"}
        assert set(real) - set(mine) <= DIFFERENT_BY_PLACE
        different = {name for name in set(mine) & set(real) if mine[name] != real[name]}
        assert different <= DIFFERENT_BY_PLACE | set(STANDALONE) | IN_THE_FILE | BY_FEATURE
        for name in different:  # even there, all but the values is the same
            assert mine[name][1:4] == real[name][1:4]


def test_topic_settings_are_the_release_s(behaviours: Behaviours) -> None:
    version, theirs, ours = behaviours
    allowed = BY_FEATURE if version.startswith("4.") else set()
    assert set(ours.topic_settings) == set(theirs.topic_settings)
    for asked, real in theirs.topic_settings.items():
        mine = ours.topic_settings[asked]
        assert set(mine) == set(real)
        different = {name for name, entry in mine.items() if entry != real[name]}
        assert different <= allowed
        assert all(mine[name][0] == real[name][0] for name in different)


def test_features_are_the_release_s(behaviours: Behaviours) -> None:
    _, theirs, ours = behaviours
    assert (ours.supported, ours.finalized) == (theirs.supported, theirs.finalized)
    assert ours.has_epoch == theirs.has_epoch


def test_a_topic_being_created_has_the_error_of_the_release(
    behaviours: Behaviours,
) -> None:
    _, theirs, ours = behaviours
    assert ours.topic_being_made == theirs.topic_being_made


def test_acks_all_with_fewer_replicas_than_min_isr_is_answered_as_by_the_release(
    behaviours: Behaviours,
) -> None:
    version, theirs, ours = behaviours
    assert ours.below_min_isr == theirs.below_min_isr
    expected = ErrorCode.NONE if ReleaseProfile(version).limits_min_isr_to_replicas else ErrorCode.NOT_ENOUGH_REPLICAS
    assert theirs.below_min_isr["good", -1] == expected


def test_an_unknown_version_is_refused_as_by_the_release(
    behaviours: Behaviours,
) -> None:
    _, theirs, ours = behaviours
    assert ours.unknown_version == theirs.unknown_version


def test_reasons_are_given_only_for_apis_that_are_not_served(wirebroker: Wirebroker) -> None:
    served = set(behaviour_of(wirebroker).tables[0])
    assert sorted(served & set(REASONS)) == [], "served by now: take them out of NOT_SERVED"
    known = {int(token) for token in HISTORY.split() if token.isdecimal()}
    assert sorted(known - served - set(REASONS)) == []


@pytest.mark.parametrize("version", ["0.8.2", "0.9.0.1"])
def test_a_release_before_api_versions_hangs_up(start_wirebroker: Callable[..., Wirebroker], version: str) -> None:
    broker = start_wirebroker({"wirebroker.as.version": version})
    behaviour = behaviour_of(broker)
    assert (behaviour.tables, behaviour.unknown_version) == ({}, None)


def test_the_flag_and_a_version_that_is_none(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "wirebroker", "config", "print", "--as-version", "2.0.1"]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
    assert "wirebroker.as.version" in shown
    command = [sys.executable, "-m", "wirebroker", "start", "--data-dir", str(tmp_path / "d"), "--as-version", "7.5"]
    refused = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert refused.returncode == 1
    assert "no release of Apache Kafka" in refused.stderr
    assert not (tmp_path / "d").exists()
