"""CreateTopics, CreatePartitions, DeleteTopics and automatic creation under controller_mutation_rate (KIP-599)."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from wirebroker.handlers.metadata import handle_metadata
from wirebroker.handlers.topics import handle_create_partitions, handle_create_topics, handle_delete_topics
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.create_partitions import CreatePartitionsRequest, CreatePartitionsTopic
from wirebroker.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from wirebroker.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from wirebroker.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from wirebroker.quota.managers import QuotaManagers
from wirebroker.tests.controller.fakes import controller_harness

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable
    from pathlib import Path

    from trio.testing import MockClock

    from wirebroker.handlers.context import RequestContext
    from wirebroker.protocol.message import Message
    from wirebroker.tests.controller.fakes import ControllerHarness

EXCEEDED = ErrorCode.THROTTLING_QUOTA_EXCEEDED
IN_TIME = 5000


class MutationHarness:
    """Requests of one client, which may change one partition per second and owes nothing at first."""

    def __init__(self, controller: ControllerHarness) -> None:
        self.controller = controller
        self.quotas = QuotaManagers()
        self.quotas.update({(("user", "ANONYMOUS"),): {"controller_mutation_rate": 1.0}})
        self.muted_ms = 0

    def context(self, request_class: type[Message], version: int) -> RequestContext:
        context = self.controller.context(request_class, version)
        context.services.quotas = self.quotas
        return context

    async def create(
        self, topics: dict[str, int], version: int = 7, *, validate_only: bool = False
    ) -> tuple[list[int], int]:
        """Return the codes and the throttle time of a CreateTopics of name -> number of partitions."""
        context = self.context(CreateTopicsRequest, version)
        new = [CreatableTopic(name, count, 1) for name, count in topics.items()]
        answer = await handle_create_topics(context, CreateTopicsRequest(new, IN_TIME, validate_only))
        self.muted_ms = context.throttle_ms
        return [topic.error_code for topic in answer.topics], answer.throttle_time_ms

    async def delete(self, names: Iterable[str], version: int = 6) -> tuple[list[int], int]:
        context = self.context(DeleteTopicsRequest, version)
        request = DeleteTopicsRequest([DeleteTopicState(name) for name in names], list(names), IN_TIME)
        answer = await handle_delete_topics(context, request)
        self.muted_ms = context.throttle_ms
        return [topic.error_code for topic in answer.responses], answer.throttle_time_ms

    async def grow(self, name: str, count: int, version: int = 3) -> tuple[list[int], int]:
        context = self.context(CreatePartitionsRequest, version)
        answer = await handle_create_partitions(
            context, CreatePartitionsRequest([CreatePartitionsTopic(name, count, None)], IN_TIME)
        )
        self.muted_ms = context.throttle_ms
        return [topic.error_code for topic in answer.results], answer.throttle_time_ms


@asynccontextmanager
async def mutation_harness(directory: Path) -> AsyncIterator[MutationHarness]:
    async with controller_harness(directory) as controller:
        yield MutationHarness(controller)


async def test_topics_are_refused_once_the_client_owes_tokens(tmp_path: Path, mock_clock: MockClock) -> None:
    async with mutation_harness(tmp_path) as harness:
        assert await harness.create({"a": 11}) == ([0], 0)
        assert await harness.create({"b": 5, "c": 1, "d": 1}) == ([0, EXCEEDED, EXCEEDED], 5000)
        assert harness.muted_ms == 5000
        assert sorted(harness.controller.image.topics) == ["a", "b"]
        assert await harness.delete(["a", "b"]) == ([EXCEEDED, EXCEEDED], 5000)
        assert await harness.grow("a", 12) == ([EXCEEDED], 5000)
        mock_clock.jump(5)
        assert await harness.grow("a", 14) == ([0], 0)
        assert await harness.delete(["a", "b"]) == ([EXCEEDED, EXCEEDED], 3000)
        mock_clock.jump(3)
        assert await harness.delete(["a", "b"]) == ([0, EXCEEDED], 14_000)
        assert list(harness.controller.image.topics) == ["b"]


@pytest.mark.parametrize("version", [3, 5])
async def test_older_clients_are_throttled_and_not_refused(tmp_path: Path, mock_clock: MockClock, version: int) -> None:
    async with mutation_harness(tmp_path) as harness:
        assert await harness.create({"a": 13, "b": 2}, version) == ([0, 0], 4000)
        assert harness.muted_ms == 4000


async def test_the_response_to_a_client_older_than_kip_219_is_delayed(
    tmp_path: Path, mock_clock: MockClock, nursery: trio.Nursery
) -> None:
    async with mutation_harness(tmp_path) as harness:
        answered = trio.Event()

        async def create() -> None:
            assert await harness.create({"a": 15}, version=2) == ([0], 4000)
            answered.set()

        nursery.start_soon(create)
        while "a" not in harness.controller.image.topics:
            await wait_all_tasks_blocked(0.01)
        mock_clock.jump(3.9)
        await wait_all_tasks_blocked(0.01)
        assert not answered.is_set()
        mock_clock.jump(0.1)
        await answered.wait()
        assert harness.muted_ms == 0


async def test_older_versions_of_the_other_requests(tmp_path: Path, mock_clock: MockClock) -> None:
    async with mutation_harness(tmp_path) as harness:
        await harness.create({"a": 12})
        assert await harness.grow("a", 14, version=2) == ([0], 3000)
        assert await harness.delete(["a"], version=4) == ([0], 17_000)


async def test_invalid_topics_do_not_count_and_validated_ones_do(tmp_path: Path, mock_clock: MockClock) -> None:
    async with mutation_harness(tmp_path) as harness:
        codes, throttle_ms = await harness.create({"not valid": 10_000, "a": 11}, validate_only=True)
        assert (sorted(codes), throttle_ms) == ([0, ErrorCode.INVALID_TOPIC_EXCEPTION], 0)
        assert await harness.create({"a": 1}, validate_only=True) == ([0], 0)
        assert await harness.create({"a": 1}) == ([EXCEEDED], 1000)


async def test_an_automatic_creation_is_refused_as_apache_kafka_does(tmp_path: Path, mock_clock: MockClock) -> None:
    async with mutation_harness(tmp_path) as harness:
        await harness.create({"a": 12})
        request = MetadataRequest([MetadataRequestTopic(name="b")])
        for is_created in (False, True):
            await handle_metadata(harness.context(MetadataRequest, 12), request)
            await harness.controller.controller.create_topics([])  # the controller is done with the creation before
            assert ("b" in harness.controller.image.topics) == is_created
            mock_clock.jump(1)


async def test_without_the_quota_nothing_is_refused(tmp_path: Path) -> None:
    async with mutation_harness(tmp_path) as harness:
        harness.quotas.update({})
        assert await harness.create({"a": 100, "b": 100}) == ([0, 0], 0)
