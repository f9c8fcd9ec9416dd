"""Random requests of idempotent and transactional producers to their coordinator."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from compat_tests.kafka_requests import init_producer_id
from compat_tests.random_requests.story import Producer
from wirebroker.protocol.messages.add_offsets_to_txn import AddOffsetsToTxnRequest
from wirebroker.protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTopic,
    AddPartitionsToTxnTransaction,
)
from wirebroker.protocol.messages.describe_transactions import DescribeTransactionsRequest
from wirebroker.protocol.messages.end_txn import EndTxnRequest
from wirebroker.protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from compat_tests.comparison import Side
    from compat_tests.random_requests.story import Story
    from wirebroker.protocol.messages.init_producer_id import InitProducerIdRequest

_CONCURRENT_TRANSACTIONS: Final = 51
_BATCHED_SINCE: Final = 4  # AddPartitionsToTxn with several transactions
_MEMBERS_SINCE: Final = 3  # TxnOffsetCommit with the generation of a member
_EPOCH_SINCE: Final = 3  # InitProducerId with the present epoch
_TIMEOUTS_MS: Final = (60_000, 60_000, 60_000, 0, -1, 10**9)
_EPOCH_SHIFTS: Final = (0,) * 8 + (1, -1)


class TransactionRequests:
    """Requests to the transaction coordinators of a story."""

    def __init__(self, story: Story) -> None:
        self._story = story
        self.weights: dict[Callable[[], None], int] = {
            self.init_producer_id: 5,
            self.add_partitions: 9,
            self.add_offsets: 3,
            self.commit_offsets: 4,
            self.end: 6,
            self.describe: 2,
        }

    def init_producer_id(self) -> None:
        """A new producer, or the next epoch of the newest one with its transactional id."""
        story = self._story
        transactional_id = story.one_of((None, None, *story.transactional_ids * 3))
        version = story.rng.randint(0, 5)
        known = [each for each in story.producers if each.transactional_id == (transactional_id or "")]
        # an older one is fenced, and aborts the transaction of the present one on Apache Kafka (FINDINGS.md)
        present = known[-1] if transactional_id and known and version >= _EPOCH_SINCE and story.chance(0.3) else None
        timeout_ms = story.one_of(_TIMEOUTS_MS) if transactional_id else _TIMEOUTS_MS[0]
        story.await_markers()
        answers: dict[str, Any] = {}

        def request(side: Side) -> InitProducerIdRequest:
            producer_id, epoch = present.of(side) if present else (-1, -1)
            return init_producer_id(
                transactional_id=transactional_id,
                transaction_timeout_ms=timeout_ms,
                producer_id=producer_id,
                producer_epoch=epoch,
            )

        for side in story.both.sides:
            for _ in range(2000):  # Apache Kafka aborts an open transaction meanwhile
                answers[side.name] = side.ask(request(side), version)
                if answers[side.name].error_code != _CONCURRENT_TRANSACTIONS:
                    break
                time.sleep(0.01)
        kafka, wirebroker = answers["kafka"], answers["wirebroker"]
        story.note_step(f"init {transactional_id} {timeout_ms} present {present is not None} v{version} -> {kafka}")
        assert (kafka.error_code, kafka.producer_epoch) == (wirebroker.error_code, wirebroker.producer_epoch), answers
        if not kafka.error_code:
            ids = {name: (answer.producer_id, answer.producer_epoch) for name, answer in answers.items()}
            for side in story.both.sides:
                side.named("producer", ids[side.name][0])
            story.producers.append(Producer(transactional_id or "", ids))

    def _producer(self) -> Producer | None:
        """A transactional producer, the newest one most of the time; no transaction is about to end."""
        story = self._story
        known = [each for each in story.producers if each.transactional_id]
        if not known:
            return None
        story.await_markers()
        return known[-1] if story.chance(0.7) else story.one_of(known)

    def add_partitions(self) -> None:
        story, producer = self._story, self._producer()
        if producer is None:
            return
        version, shift, verify_only = story.rng.randint(0, 4), story.one_of(_EPOCH_SHIFTS), story.chance(0.2)
        topics = [
            AddPartitionsToTxnTopic(topic, list(story.one_of(((0,), (0,), (1,), (0, 1), (7,)))))
            for topic in story.rng.sample(story.topics, story.one_of((1, 1, 2)))
        ]

        def request(side: Side) -> AddPartitionsToTxnRequest:
            producer_id, epoch = producer.of(side)
            if version < _BATCHED_SINCE:
                return AddPartitionsToTxnRequest([], producer.transactional_id, producer_id, epoch + shift, topics)
            transaction = AddPartitionsToTxnTransaction(
                producer.transactional_id, producer_id, epoch + shift, verify_only, topics
            )
            return AddPartitionsToTxnRequest([transaction])

        story.ask(request, version, f"add partitions {self._named(producer)} epoch +{shift} {verify_only} {topics}")

    def add_offsets(self) -> None:
        story, producer = self._story, self._producer()
        if producer is None:
            return
        group = story.one_of((*story.groups, ""))
        story.ask(
            lambda side: AddOffsetsToTxnRequest(producer.transactional_id, *producer.of(side), group),
            story.rng.randint(0, 3),
            f"add offsets {self._named(producer)} {group}",
        )

    def commit_offsets(self) -> None:
        story, producer = self._story, self._producer()
        if producer is None:
            return
        version, group, topic = story.rng.randint(0, 3), story.one_of(story.groups), story.topic()
        asked = TxnOffsetCommitRequestPartition(story.partition(), story.rng.randrange(50), -1, "metadata")
        member = story.members.get(group) if version >= _MEMBERS_SINCE and story.chance(0.5) else None

        def request(side: Side) -> TxnOffsetCommitRequest:
            made = TxnOffsetCommitRequest(producer.transactional_id, group, *producer.of(side))
            made.topics = [TxnOffsetCommitRequestTopic(topic, [asked])]
            if member is not None:
                made.generation_id, made.member_id = member.generation, member.of(side)
            return made

        label = f"commit offsets {self._named(producer)} {group} {topic} {asked} member {member is not None}"
        code = story.error_code(story.ask(request, version, label).kafka)
        story.note(code)
        # an open transaction keeps a group for Apache Kafka's DeleteGroups, too (FINDINGS.md)
        story.refused_groups.add(group)

    def end(self) -> None:
        story, producer = self._story, self._producer()
        if producer is None:
            return
        commits, shift = story.chance(0.6), story.one_of(_EPOCH_SHIFTS)

        def request(side: Side) -> EndTxnRequest:
            producer_id, epoch = producer.of(side)
            return EndTxnRequest(producer.transactional_id, producer_id, epoch + shift, commits)

        label = f"end {self._named(producer)} epoch +{shift} commits {commits}"
        story.ask(request, story.rng.randint(0, 4), label)
        story.await_markers()

    def describe(self) -> None:
        story = self._story
        story.await_markers()
        asked = story.one_of((story.transactional_ids, story.transactional_ids[:1], ["missing", ""]))
        story.ask(DescribeTransactionsRequest(asked), 0, f"describe transactions {asked}")

    def _named(self, producer: Producer) -> str:
        return f"{self._story.producers.index(producer)} {producer.transactional_id}"
