"""A session that looks only at what has changed answers as one that reads all of its partitions every time."""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic, ForgottenTopic
from wirebroker.storage.errors import LogError, StorageError
from wirebroker.storage.log_slice import LogSlice
from wirebroker.storage.producer_state_manager import AppendOrigin
from wirebroker.storage.retention import delete_old_segments
from wirebroker.tests.clocks import let_pass
from wirebroker.tests.handlers.fetch_harness import CONFIG, FetchHarness
from wirebroker.tests.storage.fakes.logs import DIR, marker

if TYPE_CHECKING:
    from trio.testing import MockClock

    from wirebroker.protocol.messages.fetch import FetchResponse, PartitionData

DIRS = (DIR, Path("/more"))
TOPICS = {"a": 3, "b": 2}
BY_NAME, BY_ID = 9, 17

Place = tuple[str, int]
PLACES: list[Place] = [(topic, index) for topic, count in TOPICS.items() for index in range(count)]


class Wanted(NamedTuple):
    """One partition of a request."""

    place: Place
    behind_end: int
    """How many offsets before the log end to read from; -5 is beyond it."""
    max_bytes: int
    leader_epoch: int
    last_fetched_epoch: int


class Asked(NamedTuple):
    """One request of the session."""

    wanted: list[Wanted]
    forgotten: list[Place]
    isolation_level: int
    max_bytes: int
    min_bytes: int


class Choice:
    """Draws changes and requests."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.isolation_level = seed % 2
        kinds = {
            "append": 40,
            "append_transactional": 15,
            "end_transaction": 15,
            "delete_records": 10,
            "retain": 3,
            "delete_topic": 2,
            "create_topic": 6,
            "configure": 3,
            "fail_log": 0.3,
            "fail_directory": 0.1,
        }
        self._kinds, self._weights = list(kinds), list(kinds.values())

    def change(self) -> tuple[Any, ...]:
        """The name of a method of Model, and its arguments."""
        draw = self.random
        (kind,) = draw.choices(self._kinds, self._weights)
        place, topic = draw.choice(PLACES), draw.choice(sorted(TOPICS))
        arguments: dict[str, tuple[Any, ...]] = {
            "append": (place, draw.randint(1, 300)),
            "append_transactional": (place, draw.randint(1, 2)),
            "end_transaction": (place, draw.randint(1, 2), draw.random() < 0.5),
            "delete_records": (place, draw.randint(0, 3)),
            "retain": (draw.randint(1, 3),),
            "delete_topic": (topic,),
            "create_topic": (topic, draw.randint(0, 2)),
            "configure": (topic, draw.choice(["zstd", "producer", "producer"])),
            "fail_log": (place,),
        }
        return kind, *arguments.get(kind, ())

    def changes(self, most: int) -> list[tuple[Any, ...]]:
        return [self.change() for _ in range(self.random.randint(0, most))]

    def asked(self) -> Asked:
        draw = self.random
        wanted = [
            Wanted(
                draw.choice(PLACES),
                draw.choice([0, 0, 0, 1, 2, 5, -5]),
                draw.choice([0, 50, 10_000, 10_000]),
                draw.choice([-1, -1, -1, -1, 0, 1]),
                draw.choice([-1, -1, -1, -1, 0, 1]),
            )
            for _ in range(draw.randint(0, 2))
        ]
        forgotten = [draw.choice(PLACES)] if draw.random() < 0.1 else []
        isolation_level = self.isolation_level if draw.random() < 0.9 else 1 - self.isolation_level
        return Asked(
            wanted, forgotten, isolation_level, draw.choice([10_000, 10_000, 300, 100]), draw.choice([1, 1, 500, 2_000])
        )


class SessionPartition:
    """The model's state of a partition in the session."""

    def __init__(self, entry: FetchPartition) -> None:
        self.entry = entry
        self.high_watermark = self.log_start_offset = -1


class Model:
    """A broker, a session of it, and what the session holds by KIP-227."""

    def __init__(self, version: int) -> None:
        self.version = version
        self.harness = FetchHarness(TOPICS, dirs=DIRS)
        self.sequences: dict[tuple[Place, int], int] = defaultdict(int)
        self.session_id = self.epoch = 0
        self.told: dict[tuple[str, bytes, int], SessionPartition] = {}

    # -- what happens to partitions

    async def change(self, what: str, *arguments: Any) -> None:
        try:
            await getattr(self, what)(*arguments)
        except (ApiError, LogError):
            pass  # the partition is not there, or out of service, or has no such offset or transaction

    async def append(self, place: Place, size: int) -> None:
        await self.harness.append(place[1], b"x" * size, topic=place[0])

    async def append_transactional(self, place: Place, producer_id: int) -> None:
        sequence = self.sequences[place, producer_id]
        await self.harness.append(
            place[1], b"x" * 30, topic=place[0], producer=(producer_id, 0, sequence), transactional=True
        )
        self.sequences[place, producer_id] += 1

    async def end_transaction(self, place: Place, producer_id: int, committed: bool) -> None:
        end = marker(producer_id, 0, committed=committed)
        await self.harness.partition(place[1], place[0]).append_batch(end, 1, AppendOrigin.COORDINATOR)

    async def delete_records(self, place: Place, left: int) -> None:
        partition = self.harness.partition(place[1], place[0])
        await partition.delete_records(max(0, partition.high_watermark - left))

    async def retain(self, segments: int) -> None:
        for partition in self.harness.replicas.partitions():
            log = partition.log
            log.config = log.config._replace(retention_bytes=1000 * segments)
            if await partition.run_on_executor(partial(delete_old_segments, log, 2, partition.high_watermark)):
                partition.notify_listeners()

    async def delete_topic(self, topic: str) -> None:
        if topic in self.harness.metadata.image.topics:
            await self.harness.delete(topic)

    async def create_topic(self, topic: str, leader_epoch: int) -> None:
        if topic not in self.harness.metadata.image.topics:
            self.harness.create(topic, TOPICS[topic], leader_epoch)
            for place, producer_id in self.sequences:
                if place[0] == topic:
                    self.sequences[place, producer_id] = 0

    async def configure(self, topic: str, codec: str) -> None:
        config = CONFIG._replace(compression_type=codec, segment_bytes=1000)
        if topic in self.harness.metadata.image.topics:
            self.harness.replicas.reconfigure(topic, config)

    async def fail_log(self, place: Place) -> None:
        """A write comes across damage, so that the log serves no more, but its directory does."""
        partition = self.harness.partition(place[1], place[0])

        def come_across_damage() -> None:
            raise partition.log.local_log.fail_from(ValueError("damage"))

        await partition.run_on_executor(come_across_damage)

    async def fail_directory(self) -> None:
        if not self.harness.logs.log_dirs.is_offline(DIRS[1]):
            self.harness.logs.log_dirs.mark_offline(DIRS[1], StorageError("broken"))

    # -- what the client does

    def request(self, asked: Asked) -> FetchRequest:
        """The next request of the session, and the model's copy of what it says."""
        topics, forgotten = [], []
        for each in asked.wanted:
            name, topic_id, index = key = self._key(each.place)
            found = self.harness.replicas.find(*each.place)
            offset = (found.high_watermark if found is not None else 0) - each.behind_end
            entry = FetchPartition(
                index, each.leader_epoch, max(offset, 0), each.last_fetched_epoch, partition_max_bytes=each.max_bytes
            )
            if self.version == BY_NAME:
                entry.last_fetched_epoch = -1
            topics.append(FetchTopic(name, topic_id, [entry]))
            if key in self.told:
                self.told[key].entry = entry
            else:
                self.told[key] = SessionPartition(entry)
        for place in asked.forgotten if self.epoch else ():
            name, topic_id, index = key = self._key(place)
            if len(self.told) > 1 and self.told.pop(key, None) is not None:
                forgotten.append(ForgottenTopic(name, topic_id, [index]))
        return FetchRequest(
            max_wait_ms=0,
            min_bytes=asked.min_bytes,
            max_bytes=asked.max_bytes,
            isolation_level=asked.isolation_level,
            session_id=self.session_id,
            session_epoch=self.epoch,
            topics=topics,
            forgotten_topics_data=forgotten,
        )

    def _key(self, place: Place) -> tuple[str, bytes, int]:
        """As the client names it; of a topic that is not there it knows an id that no topic has."""
        topic, index = place
        if self.version == BY_NAME:
            return topic, bytes(16), index
        known = self.harness.metadata.image.topics.get(topic)
        return "", known.topic_id if known is not None else topic.encode() * 16, index

    async def expected(self, asked: Asked) -> list[tuple[Any, ...]]:
        """The answer of the session by the model: that of a request for all partitions without a session, filtered."""
        topics = [FetchTopic(name, topic_id, [told.entry]) for (name, topic_id, _), told in self.told.items()]
        request = self._sessionless(asked, topics)
        response = await self.harness.ask(request, self.version)
        answers = [(topic.topic, topic.topic_id, each) for topic in response.responses for each in topic.partitions]
        assert len(answers) == len(self.told)
        shown = []
        for name, topic_id, answer in answers:
            told = self.told[name, topic_id, answer.partition_index]
            news = (answer.high_watermark, answer.log_start_offset) != (told.high_watermark, told.log_start_offset)
            if self.epoch and not (news or answer.records or answer.error_code or answer.diverging_epoch.epoch >= 0):
                continue
            told.high_watermark = -1 if answer.error_code else answer.high_watermark
            told.log_start_offset = answer.log_start_offset
            if answer.diverging_epoch.epoch >= 0:  # a follower takes nothing else from such an answer
                told.high_watermark = told.log_start_offset = -1
            shown.append(plain(name, topic_id, answer))
            if self.epoch and answer.records:
                self.told[name, topic_id, answer.partition_index] = self.told.pop(
                    (name, topic_id, answer.partition_index)
                )
        return shown

    def advance(self, response: FetchResponse) -> None:
        assert response.error_code == ErrorCode.NONE
        assert response.session_id
        self.session_id = response.session_id
        self.epoch += 1

    async def would_answer(self, asked: Asked) -> bool:
        """Whether a request that waits has to be answered now: by what each partition holds for it."""
        size_bytes = 0
        for (name, topic_id, _), told in self.told.items():
            request = self._sessionless(asked, [FetchTopic(name, topic_id, [told.entry])])
            (topic,) = (await self.harness.ask(request, self.version)).responses
            (answer,) = topic.partitions
            if answer.error_code or answer.diverging_epoch.epoch >= 0:
                return True
            records = cast("LogSlice | bytes", answer.records)
            if isinstance(records, LogSlice):
                size_bytes += records.size_bytes
                known = self.harness.metadata.image.topic_by_id(topic_id)
                log = self.harness.partition(answer.partition_index, name or known.name).log
                if records.segment is not log.view.active:
                    return True  # more will never come out of this segment
        return size_bytes >= min(asked.min_bytes, asked.max_bytes)

    def _sessionless(self, asked: Asked, topics: list[FetchTopic]) -> FetchRequest:
        return FetchRequest(
            max_wait_ms=0,
            max_bytes=asked.max_bytes,
            isolation_level=asked.isolation_level,
            session_epoch=-1,
            topics=topics,
        )


def plain(name: str, topic_id: bytes, answer: PartitionData) -> tuple[Any, ...]:
    records = answer.records
    data = records if records is None or isinstance(records, bytes) else b"".join(records.pieces())  # type: ignore[union-attr]
    fields = [getattr(answer, field) for field in answer.FIELDS if field != "records"]
    return name, topic_id, data, *fields


def shown(response: FetchResponse) -> list[tuple[Any, ...]]:
    return [plain(topic.topic, topic.topic_id, each) for topic in response.responses for each in topic.partitions]


FIRST = Asked([Wanted(place, 0, 10_000, -1, -1) for place in PLACES], [], 0, 10_000, 1)
STEPS = 100


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("version", [BY_NAME, BY_ID])
async def test_answers_are_those_of_a_full_scan(version: int, seed: int) -> None:
    model, choice = Model(version), Choice(seed)
    asked = FIRST
    for step in range(STEPS):
        response = await model.harness.ask(model.request(asked), version)
        assert shown(response) == await model.expected(asked), step
        model.advance(response)
        for change in choice.changes(3):
            await model.change(*change)
        asked = choice.asked()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("version", [BY_NAME, BY_ID])
async def test_a_request_waits_as_long_as_a_full_scan_would_and_answers_the_same(
    mock_clock: MockClock, version: int, seed: int
) -> None:
    model, choice = Model(version), Choice(seed)
    asked = FIRST
    for step in range(STEPS):
        request = model.request(asked)
        request.max_wait_ms = 1000
        responses: list[FetchResponse] = []

        async def ask(request: FetchRequest = request, responses: list[FetchResponse] = responses) -> None:
            responses.append(await model.harness.ask(request, version))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask)
            await wait_all_tasks_blocked()
            for change in choice.changes(8):
                assert bool(responses) == await model.would_answer(asked), step
                if responses:
                    break
                await model.change(*change)
                await wait_all_tasks_blocked()
            await let_pass(mock_clock, 1)
        assert shown(responses[0]) == await model.expected(asked), step
        model.advance(responses[0])
        assert listeners(model) <= len(model.told)
        for change in choice.changes(1):
            await model.change(*change)
        asked = choice.asked()


def listeners(model: Model) -> int:
    return sum(len(partition.listeners) for partition in model.harness.replicas.partitions())
