"""Records that a topic refuses, beside Apache Kafka of each release: those without a key, and those that are too old.

A compacted topic answers a missing key with code 2 before 2.4 and 87 from there on.  Asked are all versions of Produce
with the three message formats, compressed or not.
"""

from __future__ import annotations

import itertools
import time
from typing import TYPE_CHECKING, NamedTuple

import pytest

from compat_tests.broker import Wirebroker
from compat_tests.conftest import wait_until
from compat_tests.kafka_requests import produce
from compat_tests.test_as_version import apache_kafka_of, ask
from compat_tests.versions import KAFKA, KAFKA_4, OLD_KAFKA, OLDEST_KAFKA
from compat_tests.wire import Wire
from wirebroker.protocol.api import ApiKey
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.create_topics import CreatableTopic, CreatableTopicConfig, CreateTopicsRequest
from wirebroker.protocol.messages.list_offsets import ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic
from wirebroker.record.builder import build_batch
from wirebroker.record.compression import Codec, Compression
from wirebroker.record.record_batch import Record
from wirebroker.tests.record.legacy_message_sets import message_set
from wirebroker.tests.record.produce_cases import NOW_MS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from compat_tests.broker import Broker
    from tools.jvm.kafka import KafkaDist

LATEST = -1
_FORMAT_2 = 3
"""The first version of Produce that carries batches of format 2."""
COMPACTED = ("compact", "compact-delete")


def topics_of(version: str) -> dict[str, dict[str, str]]:
    """The topics and their settings in release *version*."""
    hour = {"message.timestamp.difference.max.ms": "3600000"}
    if version.startswith("4."):
        hour = {"message.timestamp.before.max.ms": "3600000", "message.timestamp.after.max.ms": "3600000"}
    policies = {topic: {"cleanup.policy": topic.replace("-", ",")} for topic in (*COMPACTED, "delete")}
    return policies | {"an-hour": hour}


KEYS: dict[str, tuple[bytes | None, ...]] = {
    "a key": (b"k",),
    "an empty key": (b"",),
    "no key": (None,),
    "the second of three without a key": (b"a", None, b"c"),
}


class Answer(NamedTuple):
    """The answer to a client about its records."""

    code: ErrorCode
    base_offset: int
    log_start_offset: int
    at_fault: tuple[int, ...]
    """The indexes in the batch, from version 8 on (KIP-467)."""
    says_why: bool
    end_offset: int
    """The log end offset afterwards."""


Case = tuple[str, str, str, int]
"""Topic, keys, codec, version of Produce."""


def records(magic: int, keys: tuple[bytes | None, ...], codec: Codec) -> bytes:
    """A record for each of *keys* in one batch, or in one message set of format 0 or 1."""
    if magic < 2:
        return message_set(magic, codec, [(key, b"v") for key in keys])
    made = [Record(number, NOW_MS, key, b"v", []) for number, key in enumerate(keys)]
    return build_batch(made, compression=Compression(codec))


def answers(broker: Broker, release: str) -> Iterator[tuple[Case, Answer]]:
    """Produce every case, and yield it with its answer."""
    wait_until(lambda: ask(broker, 0) is not None)
    versions = {each.api_key: each for each in ask(broker, 0).api_keys}
    offsets_at = min(1, versions[ApiKey.LIST_OFFSETS].max_version)
    oldest = _FORMAT_2 if release.startswith("4.") else 0  # which lists older ones for librdkafka, and serves none
    newest = min(9, versions[ApiKey.PRODUCE].max_version)
    with Wire(broker.host, broker.port) as wire:
        for topic, settings in topics_of(release).items():
            create(wire, topic, settings, min(4, versions[ApiKey.CREATE_TOPICS].max_version))
            cases = itertools.product(KEYS, (Codec.NONE, Codec.GZIP), range(oldest, newest + 1))
            for label, codec, version in cases:
                magic = 2 if version >= _FORMAT_2 else version // 2
                request = produce(topic, records(magic, KEYS[label], codec), acks=1)
                told = wire.ask(request, version).responses[0].partition_responses[0]
                at_fault = tuple(each.batch_index for each in told.record_errors)
                code, end = ErrorCode(told.error_code), end_offset(wire, topic, offsets_at)
                answer = Answer(code, told.base_offset, told.log_start_offset, at_fault, bool(told.error_message), end)
                yield (topic, label, codec.name, version), answer


def create(wire: Wire, topic: str, settings: Mapping[str, str], version: int) -> None:
    """Create a topic of one partition, and wait until it has a leader."""
    configs = [CreatableTopicConfig(*setting) for setting in settings.items()]
    wanted = CreateTopicsRequest([CreatableTopic(topic, 1, 1, [], configs)], 50_000)
    there = (ErrorCode.NONE, ErrorCode.TOPIC_ALREADY_EXISTS)
    wait_until(lambda: wire.ask(wanted, version).topics[0].error_code in there)
    recent = build_batch([Record(0, int(time.time() * 1000), b"k", b"v", [])])
    good = produce(topic, recent, acks=1)
    wait_until(lambda: not wire.ask(good, _FORMAT_2).responses[0].partition_responses[0].error_code)


def end_offset(wire: Wire, topic: str, version: int) -> int:
    request = ListOffsetsRequest(replica_id=-1, topics=[ListOffsetsTopic(topic, [ListOffsetsPartition(0, -1, LATEST)])])
    (partition,) = wire.ask(request, version).topics[0].partitions
    assert not partition.error_code
    return int(partition.offset)


@pytest.mark.parametrize(
    "version", [OLDEST_KAFKA, OLD_KAFKA, *(pytest.param(each, marks=pytest.mark.nightly) for each in (KAFKA, KAFKA_4))]
)
def test_answers_are_the_release_s(kafka_dist: Callable[[str], KafkaDist], tmp_path: Path, version: str) -> None:
    with apache_kafka_of(kafka_dist(version), tmp_path) as kafka:
        theirs = dict(answers(kafka, version))
    with Wirebroker(tmp_path / "wirebroker", options=["--as-version", version]) as broker:
        ours = dict(answers(broker, version))
    assert {case: (ours[case], answer) for case, answer in theirs.items() if ours[case] != answer} == {}
    assert ours.keys() == theirs.keys()
    codes = {(topic, label): answer.code for (topic, label, _, at), answer in theirs.items() if at >= _FORMAT_2}
    no_key = ErrorCode.CORRUPT_MESSAGE if version == OLDEST_KAFKA else ErrorCode.INVALID_RECORD
    expected = {(topic, label): no_key for topic in COMPACTED for label, keys in KEYS.items() if None in keys}
    expected |= {("an-hour", label): ErrorCode.INVALID_TIMESTAMP for label in KEYS}
    assert {case: code for case, code in codes.items() if code} == expected
