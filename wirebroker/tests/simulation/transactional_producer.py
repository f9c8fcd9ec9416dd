"""TransactionalProducer: writes transactions to several partitions of a topic, and commits most of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import trio

from wirebroker.client.broker_channel import ChannelError
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.add_partitions_to_txn import AddPartitionsToTxnRequest, AddPartitionsToTxnTopic
from wirebroker.protocol.messages.end_txn import EndTxnRequest
from wirebroker.protocol.messages.find_coordinator import FindCoordinatorRequest
from wirebroker.protocol.messages.init_producer_id import InitProducerIdRequest
from wirebroker.record.record_batch import TRANSACTIONAL, BatchProducer
from wirebroker.tests.simulation.clients import RETRIABLE, Client
from wirebroker.tests.simulation.trace import Violation

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.protocol.message import Message
    from wirebroker.tests.simulation.committed_log import PartitionKey

E = ErrorCode
_TOPIC: Final = "events"
_TIMEOUT_MS: Final = 20_000
_ABORTED: Final = 0.3
_PATIENCE_S: Final = 120.0
_COORDINATOR_RETRIABLE: Final = RETRIABLE | {E.NOT_COORDINATOR, E.CONCURRENT_TRANSACTIONS}
_FENCED: Final = frozenset({E.INVALID_PRODUCER_EPOCH, E.PRODUCER_FENCED})
"""The coordinator has aborted the transaction, as it took too long."""
_ABORTABLE: Final = frozenset({E.INVALID_TXN_STATE, E.TRANSACTION_ABORTABLE})
"""Codes of Produce upon which clients abort: a former leader that is a former coordinator, too, knows no better."""


class _NewEpochNeeded(Exception):
    """The producer has to begin anew."""


class TransactionalProducer(Client):
    """One producer with a transactional id, its name.

    After an error it asks for a new epoch, and the coordinator aborts the transaction that is open.
    """

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._client = self.client("transactions")
        self._coordinator = -1
        self._producer = BatchProducer()
        self._sequences: dict[PartitionKey, int] = {}
        self._waits_since: float | None = None

    async def run(self) -> None:
        number = 0
        while not self.is_stopping:
            try:
                await self._init_producer_id()
                while not self.is_stopping:
                    number += 1
                    await self._transaction(f"{self.name}#{number}")
                    await self.pace.pause(self._client.random.expovariate(2.0), self._client.random)
            except _NewEpochNeeded:
                pass

    async def _init_producer_id(self) -> None:
        request = InitProducerIdRequest(self.name, _TIMEOUT_MS)
        response = await self._ask_coordinator(request, 4, lambda response: ErrorCode(response.error_code))
        self._producer = BatchProducer(response.producer_id, response.producer_epoch)
        self._sequences = {}

    async def _transaction(self, name: str) -> None:
        """Write one transaction.  Raises _NewEpochNeeded if its outcome is not known, or it was aborted."""
        client = self._client
        known = sorted(key for key in await client.partitions() if key.topic == _TOPIC)
        keys = client.random.sample(known, client.random.randint(1, len(known))) if known else []
        if not keys:
            return
        topics = [AddPartitionsToTxnTopic(_TOPIC, [each.number for each in keys])]
        producer_id, epoch = self._producer[:2]
        request = AddPartitionsToTxnRequest(
            v3_and_below_transactional_id=self.name,
            v3_and_below_producer_id=producer_id,
            v3_and_below_producer_epoch=epoch,
            v3_and_below_topics=topics,
        )
        counts = {each: client.random.randint(1, 3) for each in keys}
        try:
            await self._ask_coordinator(request, 3, _partition_code)
            for key, count in counts.items():
                await self._write(key, [f"{name} {each}".encode() for each in range(count)])
        except _NewEpochNeeded:
            self.observer.transaction_given_up(name)
            raise
        is_commit = client.random.random() >= _ABORTED
        end = EndTxnRequest(self.name, producer_id, epoch, is_commit)
        await self._ask_coordinator(end, 3, lambda response: ErrorCode(response.error_code))
        self.observer.transaction_ended(name, counts, is_commit=is_commit)

    async def _write(self, key: PartitionKey, values: list[bytes]) -> None:
        sequence = self._sequences.get(key, 0)
        producer = self._producer._replace(base_sequence=sequence)
        code, _ = await self.send_batch(self._client, key, values, producer, TRANSACTIONAL)
        self._sequences[key] = sequence + len(values)
        if code in _ABORTABLE:
            raise _NewEpochNeeded
        self._check(code, f"{key}: a batch of {values[0].decode()}")

    async def _ask_coordinator(self, request: Message, version: int, code_of: Callable[[Any], ErrorCode]) -> Any:
        """Send *request* to the coordinator until there is no retriable error, and return the response."""
        started: float | None = None
        while True:
            try:
                if self._coordinator < 0:
                    found = await self._client.send_to_any(FindCoordinatorRequest(self.name, 1), 3)
                    self._coordinator = -1 if found.error_code else found.node_id
                if self._coordinator >= 0:
                    response = await self._client.send(self._coordinator, request, version)
                    code = code_of(response)
                    if code not in _COORDINATOR_RETRIABLE:
                        self._check(code, type(request).__name__)
                        return response
            except ChannelError:
                pass
            self._coordinator = -1
            if self.is_stopping:
                started = trio.current_time() if started is None else started
                if trio.current_time() - started > _PATIENCE_S:
                    self._fail(f"{type(request).__name__} has no effect in {_PATIENCE_S:.0f} s without faults")
            await self._client.pause()

    def _check(self, code: ErrorCode, what: str) -> None:
        if code in _FENCED:
            raise _NewEpochNeeded
        if code is not E.NONE:
            self._fail(f"{what} was refused with {code.name}")

    def _fail(self, text: str) -> None:
        self.observer.fail(Violation(f"{self.name}: {text}"))
        self.is_stopping = True
        raise _NewEpochNeeded


def _partition_code(response: Any) -> ErrorCode:
    """Return the first error of the partitions, a final one if there is one."""
    codes = [
        ErrorCode(each.partition_error_code)
        for topic in response.results_by_topic_v3_and_below
        for each in topic.results_by_partition
    ]
    failed = [each for each in codes if each not in (E.NONE, E.OPERATION_NOT_ATTEMPTED)]
    return next((each for each in failed if each not in _COORDINATOR_RETRIABLE), failed[0] if failed else E.NONE)
