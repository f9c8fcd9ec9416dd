"""Consumers of the simulated cluster: of everything that is committed, and of committed transactions only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from wirebroker.record.control import parse_marker
from wirebroker.record.record_batch import batches
from wirebroker.tests.simulation.clients import PartitionClient
from wirebroker.tests.simulation.trace import Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wirebroker.record.record_batch import RecordBatch
    from wirebroker.tests.simulation.committed_log import PartitionKey

_READ_COMMITTED: Final = 1


class SimulatedConsumer(PartitionClient):
    """Reads each partition from its beginning, by one session-less Fetch after the other."""

    isolation_level = 0

    async def use(self, key: PartitionKey) -> None:
        client = self.client(str(key))
        offset = 0

        async def fetch(leader: int) -> ErrorCode:
            nonlocal offset
            response = await client.send(leader, self._request(key, offset), 12)
            if response.error_code:
                return ErrorCode(response.error_code)
            data = response.responses[0].partitions[0]
            if not data.error_code:
                offset = self.take(key, offset, data)
                for batch in _batches(data):  # a follower has served it, perhaps, and metadata is older than this
                    client.saw_leader_epoch(key, batch.partition_leader_epoch)
            return ErrorCode(data.error_code)

        while not self.is_stopping and key.incarnation not in self.deleted_topics:
            code = await self.ask_leader(client, key, fetch)
            if code is not ErrorCode.NONE and key.incarnation not in self.deleted_topics:
                self.observer.fail(Violation(f"{key}: {self.name} was refused offset {offset} with {code.name}"))
                return
            await self.pace.pause(client.random.uniform(0.05, 0.3), client.random)

    def _request(self, key: PartitionKey, offset: int) -> FetchRequest:
        wanted = FetchPartition(key.number, fetch_offset=offset, partition_max_bytes=1 << 16)
        topics = [FetchTopic(key.topic, partitions=[wanted])]
        return FetchRequest(max_wait_ms=400, min_bytes=1, isolation_level=self.isolation_level, topics=topics)

    def take(self, key: PartitionKey, offset: int, data: Any) -> int:
        """Give the records of a response from *offset* on to the observer; return the next offset."""
        for batch in _batches(data):
            if not batch.is_control:
                records = [each for each in batch.records() if each.offset >= offset]
                self.observer.records_consumed(key, records[0].offset, [each.value or b"" for each in records])
            offset = batch.next_offset
        return offset


class ReadCommittedConsumer(SimulatedConsumer):
    """Reads with isolation.level=read_committed, and leaves out what a response calls aborted, as clients do."""

    isolation_level = _READ_COMMITTED

    def take(self, key: PartitionKey, offset: int, data: Any) -> int:
        start, read = offset, dict[int, bytes]()
        begins = sorted((each.first_offset, each.producer_id) for each in data.aborted_transactions or ())
        aborted: set[int] = set()
        for batch in _batches(data):
            while begins and begins[0][0] < batch.next_offset:
                aborted.add(begins.pop(0)[1])
            if batch.is_control:
                marker = parse_marker(next(iter(batch.records())))
                if marker is not None and not marker.committed:
                    aborted.discard(batch.producer_id)
            elif not (batch.is_transactional and batch.producer_id in aborted):
                read |= {each.offset: each.value or b"" for each in batch.records() if each.offset >= offset}
            offset = batch.next_offset
        self.observer.records_read_committed(key, start, offset, read)
        return offset


def _batches(data: Any) -> Iterator[RecordBatch]:
    return batches(b"" if data.records is None else bytes(data.records))
