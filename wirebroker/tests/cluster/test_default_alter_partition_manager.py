"""DefaultAlterPartitionManager with a controller that answers, is silent, or is another broker by now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from wirebroker.client.broker_channel import BrokerChannel, ChannelError
from wirebroker.cluster.default_alter_partition_manager import DefaultAlterPartitionManager
from wirebroker.loop_budget import LoopBudget
from wirebroker.model import BrokerEndpoint, LeaderAndIsr, TopicPartition
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.alter_partition import (
    AlterPartitionRequest,
    AlterPartitionResponse,
    ResponsePartitionData,
    ResponseTopicData,
)
from wirebroker.replication.alter_partition_manager import AlterPartitionItem

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.client.broker_channel import ChannelSettings

TOPIC_ID = bytes(range(16))
PROPOSAL = LeaderAndIsr(1, 5, (1, 2), 7, (1, 2, 3), controller_epoch=9)
T0, T1, U0 = TopicPartition("t", 0), TopicPartition("t", 1), TopicPartition("u", 0)


class Controller:
    """Connections to controllers; `answer` makes the response of each request, or raises."""

    def __init__(self) -> None:
        self.endpoint: BrokerEndpoint | None = BrokerEndpoint(0, "h", 1)
        self.requests: list[tuple[int, AlterPartitionRequest, int | None]] = []
        """(controller, request, highest version) of each request."""
        self.open = 0
        self.may_answer = trio.Event()
        self.may_answer.set()
        self.answer: Callable[[AlterPartitionRequest], AlterPartitionResponse] = committed

    def connect(self, endpoint: BrokerEndpoint, _: ChannelSettings) -> BrokerChannel:
        self.open += 1
        return cast("BrokerChannel", Channel(self, endpoint))


class Channel:
    def __init__(self, controller: Controller, endpoint: BrokerEndpoint) -> None:
        self._controller, self.endpoint = controller, endpoint

    async def send_negotiated(self, request: AlterPartitionRequest, highest: int | None = None) -> Any:
        self._controller.requests.append((self.endpoint.node_id, request, highest))
        await self._controller.may_answer.wait()
        return self._controller.answer(request)

    def close(self) -> None:
        self._controller.open -= 1


def committed(request: AlterPartitionRequest) -> AlterPartitionResponse:
    topics = [
        ResponseTopicData(
            "" if topic.topic_id != bytes(16) else topic.topic_name,
            topic.topic_id,
            [
                ResponsePartitionData(
                    partition_index=each.partition_index,
                    leader_id=1,
                    leader_epoch=each.leader_epoch,
                    isr=list(each.new_isr),
                    partition_epoch=each.partition_epoch + 1,
                )
                for each in topic.partitions
            ],
        )
        for topic in request.topics
    ]
    return AlterPartitionResponse(topics=topics)


class Submitter:
    def __init__(self, nursery: trio.Nursery) -> None:
        self.controller = Controller()
        self.answers: dict[TopicPartition, list[LeaderAndIsr | ErrorCode]] = {}
        self.manager = DefaultAlterPartitionManager(
            4, lambda: 77, lambda: self.controller.endpoint, 30.0, self.controller.connect
        )
        nursery.start_soon(self.manager.run)

    def submit(self, partition: TopicPartition, proposal: LeaderAndIsr = PROPOSAL, topic_id: bytes = TOPIC_ID) -> None:
        completed = self.answers.setdefault(partition, []).append
        self.manager.submit(AlterPartitionItem(partition, topic_id, proposal, completed))


async def test_what_is_submitted_together_goes_in_one_request(nursery: trio.Nursery) -> None:
    this = Submitter(nursery)
    for partition in (T0, T1, U0):
        this.submit(partition)
    assert this.answers[T0] == []
    await wait_all_tasks_blocked()
    ((_, request, highest),) = this.controller.requests
    assert (request.broker_id, request.broker_epoch, highest) == (4, 77, 2)
    assert [(topic.topic_name, topic.topic_id) for topic in request.topics] == [("t", TOPIC_ID), ("u", TOPIC_ID)]
    sent = request.topics[0].partitions[1]
    assert (sent.partition_index, sent.leader_epoch, sent.new_isr, sent.partition_epoch) == (1, 5, [1, 2], 7)
    assert this.answers == {each: [PROPOSAL._replace(partition_epoch=8)] for each in (T0, T1, U0)}


async def test_outcomes_are_told_with_a_yield_behind_each(
    nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    budget = LoopBudget(0.0)
    monkeypatch.setattr("wirebroker.cluster.default_alter_partition_manager.LoopBudget", lambda: budget)
    this = Submitter(nursery)
    for partition in (T0, T1, U0):
        this.submit(partition)
    await wait_all_tasks_blocked()
    assert len(this.answers) == budget.yields == 3


async def test_one_request_is_in_flight(nursery: trio.Nursery) -> None:
    this = Submitter(nursery)
    this.controller.may_answer = trio.Event()
    this.submit(T0)
    await wait_all_tasks_blocked()
    this.submit(T1)
    this.submit(U0)
    this.submit(T0, PROPOSAL._replace(leader_epoch=6))  # of a leader that was elected anew
    await wait_all_tasks_blocked()
    assert len(this.controller.requests) == 1
    this.controller.may_answer.set()
    await wait_all_tasks_blocked()
    assert len(this.controller.requests) == 2
    assert [len(answers) for answers in this.answers.values()] == [2, 1, 1]


async def test_topics_without_an_id_are_named(nursery: trio.Nursery) -> None:
    this = Submitter(nursery)
    this.submit(T0, topic_id=bytes(16))
    await wait_all_tasks_blocked()
    assert this.controller.requests[0][2] == 1
    assert this.answers[T0] == [PROPOSAL._replace(partition_epoch=8)]


async def test_the_code_of_a_partition_is_its_outcome(nursery: trio.Nursery) -> None:
    this = Submitter(nursery)

    def refused(request: AlterPartitionRequest) -> AlterPartitionResponse:
        response = committed(request)
        response.topics[0].partitions[0].error_code = ErrorCode.INVALID_UPDATE_VERSION
        return response

    this.controller.answer = refused
    this.submit(T0)
    this.submit(T1)
    await wait_all_tasks_blocked()
    assert this.answers == {T0: [ErrorCode.INVALID_UPDATE_VERSION], T1: [PROPOSAL._replace(partition_epoch=8)]}


async def test_a_leader_that_submits_again_at_once_is_slowed_down(
    autojump_clock: MockClock, nursery: trio.Nursery
) -> None:
    this = Submitter(nursery)

    def refused(request: AlterPartitionRequest) -> AlterPartitionResponse:
        response = committed(request)
        response.topics[0].partitions[0].error_code = 9999  # of a later release
        return response

    def submit_again(answer: LeaderAndIsr | ErrorCode) -> None:
        assert answer is ErrorCode.UNKNOWN_SERVER_ERROR
        this.manager.submit(AlterPartitionItem(T0, TOPIC_ID, PROPOSAL, submit_again))

    this.controller.answer = refused
    this.manager.submit(AlterPartitionItem(T0, TOPIC_ID, PROPOSAL, submit_again))
    await trio.sleep(1.05)
    assert len(this.controller.requests) == 11


def unreachable(_: AlterPartitionRequest) -> AlterPartitionResponse:
    raise ChannelError("no route")


@pytest.mark.parametrize(
    "answer",
    [
        unreachable,
        lambda _: AlterPartitionResponse(error_code=ErrorCode.NOT_CONTROLLER),
        lambda _: AlterPartitionResponse(error_code=ErrorCode.STALE_BROKER_EPOCH),
        lambda _: AlterPartitionResponse(),
    ],
)
async def test_failures_are_retried_with_the_controller_of_then(
    answer: Callable[[AlterPartitionRequest], AlterPartitionResponse],
    autojump_clock: MockClock,
    nursery: trio.Nursery,
) -> None:
    this = Submitter(nursery)
    this.controller.answer = answer
    this.submit(T0)
    await trio.sleep(1.05)
    assert len(this.controller.requests) == 11
    this.controller.endpoint = None
    await trio.sleep(1)
    assert len(this.controller.requests) == 11
    this.controller.endpoint, this.controller.answer = BrokerEndpoint(3, "i", 2), committed
    await trio.sleep(0.2)
    assert this.answers == {T0: [PROPOSAL._replace(partition_epoch=8)]}
    assert this.controller.requests[-1][0] == 3
    assert this.controller.open == 1


async def test_a_newer_proposal_replaces_one_that_is_retried(autojump_clock: MockClock, nursery: trio.Nursery) -> None:
    this = Submitter(nursery)
    this.controller.answer = unreachable
    this.submit(T0)
    await trio.sleep(0.05)
    newer = PROPOSAL._replace(leader_epoch=6, isr=(1,))
    this.submit(T0, newer)
    this.controller.answer = committed
    await trio.sleep(0.5)
    assert this.answers[T0] == [newer._replace(partition_epoch=8)]
