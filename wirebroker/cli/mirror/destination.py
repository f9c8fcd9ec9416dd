"""The destination of a mirror: an idempotent producer of whole batches, with several requests on their way."""

from __future__ import annotations

from collections import defaultdict, deque
from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.cli.mirror.batches import MirroredBatch, next_sequence, stamp
from wirebroker.client.admin import LATEST, response_error
from wirebroker.client.connection import ClientError
from wirebroker.model import TopicPartition
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.init_producer_id import InitProducerIdRequest
from wirebroker.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from wirebroker.client.admin import Admin
    from wirebroker.client.connection import Connection, PendingResponse

_PRODUCE_BY_NAME: Final = 12
"""The newest version of Produce that names topics; later ones have topic ids."""
_IN_FLIGHT: Final = 5
"""Requests of a connection: brokers remember the sequences of so many batches."""
_REQUEST_BYTES: Final = 4 << 20
_ALL: Final = -1


class _Request(NamedTuple):
    pending: PendingResponse
    batches: list[tuple[TopicPartition, MirroredBatch]]


class DestinationWriter:
    """Produces batches in the order in which they are added, each partition for itself."""

    def __init__(
        self,
        admin: Admin,
        partitions: Iterable[TopicPartition],
        acknowledged: Callable[[TopicPartition, MirroredBatch], None],
    ) -> None:
        """Find the leaders and get a producer id.

        Args:
            admin: The cluster.
            partitions: Those of the destination's topics.
            acknowledged: Called for each batch that all in-sync replicas have, in order.

        Raises:
            ClientError: a partition has no leader, or there is no producer id.
        """
        self._acknowledged = acknowledged
        self._timeout_ms = admin.timeout_ms
        self.leaders = admin.leaders(partitions)
        for at in partitions:
            if at not in self.leaders:
                raise ClientError(f"{at.topic}-{at.partition} of the destination has no leader")
        self.end_offsets = admin.list_offsets(dict.fromkeys(self.leaders, LATEST))
        self._producer = self._producer_id(admin)
        self._sequences: dict[TopicPartition, int] = defaultdict(int)
        self._waiting: dict[Connection, dict[TopicPartition, deque[MirroredBatch]]] = defaultdict(dict)
        self._sent: dict[Connection, deque[_Request]] = defaultdict(deque)

    @staticmethod
    def _producer_id(admin: Admin) -> tuple[int, int]:
        def send() -> tuple[int, int]:
            answer = admin.first.send(InitProducerIdRequest(transactional_id=None, transaction_timeout_ms=60_000))
            if answer.error_code:
                raise response_error("no producer id", answer.error_code)
            return answer.producer_id, answer.producer_epoch

        return admin.retry(send)

    def add(self, at: TopicPartition, batch: MirroredBatch) -> None:
        """Queue *batch* for a partition."""
        self._waiting[self.leaders[at]].setdefault(at, deque()).append(batch)

    @property
    def is_idle(self) -> bool:
        """Whether every batch was acknowledged."""
        return not any(self._waiting.values()) and not any(self._sent.values())

    @property
    def is_full(self) -> bool:
        """Whether batches wait although all requests that may be on their way are."""
        return any(self._waiting.values())

    def send(self) -> None:
        """Send what may be sent; where nothing more may, wait for one response of each broker.

        Raises:
            ClientError: a broker refuses a batch or cannot be reached.
        """
        for leader, waiting in self._waiting.items():
            while waiting and len(self._sent[leader]) < _IN_FLIGHT:
                self._send_one(leader, waiting)
        for leader, sent in self._sent.items():
            if sent:
                self._finish(leader, sent.popleft())

    def _send_one(self, leader: Connection, waiting: dict[TopicPartition, deque[MirroredBatch]]) -> None:
        """Send one batch of each partition, as many as a request takes: brokers take one batch of a partition."""
        chosen: list[tuple[TopicPartition, MirroredBatch]] = []
        size = 0
        for at in list(waiting):
            if chosen and size >= _REQUEST_BYTES:
                break
            batch = waiting[at].popleft()
            if waiting[at]:
                waiting[at] = waiting.pop(at)  # to the end of the order, for the next request to begin with others
            else:
                del waiting[at]
            sequence = self._sequences[at]
            stamp(batch.data, *self._producer, sequence)
            self._sequences[at] = next_sequence(sequence, len(batch.source_offsets))
            chosen.append((at, batch))
            size += len(batch.data)
        by_topic: dict[str, list[PartitionProduceData]] = defaultdict(list)
        for at, batch in chosen:
            by_topic[at.topic].append(PartitionProduceData(at.partition, memoryview(batch.data)))
        request = ProduceRequest(
            transactional_id=None,
            acks=_ALL,
            timeout_ms=self._timeout_ms,
            topic_data=[TopicProduceData(name=name, partition_data=data) for name, data in by_topic.items()],
        )
        self._sent[leader].append(_Request(leader.begin(request, _PRODUCE_BY_NAME), chosen))

    def _finish(self, leader: Connection, request: _Request) -> None:
        response = leader.finish(request.pending)
        codes = {
            TopicPartition(topic.name, each.index): (each.error_code, each.error_message)
            for topic in response.responses
            for each in topic.partition_responses
        }
        failed: ClientError | None = None
        for at, batch in request.batches:
            code, message = codes.get(at, (ErrorCode.UNKNOWN_SERVER_ERROR, None))
            if code and code != ErrorCode.DUPLICATE_SEQUENCE_NUMBER:
                failed = response_error(f"{at.topic}-{at.partition} of the destination", code, message)
            else:
                self._acknowledged(at, batch)
        if failed is not None:
            raise failed
