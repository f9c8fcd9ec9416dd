"""A leader for followers to fetch from: real logs, fetch sessions, and requests and responses in their wire format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import trio

from wirebroker.client.broker_channel import ChannelError
from wirebroker.model import TopicPartition
from wirebroker.protocol.api import API
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.fetch import (
    EpochEndOffset,
    FetchableTopicResponse,
    FetchPartition,
    FetchRequest,
    FetchResponse,
    PartitionData,
)
from wirebroker.protocol.messages.list_offsets import (
    ListOffsetsPartitionResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)
from wirebroker.protocol.messages.offset_for_leader_epoch import EpochEndOffset as EpochEnd
from wirebroker.protocol.messages.offset_for_leader_epoch import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderEpochResponse,
    OffsetForLeaderTopicResult,
)
from wirebroker.replication.fetcher.fetch_response_decoder import LOWEST_VERSION
from wirebroker.tests.storage.fakes.disk import FakeDisk
from wirebroker.tests.storage.fakes.logs import LARGE, Clock, batch, manager

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.client.broker_channel import ChannelSettings
    from wirebroker.model import BrokerEndpoint
    from wirebroker.storage.log import Log


class Led(NamedTuple):
    """A partition of the leader."""

    log: Log
    leader_epoch: int


class LeaderHarness:
    """A broker that leads partitions; `channel` is what a follower's BrokerChannel is replaced by."""

    def __init__(self) -> None:
        self._logs = manager(FakeDisk(), LARGE, Clock())
        self.led: dict[TopicPartition, Led] = {}
        self.topic_ids: dict[str, bytes] = {}
        self.high_watermarks: dict[TopicPartition, int] = {}
        """Where it is not the log end."""
        self.errors: dict[TopicPartition, int] = {}
        """Answered to every request for that partition."""
        self.is_down = False
        self.is_silent = False
        """Whether no request is answered."""
        self.requests: list[Any] = []
        self.versions: list[int] = []
        self.channels: list[LeaderChannel] = []
        self.answered_with: FetchResponse | None = None
        """A FetchResponse in place of the next one."""
        self.piece_bytes: int | None = None
        """The size of the pieces that larger Fetch responses arrive in; None for whole responses."""
        self.before_piece: Callable[[], None] | None = None
        """Called before each piece but the first."""
        self._changed = trio.Event()

    def connect(self, endpoint: BrokerEndpoint, settings: ChannelSettings) -> LeaderChannel:
        channel = LeaderChannel(self, endpoint, settings)
        self.channels.append(channel)
        return channel

    def lead(self, at: TopicPartition, leader_epoch: int) -> Led:
        """Lead a partition from this epoch on."""
        log = self._logs.get(*at) or self._logs.get_or_create(*at)
        log.assign_leader_epoch(leader_epoch)
        self.led[at] = Led(log, leader_epoch)
        self.wake()
        return self.led[at]

    def append(self, at: TopicPartition, *values: bytes) -> None:
        """Append one batch."""
        led = self.led[at]
        led.log.append_as_leader(batch(*values), led.leader_epoch, 0)
        self.wake()

    def wake(self) -> None:
        """Answer a fetch that waits, if there is anything to answer."""
        self._changed.set()

    def high_watermark(self, at: TopicPartition) -> int:
        return self.high_watermarks.get(at, self.led[at].log.log_end_offset)

    def fetches(self) -> list[FetchRequest]:
        """The Fetch requests so far."""
        return [each for each in self.requests if isinstance(each, FetchRequest)]

    async def changed(self, max_wait_ms: int) -> None:
        """Wait as a fetch does that finds nothing."""
        self._changed = trio.Event()
        with trio.move_on_after(max_wait_ms / 1000):
            await self._changed.wait()


class LeaderChannel:
    """One follower's connection, with its fetch session."""

    def __init__(self, leader: LeaderHarness, endpoint: BrokerEndpoint, settings: ChannelSettings) -> None:
        self.name = f"broker {endpoint.node_id} ({endpoint.host}:{endpoint.port})"
        self.settings = settings
        self.request_timeout_s = settings.request_timeout_s
        self.is_closed = False
        self.missing_bytes = 0
        self._unsent = memoryview(b"")
        self._leader = leader
        self._session: dict[TopicPartition, FetchPartition] = {}
        self._session_id = 0
        self._epoch = 0
        self._sent: dict[TopicPartition, tuple[int, int]] = {}

    def close(self) -> None:
        self.is_closed = True

    async def send(self, request: Any, version: int) -> Any:
        with trio.move_on_after(self.request_timeout_s):
            frame, at = await self.exchange(self.encode(request, version), request.API_KEY, version)
            response_class: Any = API[request.API_KEY].load()[1]
            return response_class.read(frame, at, version)[0]
        raise self.timed_out(request.API_KEY)

    def encode(self, request: Any, version: int) -> bytearray:
        out = bytearray()
        request.write(out, version)
        return out

    def failed(self, api_key: int, fault: Exception) -> ChannelError:
        return ChannelError(f"request {api_key} to {self.name} failed: {fault}")

    def timed_out(self, api_key: int) -> ChannelError:
        return ChannelError(f"{self.name} did not respond to request {api_key}")

    async def exchange(
        self, request: bytearray, api_key: int, version: int, whole_up_to: int = 0
    ) -> tuple[memoryview, int]:
        await trio.lowlevel.checkpoint()
        received = API[api_key].load()[0].read(bytes(request), 0, version)[0]
        self._leader.requests.append(received)
        self._leader.versions.append(version)
        if self._leader.is_down:
            raise ChannelError(f"{self.name}: down")
        if self._leader.is_silent:
            await trio.sleep_forever()
        response = await self._respond(received, version)
        frame = memoryview(self.encode(response, version))
        self.missing_bytes = 0
        if self._leader.piece_bytes is None or api_key != FetchRequest.API_KEY or version < LOWEST_VERSION:
            return frame, 0
        if len(frame) <= self._leader.piece_bytes:
            return frame, 0
        self._unsent = frame[self._leader.piece_bytes :]
        self.missing_bytes = len(self._unsent)
        return memoryview(bytearray(frame[: self._leader.piece_bytes])), 0

    @property
    def fd(self) -> int:
        return -1

    def try_send(self, request: bytearray) -> bool:
        """Leave all requests to `exchange`, as without a connection."""
        return False

    def try_receive(self, api_key: int, version: int) -> tuple[memoryview, int] | None:
        raise AssertionError("no request was sent with `try_send`")

    async def receive_rest(self, api_key: int, version: int, whole_up_to: int = 0) -> tuple[memoryview, int]:
        raise AssertionError("no request was sent with `try_send`")

    def abandon(self) -> None:
        raise AssertionError("no request was sent with `try_send`")

    async def receive_more(self, unread: memoryview, limit: int, api_key: int) -> memoryview:
        """Return the next piece of a response; the buffer of the former one means nothing any more."""
        await trio.lowlevel.checkpoint()
        leader = self._leader
        assert leader.piece_bytes is not None
        if leader.before_piece is not None:
            leader.before_piece()
        if leader.is_down:
            self.missing_bytes = 0
            raise ChannelError(f"{self.name}: down")
        size = min(limit, leader.piece_bytes)
        received = bytearray(unread)
        received += self._unsent[:size]
        assert isinstance(unread.obj, bytearray)
        unread.obj[:] = bytes(len(unread.obj))
        self._unsent = self._unsent[size:]
        self.missing_bytes = len(self._unsent)
        return memoryview(received)

    async def _respond(self, request: Any, version: int) -> Any:
        if isinstance(request, FetchRequest):
            return await self._fetch(request, version)
        if isinstance(request, OffsetForLeaderEpochRequest):
            return self._epoch_ends(request)
        assert isinstance(request, ListOffsetsRequest)
        return self._offsets(request, version)

    def _code(self, at: TopicPartition, current_leader_epoch: int) -> int:
        led = self._leader.led.get(at)
        if at in self._leader.errors:
            return self._leader.errors[at]
        if led is None:
            return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        if 0 <= current_leader_epoch < led.leader_epoch:
            return ErrorCode.FENCED_LEADER_EPOCH
        return ErrorCode.UNKNOWN_LEADER_EPOCH if current_leader_epoch > led.leader_epoch else ErrorCode.NONE

    async def _fetch(self, request: FetchRequest, version: int) -> FetchResponse:
        if self._leader.answered_with is not None:
            answer, self._leader.answered_with = self._leader.answered_with, None
            return answer
        names = {topic_id: name for name, topic_id in self._leader.topic_ids.items()}

        def name(topic: Any) -> str:
            return names[topic.topic_id] if version >= 13 else topic.topic

        wanted = {
            TopicPartition(name(topic), each.partition): each for topic in request.topics for each in topic.partitions
        }
        if request.session_epoch in (0, -1):
            self._session, self._sent = wanted, {}
            self._session_id, self._epoch = self._session_id + 1, 1
        else:
            if request.session_id != self._session_id:
                return FetchResponse(error_code=ErrorCode.FETCH_SESSION_ID_NOT_FOUND)
            if request.session_epoch != self._epoch:
                return FetchResponse(error_code=ErrorCode.INVALID_FETCH_SESSION_EPOCH)
            self._epoch += 1
            self._session |= wanted
            for gone in request.forgotten_topics_data:
                for index in gone.partitions:
                    del self._session[TopicPartition(name(gone), index)]
        found = self._read(version)
        if not found or (version < 7 and not any(data.records or data.error_code for data in found.values())):
            await self._leader.changed(request.max_wait_ms)
            found |= self._read(version)
        topics: dict[str, FetchableTopicResponse] = {}
        for at, data in found.items():
            topic_id = self._leader.topic_ids.get(at.topic, bytes(16))
            response = FetchableTopicResponse(topic_id=topic_id) if version >= 13 else FetchableTopicResponse(at.topic)
            topics.setdefault(at.topic, response).partitions.append(data)
        session_id = self._session_id if version >= 7 else 0
        return FetchResponse(session_id=session_id, responses=list(topics.values()))

    def _read(self, version: int) -> dict[TopicPartition, PartitionData]:
        found: dict[TopicPartition, PartitionData] = {}
        for at, asked in self._session.items():
            code = self._code(at, asked.current_leader_epoch)
            if code:
                found[at] = PartitionData(at.partition, code, high_watermark=-1)
                continue
            log, high_watermark = self._leader.led[at].log, self._leader.high_watermark(at)
            if asked.last_fetched_epoch >= 0:
                epoch, end = log.end_offset_for_epoch(asked.last_fetched_epoch)
                if epoch < 0:
                    found[at] = PartitionData(at.partition, ErrorCode.OFFSET_OUT_OF_RANGE, high_watermark=-1)
                    continue
                if epoch < asked.last_fetched_epoch or end < asked.fetch_offset:
                    diverging = EpochEndOffset(epoch, end)
                    found[at] = PartitionData(at.partition, high_watermark=-1, diverging_epoch=diverging)
                    continue
            if not log.log_start_offset <= asked.fetch_offset <= log.log_end_offset:
                found[at] = PartitionData(at.partition, ErrorCode.OFFSET_OUT_OF_RANGE, high_watermark=-1)
                continue
            records = b""
            if asked.fetch_offset < log.log_end_offset:
                found_slice = log.read(asked.fetch_offset, asked.partition_max_bytes, log.log_end_offset, True, True)
                records = found_slice.tobytes()
            if records or self._sent.get(at) != (high_watermark, log.log_start_offset):
                self._sent[at] = high_watermark, log.log_start_offset
                start = log.log_start_offset if version >= 5 else -1
                found[at] = PartitionData(
                    at.partition, high_watermark=high_watermark, log_start_offset=start, records=records
                )
        return found

    def _epoch_ends(self, request: OffsetForLeaderEpochRequest) -> OffsetForLeaderEpochResponse:
        topics = []
        for topic in request.topics:
            ends = []
            for each in topic.partitions:
                at = TopicPartition(topic.topic, each.partition)
                code = self._code(at, each.current_leader_epoch)
                end = (-1, -1) if code else self._leader.led[at].log.end_offset_for_epoch(each.leader_epoch)
                ends.append(EpochEnd(code, each.partition, *end))
            topics.append(OffsetForLeaderTopicResult(topic.topic, ends))
        return OffsetForLeaderEpochResponse(topics=topics)

    def _offsets(self, request: ListOffsetsRequest, version: int) -> ListOffsetsResponse:
        topics = []
        for topic in request.topics:
            partitions = []
            for each in topic.partitions:
                at = TopicPartition(topic.name, each.partition_index)
                code = self._code(at, each.current_leader_epoch)
                answer = ListOffsetsPartitionResponse(each.partition_index, code)
                if not code:
                    log = self._leader.led[at].log
                    answer.offset = log.log_end_offset if each.timestamp == -1 else log.log_start_offset
                partitions.append(answer)
            topics.append(ListOffsetsTopicResponse(topic.name, partitions))
        return ListOffsetsResponse(topics=topics)
