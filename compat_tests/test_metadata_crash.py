"""kill -9 while topics are created and deleted: acknowledged changes are there after the restart, and directories
agree."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from compat_tests.wire import Closed, decode_response
from wirebroker.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from wirebroker.protocol.messages.delete_topics import DeleteTopicsRequest
from wirebroker.protocol.messages.init_producer_id import InitProducerIdRequest
from wirebroker.protocol.messages.metadata import MetadataRequest

if TYPE_CHECKING:
    from collections.abc import Callable

    from compat_tests.broker import Wirebroker
    from compat_tests.wire import Wire
    from wirebroker.protocol.message import Message

ROUNDS = 8
REQUESTS_PER_ROUND = 40
NAMES = [f"crash-{number}" for number in range(6)]


def random_request(chance: random.Random) -> tuple[Message, int, str]:
    """A request, its version, and the topic that it is about."""
    name = chance.choice(NAMES)
    kind = chance.randrange(5)
    if kind < 2:
        return CreateTopicsRequest([CreatableTopic(name, chance.randrange(1, 4), 1)], 50_000), 7, name
    if kind < 4:
        return DeleteTopicsRequest(topic_names=[name], timeout_ms=50_000), 5, name
    return InitProducerIdRequest(None, 1000), 4, ""


def existing(wire: Wire) -> dict[str, tuple[bytes, int]]:
    """Topic -> (id, partition count)."""
    answer = wire.ask(MetadataRequest(None, allow_auto_topic_creation=False), 12)
    return {topic.name: (topic.topic_id, len(topic.partitions)) for topic in answer.topics}


def test_acknowledged_topics_survive_and_deleted_ones_stay_away(start_wirebroker: Callable[..., Wirebroker]) -> None:
    chance = random.Random(1)
    broker = start_wirebroker()
    producer_ids: list[int] = []
    for _ in range(ROUNDS):
        with broker.connect() as wire:
            known = existing(wire)
            unsure: set[str] = set()
            asked = [random_request(chance) for _ in range(REQUESTS_PER_ROUND)]
            answered = chance.randrange(REQUESTS_PER_ROUND)
            # The broker works on requests one by one, so the rest of the pipeline is under way when it dies.
            for request, version, _ in asked:
                wire.send(request, version)
            for number, (request, version, name) in enumerate(asked):
                if number == answered:
                    broker.kill()
                try:
                    frame = wire.receive_frame()
                except Closed:
                    unsure |= {each for _, _, each in asked[number:]}
                    break
                response = decode_response(request.API_KEY, version, frame)
                if isinstance(request, CreateTopicsRequest):
                    topic = response.topics[0]
                    assert (topic.error_code == 36) == (name in known)
                    if topic.error_code == 0:
                        known[name] = (topic.topic_id, topic.num_partitions)
                elif isinstance(request, DeleteTopicsRequest):
                    assert response.responses[0].error_code == (0 if known.pop(name, None) else 3)
                else:
                    producer_ids.append(response.producer_id)
        if broker.running:
            broker.kill()
        broker.start()
        with broker.connect() as wire:
            found = existing(wire)
        for name in set(NAMES) - unsure:
            assert found.get(name) == known.get(name)
        directories = {path.name for path in broker.data_directory.iterdir() if path.is_dir()}
        assert {name for name in directories if not name.endswith("-delete")} == {
            f"{name}-{index}" for name, (_, count) in found.items() for index in range(count)
        }
    assert len(set(producer_ids)) == len(producer_ids) > ROUNDS
    broker.stop()
