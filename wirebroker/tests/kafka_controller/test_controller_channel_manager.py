"""ControllerChannelManager over socket pairs: order, retries, brokers that are gone, and the end of a term."""

from __future__ import annotations

import itertools
from struct import pack
from typing import TYPE_CHECKING

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from wirebroker.config.endpoints import Listener
from wirebroker.kafka_controller.controller_channel_manager import RETRY_S, ControllerChannelManager
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.headers import read_request_header
from wirebroker.protocol.messages.update_metadata import (
    UpdateMetadataPartitionState,
    UpdateMetadataRequest,
    UpdateMetadataResponse,
    UpdateMetadataTopicState,
)
from wirebroker.zookeeper.znodes.brokers import BrokerInfo

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from wirebroker.model import BrokerEndpoint

VERSION = 5
TIMEOUT_S = 30.0


class Brokers:
    """The brokers at the other end: they keep the controller epochs of the requests, which number them."""

    def __init__(self, nursery: trio.Nursery) -> None:
        self.received: list[tuple[int, int]] = []
        """(broker, controller epoch) of each request, in the order of their arrival."""
        self.connected_at: dict[int, list[float]] = {}
        self.down: set[int] = set()
        """Brokers that refuse connections."""
        self.silent: set[int] = set()
        """Brokers that do not answer."""
        self.hangs_up: set[int] = set()
        """Brokers that close the connection in place of an answer."""
        self.error_code = ErrorCode.NONE
        self._nursery = nursery

    async def connect(self, endpoint: BrokerEndpoint) -> trio.socket.SocketType:
        await trio.lowlevel.checkpoint()
        self.connected_at.setdefault(endpoint.node_id, []).append(trio.current_time())
        if endpoint.node_id in self.down:
            raise ConnectionRefusedError("refused")
        ours, theirs = trio.socket.socketpair()
        self._nursery.start_soon(self._serve, endpoint.node_id, theirs)
        return ours

    async def _serve(self, broker_id: int, connection: trio.socket.SocketType) -> None:
        with connection:
            while size := await connection.recv(4):
                frame = b""
                while len(frame) < int.from_bytes(size, "big"):
                    more = await connection.recv(1 << 16)
                    if not more:
                        return
                    frame += more
                _, _, correlation_id, _, at = read_request_header(frame)
                request, _ = UpdateMetadataRequest.read(memoryview(frame), at, VERSION)
                self.received.append((broker_id, request.controller_epoch))
                if broker_id in self.hangs_up:
                    return
                if broker_id not in self.silent:
                    body = bytearray(pack(">i", correlation_id))
                    UpdateMetadataResponse(error_code=self.error_code).write(body, VERSION)
                    await connection.send(pack(">i", len(body)) + bytes(body))

    def epochs(self, broker_id: int) -> list[int]:
        """The requests that a broker has received, in order."""
        return [epoch for each, epoch in self.received if each == broker_id]


def broker(broker_id: int, listener: str = "CONTROL") -> BrokerInfo:
    return BrokerInfo(broker_id, (Listener(listener, "PLAINTEXT", f"host{broker_id}", 9092),))


def request(number: int, partitions: int = 0) -> UpdateMetadataRequest:
    """A request that can be told by its controller epoch."""
    states = [UpdateMetadataPartitionState(partition_index=each) for each in range(partitions)]
    return UpdateMetadataRequest(
        controller_id=1, controller_epoch=number, topic_states=[UpdateMetadataTopicState("t", partition_states=states)]
    )


def run(
    story: Callable[[ControllerChannelManager, Brokers], Awaitable[None]], *, is_clock_virtual: bool = True
) -> None:
    """Run *story* with the channels of a controller; a virtual clock does not wait for threads."""

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            brokers = Brokers(nursery)
            channels = ControllerChannelManager(1, "CONTROL", TIMEOUT_S, brokers.connect)
            await nursery.start(channels.run)
            try:
                await story(channels, brokers)
            finally:
                channels.shutdown()
                nursery.cancel_scope.cancel()

    trio.run(main, clock=MockClock(autojump_threshold=0.01) if is_clock_virtual else None)


def test_requests_reach_each_broker_in_order_one_at_a_time() -> None:
    async def story(channels: ControllerChannelManager, brokers: Brokers) -> None:
        channels.startup([broker(1), broker(2)])
        answered: list[int] = []
        done = {1: trio.Event(), 2: trio.Event()}
        for number in range(20):
            # every third is large, and so encoded in a thread
            channels.send_request(1, request(number, 600 if number % 3 == 0 else 1), VERSION)
            channels.send_request(2, request(number), VERSION, lambda _, number=number: answered.append(number))  # type: ignore[misc]
        assert channels.total_queue_size == 40
        for broker_id, event in done.items():
            channels.send_request(broker_id, request(20), VERSION, lambda _, event=event: event.set())  # type: ignore[misc]
        with trio.fail_after(60):
            for each in done.values():
                await each.wait()
        assert channels.total_queue_size == 0
        assert brokers.epochs(1) == brokers.epochs(2) == list(range(21))
        assert answered == list(range(20))
        assert len(brokers.connected_at[1]) == 1

    run(story, is_clock_virtual=False)


def test_a_request_is_repeated_until_the_broker_is_back() -> None:
    async def story(channels: ControllerChannelManager, brokers: Brokers) -> None:
        brokers.down.add(2)
        channels.startup([broker(1), broker(2)])
        for number in range(3):
            channels.send_request(1, request(number), VERSION)
            channels.send_request(2, request(number), VERSION)
        await trio.sleep(10)
        assert brokers.epochs(1) == [0, 1, 2], "one broker that is down held back the requests to another"
        assert brokers.epochs(2) == []
        assert channels.total_queue_size == 2, "the first one is no longer queued but tried"
        attempts = brokers.connected_at[2]
        assert len(attempts) >= 10 / (2 * RETRY_S) - 1
        assert min(after - before for before, after in itertools.pairwise(attempts)) >= RETRY_S - 1e-6
        brokers.down.clear()
        await trio.sleep(1)
        assert brokers.epochs(2) == [0, 1, 2]

    run(story)


def test_a_request_whose_answer_was_lost_is_sent_again_before_the_next() -> None:
    async def story(channels: ControllerChannelManager, brokers: Brokers) -> None:
        brokers.hangs_up.add(2)
        channels.add_broker(broker(2))
        channels.send_request(2, request(0), VERSION)
        channels.send_request(2, request(1), VERSION)
        await trio.sleep(1)
        assert set(brokers.epochs(2)) == {0}
        assert len(brokers.epochs(2)) > 2
        brokers.hangs_up.clear()
        await trio.sleep(1)
        assert brokers.epochs(2)[-2:] == [0, 1]

    run(story)


def test_a_broker_that_does_not_answer_is_asked_again_after_the_timeout() -> None:
    async def story(channels: ControllerChannelManager, brokers: Brokers) -> None:
        brokers.silent.add(2)
        channels.add_broker(broker(2))
        channels.send_request(2, request(7), VERSION)
        await trio.sleep(TIMEOUT_S - 1)
        assert brokers.epochs(2) == [7]
        await trio.sleep(2)
        assert brokers.epochs(2) == [7, 7]
        assert len(brokers.connected_at[2]) == 2

    run(story)


@pytest.mark.parametrize("error", [ErrorCode.STALE_CONTROLLER_EPOCH, ErrorCode.STALE_BROKER_EPOCH])
def test_a_refusal_is_an_answer_and_is_not_repeated(error: ErrorCode) -> None:
    """The controller was replaced, or the broker has started again, of which ZooKeeper tells the controller."""

    async def story(channels: ControllerChannelManager, brokers: Brokers) -> None:
        brokers.error_code = error
        channels.add_broker(broker(2))
        codes: list[int] = []
        for number in range(2):
            channels.send_request(2, request(number), VERSION, lambda response: codes.append(response.error_code))
        await trio.sleep(5)
        assert brokers.epochs(2) == [0, 1]
        assert codes == [error, error]

    run(story)


def test_a_broker_that_is_removed_gets_nothing_any_more() -> None:
    async def story(channels: ControllerChannelManager, brokers: Brokers) -> None:
        brokers.silent.add(2)
        channels.startup([broker(1), broker(2)])
        answered: list[object] = []
        for number in range(3):
            channels.send_request(2, request(number), VERSION, answered.append)
        await wait_all_tasks_blocked(0.005)
        channels.remove_broker(2)
        channels.remove_broker(2)  # no effect
        channels.send_request(2, request(3), VERSION)
        assert channels.total_queue_size == 0
        brokers.silent.clear()
        await trio.sleep(2 * TIMEOUT_S)
        assert brokers.epochs(2) == [0]
        assert answered == []
        # the same id again, as after a start of that broker: with a connection of its own
        channels.add_broker(broker(2))
        channels.send_request(2, request(4), VERSION)
        await trio.sleep(1)
        assert brokers.epochs(2) == [0, 4]
        assert len(brokers.connected_at[2]) == 2

    run(story)


def test_a_controller_that_resigns_sends_nothing_more() -> None:
    async def story(channels: ControllerChannelManager, brokers: Brokers) -> None:
        brokers.down.add(3)
        brokers.silent.add(2)
        channels.startup(map(broker, (1, 2, 3)))
        answered: list[object] = []
        for broker_id in (1, 2, 3):
            for number in range(3):
                channels.send_request(broker_id, request(number), VERSION, answered.append)
        channels.shutdown()  # in the turn in which they were queued
        assert channels.total_queue_size == 0
        brokers.down.clear()
        brokers.silent.clear()
        await trio.sleep(2 * TIMEOUT_S)
        assert brokers.received == []
        assert answered == []
        # the next term begins with queues that are empty
        channels.startup(map(broker, (1, 2, 3)))
        channels.send_request(3, request(9), VERSION)
        await trio.sleep(1)
        assert brokers.received == [(3, 9)]

    run(story)


def test_an_answer_after_the_end_of_the_term_is_dropped() -> None:
    async def story(channels: ControllerChannelManager, brokers: Brokers) -> None:
        channels.startup([broker(1), broker(2)])
        answered: list[int] = []

        def resign(_: object) -> None:
            answered.append(1)
            channels.shutdown()

        channels.send_request(1, request(0), VERSION, resign)
        channels.send_request(1, request(1), VERSION, lambda _: answered.append(2))
        await trio.sleep(1)
        assert answered == [1]
        assert brokers.epochs(1) == [0]
        channels.add_broker(broker(1))  # the task of the former channel has ended without an error
        channels.send_request(1, request(5), VERSION)
        await trio.sleep(1)
        assert brokers.epochs(1) == [0, 5]

    run(story)


def test_a_broker_is_told_nothing_without_the_listener_of_the_controller(caplog: pytest.LogCaptureFixture) -> None:
    async def story(channels: ControllerChannelManager, brokers: Brokers) -> None:
        channels.add_broker(broker(2, "PLAINTEXT"))
        channels.send_request(2, request(0), VERSION)
        await trio.sleep(1)
        assert brokers.received == []
        assert channels.total_queue_size == 0

    run(story)
    assert "broker 2 has no listener CONTROL" in caplog.text


def test_a_second_channel_to_a_broker_is_not_opened() -> None:
    async def story(channels: ControllerChannelManager, brokers: Brokers) -> None:
        for _ in range(2):
            channels.add_broker(broker(2))
        channels.send_request(2, request(0), VERSION)
        await trio.sleep(1)
        assert brokers.received == [(2, 0)]
        assert len(brokers.connected_at[2]) == 1

    run(story)
