"""The APIs that a member of a ZooKeeper cluster lists beside Apache Kafka 3.9, the refusals among their answers, and
the SCRAM credentials that either of them has written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from compat_tests.cluster.mixed_cluster import MixedCluster
from compat_tests.conftest import wait_until
from compat_tests.versions import KAFKA
from compat_tests.wire import Wire
from tools.codegen.codecs import message_class
from wirebroker.protocol.messages.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    ScramCredentialDeletion,
    ScramCredentialUpsertion,
)
from wirebroker.protocol.messages.api_versions import ApiVersionsRequest
from wirebroker.protocol.messages.describe_user_scram_credentials import DescribeUserScramCredentialsRequest, UserName
from wirebroker.protocol.messages.update_features import FeatureUpdateKey

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from compat_tests.broker import Broker
    from tools.jvm.kafka import KafkaDist


def api_versions(broker: Broker) -> dict[int, tuple[int, int]]:
    with Wire(broker.host, broker.port) as wire:
        response = wire.ask(ApiVersionsRequest("test", "1"), 4)
    return {each.api_key: (each.min_version, each.max_version) for each in response.api_keys}


def refusals(broker: Broker) -> list[object]:
    """The codes of UpdateFeatures, ConsumerGroupHeartbeat and ConsumerGroupDescribe, and what is beside them; that of
    AlterUserScramCredentials, where the controller refuses it, too; whether an Envelope closes the connection."""

    def ask(name: str, version: int, **fields: Any) -> Any:
        return wire.ask(message_class(f"{name}Request")(**fields), version)

    with Wire(broker.host, broker.port) as wire:
        updated = [
            ask("UpdateFeatures", version, feature_updates=updates)
            for version in (0, 1)
            for updates in (
                [],
                [FeatureUpdateKey("metadata.version", 1)],
                [FeatureUpdateKey("a", 1), FeatureUpdateKey("b", 0)],
            )
        ]
        joined = ask("ConsumerGroupHeartbeat", 0, group_id="g", rebalance_timeout_ms=1000, subscribed_topic_names=["t"])
        described = ask("ConsumerGroupDescribe", 0, group_ids=["g", "h"])
        altered = wire.ask(AlterUserScramCredentialsRequest([ScramCredentialDeletion("none", 1)], []), 0)
        wire.send(message_class("EnvelopeRequest")(b"request", b"principal", bytes([127, 0, 0, 1])), 0)
        closes = wire.closed_by_peer()
    return [
        *((each.error_code, sorted((one.feature, one.error_code) for one in each.results)) for each in updated),
        (joined.error_code, joined.member_id, joined.member_epoch, joined.assignment),
        [(each.group_id, each.error_code, each.group_state, each.members) for each in described.groups],
        [(each.user, each.error_code) for each in altered.results],
        closes,
    ]


def alter_credentials(broker: Broker, deleted: Sequence[str] = ()) -> dict[str, tuple[int, str | None]]:
    """Set credentials, some of which are refused, or delete those of users; return user -> code and message."""
    deletions = [ScramCredentialDeletion(user, mechanism) for user in deleted for mechanism in (1, 2)]
    upsertions = [
        ScramCredentialUpsertion(user, mechanism, iterations, b"salt", b"p" * 32)
        for user, mechanism, iterations in (
            ("good", 1, 4096),
            ("good", 2, 8192),
            ("", 1, 4096),
            ("few", 1, 4095),
            ("many", 1, 16385),
            ("mechanism", 3, 4096),
            ("twice", 1, 4096),
            ("twice", 1, 4096),
        )
    ]
    request = AlterUserScramCredentialsRequest(deletions, [] if deleted else upsertions)
    with Wire(broker.host, broker.port) as wire:
        results = wire.ask(request, 0).results
    assert len({each.user for each in results}) == len(results)
    return {each.user: (each.error_code, each.error_message) for each in results}


def describe_credentials(broker: Broker) -> dict[str, tuple[int, str | None, list[tuple[int, int]]]]:
    """User -> code, message, and mechanisms with iterations: of users by name, and of all users."""
    found: dict[str, tuple[int, str | None, list[tuple[int, int]]]] = {}
    with Wire(broker.host, broker.port) as wire:
        for names in (["good", "none", "twice", "twice", ""], []):
            response = wire.ask(DescribeUserScramCredentialsRequest([UserName(name) for name in names]), 0)
            assert response.error_code == 0
            for each in response.results:
                infos = sorted((info.mechanism, info.iterations) for info in each.credential_infos)
                found.setdefault(each.user, (each.error_code, each.error_message, infos))
    return found


def test_lists_and_refusals_are_those_of_apache_kafka(kafka_dist: Callable[[str], KafkaDist], tmp_path: Path) -> None:
    with MixedCluster(tmp_path, kafka_dist(KAFKA)) as cluster:
        kafka = cluster.kafka(0)
        cluster.await_brokers(0)
        ours = cluster.wirebroker(1)
        cluster.await_brokers(0, 1)
        wait_until(lambda: all(cluster.controller_id(each) == 0 for each in (0, 1)))

        theirs = api_versions(kafka)
        assert api_versions(ours) == theirs

        altered = alter_credentials(kafka)  # the controller
        assert altered["good"] == (0, "")
        credentials = describe_credentials(kafka)
        assert credentials["good"] == (0, "", [(1, 4096), (2, 8192)])
        assert describe_credentials(ours) == credentials
        alter_credentials(kafka, ["good"])

        of_controller, of_other = refusals(kafka), refusals(ours)
        kafka.stop()
        wait_until(lambda: cluster.controller_id(1) == 1)
        assert refusals(ours) == of_controller
        assert alter_credentials(ours) == altered
        assert describe_credentials(ours) == credentials
        kafka.start()
        wait_until(lambda: cluster.controller_id(0) == 1)
        assert refusals(kafka) == of_other
        assert describe_credentials(kafka) == credentials  # which ours has written
