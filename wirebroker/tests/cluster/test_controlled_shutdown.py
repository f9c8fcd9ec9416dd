"""ControlledShutdown: attempts, pauses, and what counts as success."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest
import trio

from wirebroker.client.broker_channel import BrokerChannel, ChannelError
from wirebroker.cluster.controlled_shutdown import ControlledShutdown, ControlledShutdownConfig, StoppingBroker
from wirebroker.model import BrokerEndpoint
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.controlled_shutdown import (
    ControlledShutdownRequest,
    ControlledShutdownResponse,
    RemainingPartition,
)
from wirebroker.tests.controller.fakes import broker_config

if TYPE_CHECKING:
    from wirebroker.client.broker_channel import ChannelSettings

CONTROLLER = BrokerEndpoint(0, "h", 9092)
DONE = ControlledShutdownResponse()
REMAINING = ControlledShutdownResponse(remaining_partitions=[RemainingPartition("t", 0)])
STALE = ControlledShutdownResponse(error_code=ErrorCode.STALE_BROKER_EPOCH)


class Controller:
    """A controller that gives its answers in turn; None is a connection that fails, a number silence of so long."""

    def __init__(self, *answers: ControlledShutdownResponse | float | None, is_known: bool = True) -> None:
        self.answers = list(answers)
        self.requests: list[ControlledShutdownRequest] = []
        self.endpoint = CONTROLLER if is_known else None

    def connect(self, endpoint: BrokerEndpoint, _: ChannelSettings) -> BrokerChannel:
        assert endpoint == CONTROLLER
        return cast(BrokerChannel, self)

    async def send(self, request: ControlledShutdownRequest, version: int) -> ControlledShutdownResponse:
        await trio.lowlevel.checkpoint()
        assert version == 3
        self.requests.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, float):
            await trio.sleep(answer)
        if not isinstance(answer, ControlledShutdownResponse):
            raise ChannelError("no connection")
        return answer

    def close(self) -> None:
        """Nothing is open."""


def shutdown(controller: Controller, *, leads_any: bool = True, **settings: object) -> ControlledShutdown:
    config = ControlledShutdownConfig(broker_config(**settings).value)
    broker = StoppingBroker(1, lambda: 77, 3)
    return ControlledShutdown(config, broker, lambda: controller.endpoint, lambda: leads_any, controller.connect)


@pytest.mark.parametrize(
    ("answers", "is_moved", "seconds"),
    [
        ([DONE], True, 0.3),
        ([REMAINING, DONE], True, 5.3),
        ([None, STALE, DONE], True, 10.3),
        ([REMAINING, REMAINING, REMAINING], False, 10),
        ([60.0, DONE], True, 35.3),
    ],
)
async def test_three_attempts_with_a_pause_between(
    autojump_clock: trio.abc.Clock,
    answers: list[ControlledShutdownResponse | float | None],
    is_moved: bool,
    seconds: float,
) -> None:
    controller = Controller(*answers)
    started = trio.current_time()
    assert await shutdown(controller).run() is is_moved
    assert trio.current_time() - started == pytest.approx(seconds)
    assert {(each.broker_id, each.broker_epoch) for each in controller.requests} == {(1, 77)}


async def test_a_broker_that_leads_nothing_does_not_serve_on(autojump_clock: trio.abc.Clock) -> None:
    started = trio.current_time()
    assert await shutdown(Controller(DONE), leads_any=False).run()
    assert trio.current_time() == started


async def test_a_cluster_without_a_controller_is_left_all_the_same(autojump_clock: trio.abc.Clock) -> None:
    controller = Controller(is_known=False)
    assert not await shutdown(controller, controlled_shutdown_max_retries=2).run()
    assert controller.requests == []


async def test_it_may_be_turned_off() -> None:
    controller = Controller()
    assert not await shutdown(controller, controlled_shutdown_enable="false").run()
    assert controller.requests == []
