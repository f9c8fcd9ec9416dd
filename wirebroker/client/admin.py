"""A cluster as the admin commands see it: who leads, who coordinates, where offsets stand."""

from __future__ import annotations

import time
from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

from wirebroker.client.connection import Address, ClientError, Connection, parse_addresses
from wirebroker.model import TopicPartition
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from wirebroker.protocol.messages.find_coordinator import FindCoordinatorRequest
from wirebroker.protocol.messages.list_offsets import ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic
from wirebroker.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from wirebroker.record.record_batch import batches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from wirebroker.protocol.message import Message
    from wirebroker.protocol.messages.metadata import MetadataResponse

LATEST = -1
EARLIEST = -2
_FETCH_BY_NAME = 12
_FIND_ONE = 3
_GROUP, _TRANSACTION = 0, 1
_RETRY_S: Final = 0.1
_COORDINATOR_NOT_READY: Final = frozenset(
    {ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, ErrorCode.COORDINATOR_NOT_AVAILABLE, ErrorCode.NOT_COORDINATOR}
)

Result = TypeVar("Result")


class CoordinatorNotReady(ClientError):
    """A coordinator loads its state or has moved: the same request may succeed a moment later."""


def refusal(subject: str, code: int) -> ClientError:
    """The exception for an error code in an answer about *subject*."""
    kind = CoordinatorNotReady if code in _COORDINATOR_NOT_READY else ClientError
    return kind(f"{subject}: {explain(code)}")


class Admin:
    """Connections to a cluster, made when needed."""

    def __init__(self, bootstrap: str, timeout_s: float = 10.0) -> None:
        """Connect to the first broker of *bootstrap* (`host:port,...`) that answers.

        Raises:
            ClientError: none does.
        """
        self._timeout_s = timeout_s
        self._connections: dict[Address, Connection] = {}
        problems: list[str] = []
        for address in parse_addresses(bootstrap):
            try:
                self._any = self._connect(*address)
                return
            except ClientError as problem:
                problems.append(str(problem))
        raise ClientError("; ".join(problems))

    def _connect(self, host: str, port: int) -> Connection:
        address = Address(host, port)
        connection = self._connections.get(address)
        if connection is None:
            connection = self._connections[address] = Connection(address, self._timeout_s)
        return connection

    def retry(self, ask: Callable[[], Result]) -> Result:
        """Return what *ask* returns; call it again while it raises CoordinatorNotReady, for as long as the timeout.

        Raises:
            ClientError: what *ask* raised last.
        """
        deadline = time.monotonic() + self._timeout_s
        while True:
            try:
                return ask()
            except CoordinatorNotReady as problem:
                if time.monotonic() >= deadline:
                    waited = f"still so after {self._timeout_s:g} s; a longer --timeout waits for it"
                    raise ClientError(f"{problem} ({waited})") from problem
            time.sleep(_RETRY_S)

    def close(self) -> None:
        """Hang up everywhere."""
        for connection in self._connections.values():
            connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- the cluster -----------------------------------------------------------------------------------------------

    def metadata(self, topics: Iterable[str] | None = None) -> MetadataResponse:
        """Brokers and topics; all topics by default, and never made on the way."""
        wanted = None if topics is None else [MetadataRequestTopic(name=name) for name in topics]
        response: MetadataResponse = self._any.ask(MetadataRequest(topics=wanted, allow_auto_topic_creation=False))
        return response

    def brokers(self) -> list[tuple[int, Connection]]:
        """A connection to every broker."""
        found = self.metadata(())
        return [(broker.node_id, self._connect(broker.host, broker.port)) for broker in found.brokers]

    def coordinator(self, group_id: str) -> tuple[int, str, Connection]:
        """(broker id, its address, a connection) of the coordinator of *group_id*.

        Raises:
            ClientError: there is none; CoordinatorNotReady if there is none yet.
        """
        return self._coordinator("group", _GROUP, group_id)

    def transaction_coordinator(self, transactional_id: str) -> tuple[int, str, Connection]:
        """The same for *transactional_id*.

        Raises:
            ClientError: there is none.
        """
        return self._coordinator("transactional id", _TRANSACTION, transactional_id)

    def _coordinator(self, what: str, key_type: int, key: str) -> tuple[int, str, Connection]:
        answer = self._any.ask(FindCoordinatorRequest(key=key, key_type=key_type), _FIND_ONE)
        if answer.error_code:
            raise refusal(f"no coordinator for {what} {key}", answer.error_code)
        connection = self._connect(answer.host, answer.port)
        return answer.node_id, str(Address(answer.host, answer.port)), connection

    def leaders(self, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, Connection]:
        """Who leads each partition; those without leader are left out."""
        wanted = set(partitions)
        found = self.metadata({at.topic for at in wanted}) if wanted else None
        if found is None:
            return {}
        addresses = {broker.node_id: (broker.host, broker.port) for broker in found.brokers}
        return {
            TopicPartition(topic.name, partition.partition_index): self._connect(*addresses[partition.leader_id])
            for topic in found.topics
            if not topic.error_code and topic.name is not None
            for partition in topic.partitions
            if TopicPartition(topic.name, partition.partition_index) in wanted and partition.leader_id in addresses
        }

    def partitions_of(self, topic: str) -> list[int]:
        """The partition numbers of a topic.

        Raises:
            ClientError: there is no such topic.
        """
        found = self.metadata([topic]).topics
        if not found or found[0].error_code:
            raise ClientError(f"topic {topic} does not exist")
        return sorted(partition.partition_index for partition in found[0].partitions)

    # -- offsets ---------------------------------------------------------------------------------------------------

    def list_offsets(self, wanted: Mapping[TopicPartition, int]) -> dict[TopicPartition, int]:
        """The offset for each partition's timestamp (or LATEST, EARLIEST); -1 where no record qualifies."""
        by_leader: dict[Connection, list[TopicPartition]] = defaultdict(list)
        for at, leader in self.leaders(wanted).items():
            by_leader[leader].append(at)
        offsets: dict[TopicPartition, int] = {}
        for leader, partitions in by_leader.items():
            topics: dict[str, list[ListOffsetsPartition]] = defaultdict(list)
            for at in partitions:
                topics[at.topic].append(ListOffsetsPartition(partition_index=at.partition, timestamp=wanted[at]))
            request = ListOffsetsRequest(
                replica_id=-1,
                topics=[ListOffsetsTopic(name=name, partitions=entries) for name, entries in topics.items()],
            )
            for topic in leader.ask(request).topics:
                for entry in topic.partitions:
                    if not entry.error_code:
                        offsets[TopicPartition(topic.name, entry.partition_index)] = entry.offset
        return offsets

    def timestamp_at(self, at: TopicPartition, offset: int) -> int | None:
        """The timestamp of the first record from *offset* on, None if there is none."""
        leader = self.leaders([at]).get(at)
        if leader is None:
            return None
        request = FetchRequest(
            max_wait_ms=0,
            min_bytes=0,
            max_bytes=1,
            topics=[
                FetchTopic(
                    topic=at.topic,
                    partitions=[FetchPartition(partition=at.partition, fetch_offset=offset, partition_max_bytes=1)],
                )
            ],
        )
        for topic in leader.ask(request, _FETCH_BY_NAME).responses:
            for entry in topic.partitions:
                if entry.error_code or not entry.records:
                    continue
                for batch in batches(entry.records):
                    for record in batch.records():
                        if record.offset >= offset:
                            return record.timestamp
        return None

    def ask_any(self, request: Message) -> Any:
        """Ask the broker that answered first."""
        return self._any.ask(request)


def explain(code: int) -> str:
    """An error code in words."""
    try:
        known = ErrorCode(code)
    except ValueError:
        return f"error {code}"
    return f"{known.name}: {known.meaning}"
