"""Random requests to logs: records of all kinds, fetches, offsets, deletions, and settings of topics."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from compat_tests.kafka_requests import NOW, batch, fetch, list_offsets, produce
from compat_tests.random_requests.story import PARTITIONS, UNKNOWN_PARTITION
from wirebroker.protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from wirebroker.protocol.messages.describe_configs import DescribeConfigsRequest, DescribeConfigsResource
from wirebroker.protocol.messages.describe_producers import DescribeProducersRequest, TopicRequest
from wirebroker.protocol.messages.fetch import FetchPartition
from wirebroker.protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from wirebroker.protocol.messages.offset_for_leader_epoch import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderPartition,
    OffsetForLeaderTopic,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from compat_tests.comparison import Side
    from compat_tests.random_requests.story import Story
    from wirebroker.protocol.messages.fetch import FetchRequest
    from wirebroker.protocol.messages.produce import ProduceRequest

_TOPIC: Final = 2
_DELETE: Final = 1
_ZSTD: Final = 4
_ZSTD_SINCE: Final = 7
_ISOLATION_SINCE: Final = 2
_TIMES_MS: Final = (0, 0, 1000, -5000, 100_000, -2_000_000, 5_000_000)
_SETTINGS: Final = (
    ("max.message.bytes", ("300", "1000000", "-1")),
    ("segment.bytes", ("1000", "100", "5000")),
    ("message.timestamp.type", ("CreateTime", "LogAppendTime")),
    ("compression.type", ("gzip", "producer", "zstd", "bad")),
    ("retention.ms", ("-1", "100000000")),
    ("cleanup.policy", ("delete", "compact", "compact,delete", "bad")),
    ("min.insync.replicas", ("1", "2", "0")),
    ("bad", ("1",)),
)
_APPLIED_S: Final = 0.05
"""A KRaft broker follows its controller; what it answers meanwhile is by chance."""


class LogRequests:
    """Requests to the logs of a story's topics."""

    def __init__(self, story: Story) -> None:
        self._story = story
        self.weights: dict[Callable[[], None], int] = {
            story.create_topic: 1,
            self.produce: 30,
            self.fetch: 14,
            self.list_offsets: 10,
            self.delete_records: 3,
            self.end_of_epoch: 3,
            self.alter_topic: 3,
            self.describe_topic: 1,
        }

    def produce(self) -> None:
        """One batch, also out of sequence or with an old epoch."""
        story, one_of = self._story, self._story.one_of
        topic, partition, version = story.topic(), story.partition(), story.rng.randint(3, 11)
        count = one_of((1, 1, 2, 5, 12))
        values = [b"v" * one_of((1, 5, 30)) for _ in range(count)]
        codec = one_of((0, 0, 0, 1, 2, 3, _ZSTD) if version >= _ZSTD_SINCE else (0, 0, 1, 2, 3))
        key, timestamp = one_of((b"k", b"k", b"j", b"l", None)), NOW + one_of(_TIMES_MS)
        producer, shift, epoch_shift = None, 0, 0
        if story.producers and story.chance(0.75):
            producer = one_of(story.producers)
            how = one_of(("next",) * 10 + ("again", "again", "gap", "old", "zero", "epoch"))
            known = producer.sequences.get((topic, partition), 0)
            sequence = {"next": known, "again": max(0, known - count), "gap": known + 3, "old": max(0, known - 40)}
            shift = sequence.get(how, 0 if how == "zero" else known)
            # 3.9.1 takes an epoch above the coordinator's inside a transaction (FINDINGS.md)
            epoch_shift = int(how == "epoch" and not producer.transactional_id)
        transactional_id = producer.transactional_id or None if producer else None

        def request(side: Side) -> ProduceRequest:
            ids: dict[str, Any] = {}
            if producer is not None:
                producer_id, epoch = producer.of(side)
                ids = {"producer_id": producer_id, "producer_epoch": epoch + epoch_shift, "base_sequence": shift}
            data = batch(
                *values,
                key=key,
                timestamp=timestamp,
                codec=codec,
                transactional=transactional_id is not None,
                **ids,
            )
            return produce(topic, data, partition=partition, acks=acks, transactional_id=transactional_id)

        acks = one_of((-1, -1, -1, 1, 1))
        label = f"produce {count} to {topic}-{partition} codec {codec} key {key!r} time {timestamp - NOW} acks {acks}"
        if producer is not None:
            label += f" by {story.producers.index(producer)} from {shift} epoch +{epoch_shift} {transactional_id}"
        code = story.error_code(story.ask(request, version, label).kafka)
        story.note(code)
        if producer is not None and not code and not epoch_shift:
            producer.sequences[topic, partition] = max(shift + count, producer.sequences.get((topic, partition), 0))

    def fetch(self) -> None:
        """Any offset, limit and isolation level, with and without a leader epoch."""
        story, one_of = self._story, self._story.one_of
        topic, partition, version = story.topic(), story.partition(), story.rng.randint(4, 17)
        wanted = (one_of((0, 0, 1, 3, 8, 20, -1, 100)), one_of((1 << 20, 1, 100, 300, 1000)))
        epoch, isolation, limit = one_of((-1, -1, -1, 0, 1)), one_of((0, 1)), one_of((1 << 24, 1 << 24, 1, 200))

        def request(side: Side) -> FetchRequest:
            asked = FetchPartition(fetch_offset=wanted[0], partition_max_bytes=wanted[1], current_leader_epoch=epoch)
            place = {(topic, side.topic_ids[topic], partition): asked}
            return fetch(version, place, isolation_level=isolation, max_bytes=limit)

        story.ask(request, version, f"fetch {topic}-{partition} {wanted}, {limit} isolation {isolation} epoch {epoch}")

    def list_offsets(self) -> None:
        """A timestamp, special or of records that may be there."""
        story, one_of = self._story, self._story.one_of
        topic, partition, version = story.topic(), story.partition(), story.rng.randint(1, 9)
        times = (0, NOW, NOW + 1, NOW + 2, NOW + 1000, NOW - 5000, NOW + 9_000_000, int(time.time() * 1000) - 1_000_000)
        timestamp, isolation = one_of((-1, -1, -2, -3, -4, -5, *times)), one_of((0, 1))
        request = list_offsets(topic, timestamp, partition=partition, epoch=one_of((-1, -1, 0, 1)))
        if version >= _ISOLATION_SINCE:
            request.isolation_level = isolation
        story.ask(request, version, f"offset of {timestamp} in {topic}-{partition} isolation {isolation}")

    def delete_records(self) -> None:
        story = self._story
        topic, partition, offset = story.topic(), story.partition(), story.one_of((-1, 0, 1, 2, 5, 9, 100, -2))
        request = DeleteRecordsRequest([DeleteRecordsTopic(topic, [DeleteRecordsPartition(partition, offset)])], 10_000)
        story.ask(request, story.rng.randint(0, 2), f"delete records of {topic}-{partition} before {offset}")

    def end_of_epoch(self) -> None:
        story, one_of = self._story, self._story.one_of
        topic, partition = story.topic(), story.partition()
        asked = OffsetForLeaderPartition(partition, one_of((-1, 0, 1)), one_of((-1, 0, 0, 1, 5)))
        request = OffsetForLeaderEpochRequest(one_of((-1, -2)), [OffsetForLeaderTopic(topic, [asked])])
        story.ask(request, story.rng.randint(0, 4), f"end of epoch {asked} of {topic}")

    def alter_topic(self) -> None:
        """Set, delete, append to or subtract from a setting, also with a bad value."""
        story = self._story
        topic, (key, values) = story.topic(), story.one_of(_SETTINGS)
        operation, value, validate_only = story.rng.randrange(4), story.one_of(values), story.chance(0.2)
        change = AlterableConfig(key, operation, None if operation == _DELETE else value)
        request = IncrementalAlterConfigsRequest([AlterConfigsResource(_TOPIC, topic, [change])], validate_only)
        story.ask(request, story.rng.randint(0, 1), f"alter {topic} {key} {operation} {value} {validate_only}")
        time.sleep(_APPLIED_S)

    def describe_topic(self) -> None:
        story = self._story
        keys = story.one_of((None, ["max.message.bytes", "cleanup.policy", "bad"], ["segment.bytes"]))
        asked = DescribeConfigsResource(_TOPIC, story.topic(), keys)
        request = DescribeConfigsRequest([asked], story.chance(0.5), False)
        story.ask(request, story.rng.randint(1, 4), f"describe {asked.resource_name}")

    def compare_logs(self) -> None:
        """Compare all records, offsets and producers."""
        story = self._story
        for topic in story.topics:
            for partition in PARTITIONS:
                ends = story.ask(list_offsets(topic, -2, -1, -3, -4, partition=partition), 9, f"ends of {topic}")
                start = max(0, ends.kafka.topics[0].partitions[0].offset)
                for isolation in (0, 1):

                    def request(
                        side: Side, at: tuple[str, int, int] = (topic, partition, start), isolation: int = isolation
                    ) -> FetchRequest:
                        place = {(at[0], side.topic_ids[at[0]], at[1]): at[2]}
                        return fetch(12, place, isolation_level=isolation)

                    story.ask(request, 12, f"records of {topic}-{partition} isolation {isolation}")
            asked = TopicRequest(topic, [*PARTITIONS, UNKNOWN_PARTITION])
            story.ask(DescribeProducersRequest([asked]), 0, f"producers of {topic}")
