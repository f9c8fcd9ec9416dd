"""inter.broker.protocol.version: Kafka's parsing rules, and the requests of well-known releases."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirebroker.config.inter_broker_protocol import PROTOCOLS, InterBrokerProtocol
from wirebroker.config.values import ConfigError, inter_broker_protocol

PARSED = [
    ("2.0", "2.0-IV1"),
    ("2.0-IV0", "2.0-IV0"),
    ("2.0.1", "2.0-IV1"),
    ("2.8.2", "2.8-IV1"),
    ("3.9", "3.9-IV0"),
    ("2.8.0-IV0", "2.8-IV1"),  # Kafka ignores all that follows the second number
    ("0.11.0", "0.11.0-IV2"),
    ("0.11.0.2", "0.11.0-IV2"),
    ("0.9.0.1", "0.9.0"),
    ("3.3-IV2", "3.3-IV2"),
]


@pytest.mark.parametrize(("text", "name"), PARSED)
def test_parsing(text: str, name: str) -> None:
    assert InterBrokerProtocol(text).name == name
    assert inter_broker_protocol(text) is None


@pytest.mark.parametrize("text", ["", "2", "9.9", "2.9", "0.12.0", "0.11", "2.0-IV7", "4.0", "2.8 ", "x"])
def test_unknown_versions_are_refused_with_kafkas_message(text: str) -> None:
    with pytest.raises(ConfigError, match="is not a valid version"):
        InterBrokerProtocol(text)
    assert inter_broker_protocol(text) == f"Version {text} is not a valid version"


VERSIONS = [
    # LeaderAndIsr, UpdateMetadata, StopReplica, ControlledShutdown, Fetch, OffsetForLeaderEpoch, ListOffsets, markers
    ("0.8.2", (0, 0, 0, 0, 0, 0, 0, 0)),
    ("0.11.0", (0, 3, 0, 1, 5, 0, 2, 0)),
    ("2.0", (1, 4, 0, 1, 8, 1, 3, 0)),
    ("2.1-IV1", (1, 4, 0, 1, 8, 2, 4, 0)),
    ("2.3", (2, 5, 1, 2, 11, 3, 5, 0)),
    ("2.6", (4, 6, 3, 3, 11, 3, 5, 0)),
    ("2.7-IV1", (4, 6, 3, 3, 12, 3, 5, 0)),
    ("2.8", (5, 7, 3, 3, 12, 4, 6, 1)),
    ("3.2", (6, 7, 3, 3, 13, 4, 7, 1)),
    ("3.5-IV0", (7, 8, 4, 3, 14, 4, 8, 1)),
    ("3.9", (7, 8, 4, 3, 17, 4, 9, 1)),
]


@pytest.mark.parametrize(("text", "versions"), VERSIONS)
def test_request_versions(text: str, versions: tuple[int, ...]) -> None:
    protocol = InterBrokerProtocol(text)
    assert versions == (
        protocol.leader_and_isr_version,
        protocol.update_metadata_version,
        protocol.stop_replica_version,
        protocol.controlled_shutdown_version,
        protocol.fetch_version,
        protocol.offset_for_leader_epoch_version,
        protocol.list_offsets_version,
        protocol.write_txn_markers_version,
    )


FEATURES = [
    ("0.11.0-IV2", "offset_for_leader_epoch_supported"),
    ("2.2-IV0", "broker_epoch_supported"),
    ("2.7-IV0", "feature_versioning_supported"),
    ("2.7-IV1", "truncation_on_fetch_supported"),
    ("2.7-IV2", "alter_partition_supported"),
    ("2.8-IV0", "topic_ids_supported"),
    ("3.0-IV0", "allocate_producer_ids_supported"),
    ("3.2-IV0", "leader_recovery_supported"),
    ("3.4-IV0", "api_forwarding_supported"),
]


@pytest.mark.parametrize(("first", "feature"), FEATURES)
def test_features_begin_at_one_version(first: str, feature: str) -> None:
    assert next(name for name in PROTOCOLS if getattr(InterBrokerProtocol(name), feature)) == first
    before = PROTOCOLS[PROTOCOLS.index(first) - 1]
    assert not getattr(InterBrokerProtocol(before), feature)


@given(st.sampled_from(PROTOCOLS), st.sampled_from(PROTOCOLS))
def test_versions_are_in_the_order_of_their_releases(one: str, other: str) -> None:
    first, second = InterBrokerProtocol(one), InterBrokerProtocol(other)
    assert (first < second) == (PROTOCOLS.index(one) < PROTOCOLS.index(other))
    assert (first == second) == (one == other)
    assert first.is_at_least(other) == (first >= second)
    if first <= second:
        assert first.fetch_version <= second.fetch_version
        assert first.leader_and_isr_version <= second.leader_and_isr_version
