"""LeaderEndpoint: the requests of a follower to one leader (Kafka: RemoteLeaderEndPoint).

Versions are those of the inter-broker protocol; responses become values by partition.  Errors of a partition are part
of the result, and a leader that cannot be reached raises ChannelError.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from wirebroker.model import TopicPartition
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.messages.fetch import FetchRequest, FetchResponse, ReplicaState
from wirebroker.protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
)
from wirebroker.protocol.messages.offset_for_leader_epoch import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderEpochResponse,
    OffsetForLeaderPartition,
    OffsetForLeaderTopic,
)
from wirebroker.replication.fetcher.fetch_response_decoder import LOWEST_VERSION
from wirebroker.replication.fetcher.offset_truncation import EpochEnd

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from wirebroker.client.broker_channel import ChannelError
    from wirebroker.config.inter_broker_protocol import InterBrokerProtocol
    from wirebroker.protocol.message import WritableMessage
    from wirebroker.replication.fetcher.fetch_session_handler import FetchRequestData

LATEST_TIMESTAMP: Final = -1
"""Asks ListOffsets for the end of the log; of a follower the leader's log end, not its high watermark."""
EARLIEST_TIMESTAMP: Final = -2
STREAMED_FROM: Final = 256 << 10
"""Larger Fetch responses are processed while they arrive; to wait for the last byte of others takes no time."""
_REPLICA_STATE_FROM: Final = 15
_MAX_BYTES_FROM: Final = 3
_OFFSET_FROM: Final = 1
"""The first version of ListOffsets that answers with one offset."""


class Channel(Protocol):
    """The connection to the leader: a BrokerChannel."""

    @property
    def name(self) -> str: ...

    @property
    def request_timeout_s(self) -> float: ...

    async def send(self, request: WritableMessage, version: int) -> Any: ...

    def encode(self, request: WritableMessage, version: int) -> bytearray: ...

    @property
    def missing_bytes(self) -> int: ...

    async def exchange(
        self, request: bytearray, api_key: int, version: int, whole_up_to: int = ...
    ) -> tuple[memoryview, int]: ...

    @property
    def fd(self) -> int: ...

    def try_send(self, request: bytearray) -> bool: ...

    def try_receive(self, api_key: int, version: int) -> tuple[memoryview, int] | None: ...

    async def receive_rest(self, api_key: int, version: int, whole_up_to: int = ...) -> tuple[memoryview, int]: ...

    def abandon(self) -> None: ...

    async def receive_more(self, unread: memoryview, limit: int, api_key: int) -> memoryview: ...

    def failed(self, api_key: int, fault: Exception) -> ChannelError: ...

    def timed_out(self, api_key: int) -> ChannelError: ...

    def close(self) -> None: ...


class FetchLimits(NamedTuple):
    """The limits of a follower's Fetch requests."""

    wait_max_ms: int
    """``replica.fetch.wait.max.ms``."""
    min_bytes: int
    """``replica.fetch.min.bytes``."""
    response_max_bytes: int
    """``replica.fetch.response.max.bytes``."""


class AskedEpoch(NamedTuple):
    """A question of OffsetForLeaderEpoch: where does the leader's log end the *epoch*?"""

    current_leader_epoch: int
    epoch: int


class LeaderEndpoint:
    """The requests of this broker, a follower, to one leader."""

    def __init__(
        self,
        channel: Channel,
        protocol: InterBrokerProtocol,
        replica_id: int,
        broker_epoch: Callable[[], int],
        limits: FetchLimits,
    ) -> None:
        """Send the requests on *channel*, as broker *replica_id* with its *broker_epoch* (-1 for none)."""
        self.channel = channel
        self.protocol = protocol
        self.broker_epoch = broker_epoch
        self._replica_id = replica_id
        self._limits = limits

    def encode_fetch(self, data: FetchRequestData) -> bytearray:
        """Return the frame of a Fetch request."""
        limits = self._limits
        request = FetchRequest(
            max_wait_ms=limits.wait_max_ms,
            min_bytes=limits.min_bytes,
            session_id=data.session_id,
            session_epoch=data.session_epoch,
            topics=data.topics,
            forgotten_topics_data=data.forgotten,
        )
        if data.version >= _MAX_BYTES_FROM:
            request.max_bytes = limits.response_max_bytes
        if data.version >= _REPLICA_STATE_FROM:
            request.replica_state = ReplicaState(self._replica_id, self.broker_epoch())
        else:
            request.replica_id = self._replica_id
        return self.channel.encode(request, data.version)

    async def exchange_fetch(self, frame: bytearray, version: int) -> tuple[memoryview, int]:
        """Send a frame of `encode_fetch`, without a limit of time; return the response's frame and the body's position.

        The response is valid until the next request.  It is the beginning of a large one if the channel has
        `missing_bytes` of it: see `StreamedResponse`.

        Raises:
            ChannelError: the leader was not reached, or answered something else.
        """
        if version < LOWEST_VERSION:
            return await self.channel.exchange(frame, FetchRequest.API_KEY, version)
        return await self.channel.exchange(frame, FetchRequest.API_KEY, version, STREAMED_FROM)

    def read_fetch(self, body: memoryview, at: int, version: int) -> FetchResponse:
        """Return a response, which begins in *body* at *at*; raises ChannelError if it is malformed."""
        try:
            return FetchResponse.read(body, at, version)[0]
        except ProtocolError as fault:
            raise self.channel.failed(FetchRequest.API_KEY, fault) from fault

    def fetch_timed_out(self) -> ChannelError:
        """Close the connection after a Fetch request that took too long, and return the error to raise."""
        return self.channel.timed_out(FetchRequest.API_KEY)

    async def epoch_ends(self, asked: Mapping[TopicPartition, AskedEpoch]) -> dict[TopicPartition, EpochEnd | int]:
        """Return where the leader's log ends the epochs, or the error code of a partition.  Raises ChannelError."""
        version = self.protocol.offset_for_leader_epoch_version
        topics: dict[str, OffsetForLeaderTopic] = {}
        for (topic, index), (current, epoch) in asked.items():
            wanted = topics.setdefault(topic, OffsetForLeaderTopic(topic))
            wanted.partitions.append(OffsetForLeaderPartition(index, current if version >= 2 else -1, epoch))
        request = OffsetForLeaderEpochRequest(topics=list(topics.values()))
        if version >= 3:
            request.replica_id = self._replica_id
        response: OffsetForLeaderEpochResponse = await self.channel.send(request, version)
        found: dict[TopicPartition, EpochEnd | int] = {}
        for answered in response.topics:
            for end in answered.partitions:
                at = TopicPartition(answered.topic, end.partition)
                found[at] = end.error_code or EpochEnd(end.leader_epoch, end.end_offset)
        return {at: found.get(at, int(ErrorCode.UNKNOWN_SERVER_ERROR)) for at in asked}

    async def offsets(
        self, leader_epochs: Mapping[TopicPartition, int], timestamp: int
    ) -> dict[TopicPartition, tuple[int, int]]:
        """Return the (error code, offset) of the leader's log at EARLIEST_TIMESTAMP or LATEST_TIMESTAMP.

        *leader_epochs* are those that this broker knows.  Raises ChannelError.
        """
        version = self.protocol.list_offsets_version
        topics: dict[str, ListOffsetsTopic] = {}
        for (topic, index), epoch in leader_epochs.items():
            wanted = topics.setdefault(topic, ListOffsetsTopic(topic))
            wanted.partitions.append(ListOffsetsPartition(index, epoch if version >= 4 else -1, timestamp))
        request = ListOffsetsRequest(replica_id=self._replica_id, topics=list(topics.values()))
        response: ListOffsetsResponse = await self.channel.send(request, version)
        found: dict[TopicPartition, tuple[int, int]] = {}
        for answered in response.topics:
            for each in answered.partitions:
                offset = each.offset
                if version < _OFFSET_FROM and not each.error_code:
                    offset = each.old_style_offsets[0] if each.old_style_offsets else -1
                found[TopicPartition(answered.name, each.partition_index)] = (each.error_code, offset)
        return {at: found.get(at, (int(ErrorCode.UNKNOWN_SERVER_ERROR), -1)) for at in leader_epochs}
