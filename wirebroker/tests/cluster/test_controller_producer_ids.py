"""ControllerProducerIds: blocks of producer ids from the controller, and what follows a refusal."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest
import trio
import trio.testing

from wirebroker.client.broker_channel import BrokerChannel, ChannelError
from wirebroker.cluster.controller_producer_ids import ControllerProducerIds
from wirebroker.model import BrokerEndpoint
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.protocol.messages.allocate_producer_ids import AllocateProducerIdsResponse

if TYPE_CHECKING:
    from wirebroker.client.broker_channel import ChannelSettings
    from wirebroker.protocol.messages.allocate_producer_ids import AllocateProducerIdsRequest

E = ErrorCode
FIRST, SECOND = BrokerEndpoint(1, "h", 1), BrokerEndpoint(2, "h", 2)


class Controllers:
    """The controllers that are found one after the other, the last one for ever, and their answers in order."""

    name = "broker 1"

    def __init__(self, found: list[BrokerEndpoint | None], answers: list[ErrorCode | None]) -> None:
        self.found, self.answers = found, answers
        self.asked: list[BrokerEndpoint] = []
        self.next_id = 5000
        self.broker_epoch = 7
        self.open = 0
        self.ids = ControllerProducerIds(3, lambda: self.broker_epoch, self.find, self.connect)

    def find(self) -> BrokerEndpoint | None:
        return self.found.pop(0) if len(self.found) > 1 else self.found[0]

    def connect(self, endpoint: BrokerEndpoint, _: ChannelSettings) -> BrokerChannel:
        self.asked.append(endpoint)
        self.open += 1
        return cast(BrokerChannel, self)

    async def send_negotiated(self, request: AllocateProducerIdsRequest) -> AllocateProducerIdsResponse:
        await trio.lowlevel.checkpoint()
        assert (request.broker_id, request.broker_epoch) == (3, self.broker_epoch)
        code = self.answers.pop(0) if self.answers else E.NONE
        if code is None:
            raise ChannelError("broker 1 is down")
        if code:
            return AllocateProducerIdsResponse(error_code=code, producer_id_start=-1, producer_id_len=-1)
        self.next_id += 1000
        return AllocateProducerIdsResponse(producer_id_start=self.next_id - 1000, producer_id_len=1000)

    def close(self) -> None:
        self.open -= 1


async def test_each_block_is_asked_for() -> None:
    controllers = Controllers([FIRST], [])
    assert await controllers.ids.allocate() == range(5000, 6000)
    assert await controllers.ids.allocate() == range(6000, 7000)
    assert controllers.open == 0


async def test_a_new_controller_is_asked_when_the_old_one_refuses(autojump_clock: trio.testing.MockClock) -> None:
    controllers = Controllers([FIRST, None, FIRST, SECOND], [E.NOT_CONTROLLER, None, E.STALE_BROKER_EPOCH])
    assert await controllers.ids.allocate() == range(5000, 6000)
    assert controllers.asked == [FIRST, FIRST, SECOND, SECOND]
    assert controllers.open == 0


async def test_a_producer_tries_again_while_there_is_no_controller(autojump_clock: trio.testing.MockClock) -> None:
    with pytest.raises(ApiError) as refused:
        await Controllers([None], []).ids.allocate()
    assert refused.value.code == E.COORDINATOR_LOAD_IN_PROGRESS
