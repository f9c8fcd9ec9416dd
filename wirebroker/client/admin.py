"""The admin client: metadata, coordinators, partition leaders and offsets of a running cluster."""

from __future__ import annotations

import time
from collections import defaultdict
from typing import TYPE_CHECKING, Final, Self, TypeVar

from wirebroker.client.connection import (
    CLIENT_ID,
    Address,
    ClientError,
    Connection,
    ResponseError,
    UnsupportedApi,
    parse_addresses,
)
from wirebroker.client.security import PLAINTEXT
from wirebroker.model import TopicPartition, values_by_topic
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.find_coordinator import FindCoordinatorRequest
from wirebroker.protocol.messages.list_offsets import ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic
from wirebroker.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from wirebroker.client.security import Security
    from wirebroker.protocol.messages.metadata import MetadataResponse, MetadataResponseBroker

LATEST: Final = -1
EARLIEST: Final = -2
_FIND_ONE: Final = 3
"""The newest version of FindCoordinator with one key per request."""
_GROUP, _TRANSACTION = 0, 1
_RETRY_S: Final = 0.1
_COORDINATOR_NOT_READY: Final = frozenset(
    {
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
        ErrorCode.COORDINATOR_NOT_AVAILABLE,
        ErrorCode.NOT_COORDINATOR,
        ErrorCode.NOT_CONTROLLER,
    }
)

Result = TypeVar("Result")


class CoordinatorNotReady(ResponseError):
    """A coordinator loads its state, or it or the controller has moved or is dead; the request may be sent again."""


def response_error(subject: str, code: int, message: str | None = None) -> ResponseError:
    """Return the exception for an error code in a response about *subject*, such as "group g".

    Args:
        subject: the begin of the text.
        code: of the response.
        message: the broker's own; it replaces the meaning of the code.
    """
    kind = CoordinatorNotReady if code in _COORDINATOR_NOT_READY else ResponseError
    text = f"{code_name(code)}: {message}" if message else describe_code(code)
    return kind(f"{subject}: {text}", code, message)


class Admin:
    """A cluster, with one connection to each broker, which is opened when it is needed.

    Attributes:
        skips_unreachable: Whether `brokers` and `ask_brokers` leave out brokers that cannot be reached, in place of an
            exception.  A dead broker is in the metadata until its session has expired.
        unreachable: Broker id -> why the broker was left out.
    """

    def __init__(
        self,
        bootstrap: str,
        timeout_s: float = 10.0,
        client_id: str = CLIENT_ID,
        security: Security = PLAINTEXT,
    ) -> None:
        """Connect to the first broker of *bootstrap* (`host:port,...`) that responds.

        Raises:
            ClientError: none of them does.
        """
        self._timeout_s, self._client_id, self._security = timeout_s, client_id, security
        self._connections: dict[Address, Connection] = {}
        self.skips_unreachable = False
        self.unreachable: dict[int, str] = {}
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
            connection = Connection(address, self._timeout_s, self._client_id, self._security)
            self._connections[address] = connection
        return connection

    def _connect_to_elected(self, host: str, port: int, code: ErrorCode) -> Connection:
        """Return the connection to a broker whose part another one takes over when it is dead.

        Raises:
            CoordinatorNotReady: it cannot be reached.
        """
        try:
            return self._connect(host, port)
        except ClientError as problem:
            raise CoordinatorNotReady(str(problem), code) from problem

    def retry(self, send: Callable[[], Result]) -> Result:
        """Return what *send* returns; call it again while it raises CoordinatorNotReady, for as long as the timeout.

        Raises:
            ClientError: the last one that *send* raised.
        """
        deadline = time.monotonic() + self._timeout_s
        while True:
            try:
                return send()
            except CoordinatorNotReady as problem:
                if time.monotonic() >= deadline:
                    waited = f"still so after {self._timeout_s:g} s; a longer --timeout waits for it"
                    raise ClientError(f"{problem} ({waited})") from problem
            time.sleep(_RETRY_S)

    def close(self) -> None:
        """Close all connections."""
        for connection in self._connections.values():
            connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def timeout_ms(self) -> int:
        """How long a broker may take for a request, for the timeout fields of requests."""
        return int(self._timeout_s * 1000)

    # -- the cluster -----------------------------------------------------------------------------------------------

    def metadata(self, topics: Iterable[str] | None = None) -> MetadataResponse:
        """Return the brokers, and all topics or *topics*; topics that do not exist are not created."""
        wanted = None if topics is None else [MetadataRequestTopic(name=name) for name in topics]
        response: MetadataResponse = self._any.send(MetadataRequest(topics=wanted, allow_auto_topic_creation=False))
        return response

    @property
    def first(self) -> Connection:
        """The connection to the bootstrap server, for requests that any broker answers."""
        return self._any

    def controller(self) -> Connection:
        """Return the connection to the controller, or to any broker if none is known (brokers of KRaft forward).

        Raises:
            CoordinatorNotReady: it cannot be reached; if it is dead, another broker will be the controller.
        """
        found = self.metadata(())
        for broker in found.brokers:
            if broker.node_id == found.controller_id:
                return self._connect_to_elected(broker.host, broker.port, ErrorCode.NOT_CONTROLLER)
        return self._any

    def broker(self, broker_id: int) -> Connection:
        """Return the connection to one broker.

        Raises:
            ClientError: the cluster has no such broker.
        """
        for each in self.metadata(()).brokers:
            if each.node_id == broker_id:
                return self._connect(each.host, each.port)
        raise ClientError(f"there is no broker {broker_id}")

    def brokers(self, broker_ids: Collection[int] | None = None) -> dict[int, Connection]:
        """Return broker id -> connection of all brokers or *broker_ids*, sorted, as `ask_brokers` asks them."""
        return self.ask_brokers(lambda _, connection: connection, broker_ids)

    def ask_brokers(
        self, ask: Callable[[int, Connection], Result], broker_ids: Collection[int] | None = None
    ) -> dict[int, Result]:
        """Return broker id -> what *ask* returns for the broker, of all brokers or *broker_ids*, sorted.

        Raises:
            ClientError: a broker refuses, or cannot be reached and `skips_unreachable` is false.
        """
        found: dict[int, Result] = {}
        for each in sorted(self.metadata(()).brokers, key=lambda broker: broker.node_id):
            if broker_ids is None or each.node_id in broker_ids:
                self._ask(each, ask, found)
        return found

    def _ask(
        self, broker: MetadataResponseBroker, ask: Callable[[int, Connection], Result], found: dict[int, Result]
    ) -> None:
        """Add what *ask* returns to *found*, or the broker to `unreachable`."""
        try:
            found[broker.node_id] = ask(broker.node_id, self._connect(broker.host, broker.port))
        except (ResponseError, UnsupportedApi):
            raise
        except ClientError as problem:
            if not self.skips_unreachable:
                raise
            self.unreachable[broker.node_id] = str(problem)
            broken = self._connections.pop(Address(broker.host, broker.port), None)
            if broken is not None:
                broken.close()
        else:
            self.unreachable.pop(broker.node_id, None)

    def coordinator(self, group_id: str) -> tuple[int, str, Connection]:
        """Return (broker id, address, connection) of the coordinator of *group_id*.

        Raises:
            CoordinatorNotReady: the coordinator is not available yet.
            ClientError: the broker refuses the request.
        """
        return self._coordinator("group", _GROUP, group_id)

    def transaction_coordinator(self, transactional_id: str) -> tuple[int, str, Connection]:
        """Return (broker id, address, connection) of the coordinator of *transactional_id*.

        Raises:
            CoordinatorNotReady: the coordinator is not available yet.
            ClientError: the broker refuses the request.
        """
        return self._coordinator("transactional id", _TRANSACTION, transactional_id)

    def _coordinator(self, what: str, key_type: int, key: str) -> tuple[int, str, Connection]:
        found = self._any.send(FindCoordinatorRequest(key=key, key_type=key_type), _FIND_ONE)
        if found.error_code:
            raise response_error(f"no coordinator for {what} {key}", found.error_code)
        connection = self._connect_to_elected(found.host, found.port, ErrorCode.NOT_COORDINATOR)
        return found.node_id, str(Address(found.host, found.port)), connection

    def leaders(
        self, partitions: Iterable[TopicPartition], *, may_skip: bool = False
    ) -> dict[TopicPartition, Connection]:
        """Return partition -> connection to its leader, for those of *partitions* that have one.

        With *may_skip* partitions are left out whose leader cannot be reached, if `skips_unreachable` is true.

        Raises:
            ClientError: a leader cannot be reached.
        """
        wanted = set(partitions)
        if not wanted:
            return {}
        found = self.metadata({at.topic for at in wanted})
        leader_ids = _leader_ids(found, wanted)
        leading, connections = set(leader_ids.values()), dict[int, Connection]()
        for broker in found.brokers:
            if broker.node_id not in leading:
                continue
            if may_skip:
                self._ask(broker, lambda _, connection: connection, connections)
            else:
                connections[broker.node_id] = self._connect(broker.host, broker.port)
        return {at: connections[leader_id] for at, leader_id in leader_ids.items() if leader_id in connections}

    def leader_ids(self, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        """Return partition -> broker id of its leader, -1 without one, for those of *partitions* that exist."""
        wanted = set(partitions)
        return _leader_ids(self.metadata({at.topic for at in wanted}), wanted)

    def partitions_of(self, topic: str) -> list[int]:
        """Return the partition numbers of *topic*, sorted.

        Raises:
            ClientError: the topic does not exist.
        """
        found = self.metadata([topic]).topics
        if not found or found[0].error_code:
            raise ClientError(f"topic {topic} does not exist")
        return sorted(partition.partition_index for partition in found[0].partitions)

    # -- offsets ---------------------------------------------------------------------------------------------------

    def list_offsets(
        self, wanted: Mapping[TopicPartition, int], *, may_skip: bool = False
    ) -> dict[TopicPartition, int]:
        """Return the first offset at or after each partition's timestamp in ms, or its LATEST or EARLIEST offset.

        The offset is -1 if no record is as new; partitions without a leader, or with an error, are left out, and those
        that `leaders` leaves out.
        """
        by_leader: dict[Connection, list[TopicPartition]] = defaultdict(list)
        for at, leader in self.leaders(wanted, may_skip=may_skip).items():
            by_leader[leader].append(at)
        offsets: dict[TopicPartition, int] = {}
        for leader, partitions in by_leader.items():
            topics = [
                ListOffsetsTopic(
                    name=name,
                    partitions=[
                        ListOffsetsPartition(partition_index=index, timestamp=timestamp)
                        for index, timestamp in timestamps
                    ],
                )
                for name, timestamps in values_by_topic({at: wanted[at] for at in partitions}).items()
            ]
            request = ListOffsetsRequest(replica_id=-1, topics=topics)
            for topic in leader.send(request).topics:
                for entry in topic.partitions:
                    if not entry.error_code:
                        offsets[TopicPartition(topic.name, entry.partition_index)] = entry.offset
        return offsets


def _leader_ids(metadata: MetadataResponse, wanted: Collection[TopicPartition]) -> dict[TopicPartition, int]:
    return {
        at: partition.leader_id
        for topic in metadata.topics
        if not topic.error_code and topic.name is not None
        for partition in topic.partitions
        if (at := TopicPartition(topic.name, partition.partition_index)) in wanted
    }


def code_name(code: int) -> str:
    """Return the name of an error code."""
    try:
        return ErrorCode(code).name
    except ValueError:
        return f"error {code}"


def describe_code(code: int) -> str:
    """Return the name and the meaning of an error code."""
    try:
        known = ErrorCode(code)
    except ValueError:
        return f"error {code}"
    return f"{known.name}: {known.meaning}"
