"""The source of a mirror: a thread that fetches from every leader, some responses ahead of the producer."""

from __future__ import annotations

import queue
import threading
from collections import defaultdict
from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.cli.mirror.batches import AbortedTransactions, MirroredBatch, mirrored
from wirebroker.client.admin import response_error
from wirebroker.client.connection import ClientError
from wirebroker.model import TopicPartition, values_by_topic
from wirebroker.protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from wirebroker.record.errors import RecordError
from wirebroker.record.record_batch import RecordBatch, batches

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wirebroker.client.admin import Admin
    from wirebroker.client.connection import Connection
    from wirebroker.protocol.messages.fetch import PartitionData

FETCH_BY_NAME: Final = 12
"""The newest version of Fetch that names topics; later ones have topic ids."""
_READ_COMMITTED: Final = 1
_MAX_WAIT_MS: Final = 200
_MAX_BYTES: Final = 16 << 20
_PARTITION_BYTES: Final = 4 << 20
_AHEAD: Final = 4
"""Responses that wait for the producer at most."""


class Fetched(NamedTuple):
    """One partition of one Fetch response."""

    partition: TopicPartition
    batches: list[MirroredBatch]
    next_offset: int
    """Behind the last batch that was read, mirrored or not."""
    is_at_the_end: bool
    """Whether there was nothing more to read."""


class SourceReader:
    """Fetches partitions in a thread while it is entered; `get` returns what came."""

    def __init__(self, admin: Admin, offsets: Mapping[TopicPartition, int]) -> None:
        """Begin each partition at its offset.

        Raises:
            ClientError: a partition has no leader.
        """
        self._offsets = dict(offsets)
        self._by_leader: dict[Connection, list[TopicPartition]] = defaultdict(list)
        leaders = admin.leaders(offsets)
        for partition in offsets:
            if partition not in leaders:
                raise ClientError(f"{partition.topic}-{partition.partition} has no leader")
            self._by_leader[leaders[partition]].append(partition)
        self._queue: queue.Queue[list[Fetched] | ClientError] = queue.Queue(_AHEAD)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="mirror source", daemon=True)

    def __enter__(self) -> SourceReader:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        while self._thread.is_alive():
            self.get(0.05)

    def get(self, timeout_s: float) -> list[Fetched]:
        """Return the partitions of one response, none if none came in time.

        Raises:
            ClientError: the source refuses, or cannot be reached.
        """
        try:
            found = self._queue.get(timeout=timeout_s) if timeout_s else self._queue.get_nowait()
        except queue.Empty:
            return []
        if isinstance(found, ClientError) and not self._stopping.is_set():
            raise found
        return [] if isinstance(found, ClientError) else found

    def _run(self) -> None:
        try:
            while not self._stopping.is_set():
                # all leaders wait for records at the same time
                pending = [(leader, leader.begin(self._request(of), FETCH_BY_NAME)) for leader, of in self._leaders()]
                for leader, token in pending:
                    response = leader.finish(token)
                    if response.error_code:
                        raise response_error("Fetch", response.error_code)
                    self._put(
                        [
                            self._fetched(TopicPartition(topic.topic, each.partition_index), each)
                            for topic in response.responses
                            for each in topic.partitions
                        ]
                    )
        except ClientError as problem:
            self._put(problem)
        except RecordError as fault:
            self._put(ClientError(f"a batch of the source cannot be read: {fault}"))

    def _leaders(self) -> list[tuple[Connection, list[TopicPartition]]]:
        """The leaders with their partitions, the order of which changes from request to request, to be fair."""
        for partitions in self._by_leader.values():
            partitions.append(partitions.pop(0))
        return list(self._by_leader.items())

    def _put(self, item: list[Fetched] | ClientError) -> None:
        while not self._stopping.is_set():
            try:
                self._queue.put(item, timeout=0.1)
                return
            except queue.Full:
                continue

    def _request(self, partitions: list[TopicPartition]) -> FetchRequest:
        wanted = {at: self._offsets[at] for at in partitions}
        return FetchRequest(
            max_wait_ms=_MAX_WAIT_MS,
            min_bytes=1,
            max_bytes=_MAX_BYTES,
            isolation_level=_READ_COMMITTED,
            topics=[
                FetchTopic(
                    topic=name,
                    partitions=[
                        FetchPartition(partition=index, fetch_offset=offset, partition_max_bytes=_PARTITION_BYTES)
                        for index, offset in offsets
                    ],
                )
                for name, offsets in values_by_topic(wanted).items()
            ],
        )

    def _fetched(self, at: TopicPartition, answer: PartitionData) -> Fetched:
        """Return the batches of one partition of a response, and move its offset.

        Raises:
            ClientError: the broker refuses.
            RecordError: the bytes are no batches.
        """
        if answer.error_code:
            raise response_error(f"{at.topic}-{at.partition}", answer.error_code)
        offset = self._offsets[at]
        data = answer.records
        assert data is None or isinstance(data, memoryview | bytes)
        found: list[RecordBatch] = list(batches(data)) if data else []
        aborted = AbortedTransactions(
            (each.first_offset, each.producer_id) for each in answer.aborted_transactions or ()
        )
        ready = list(mirrored(found, offset, aborted))
        if found:
            self._offsets[at] = max(offset, found[-1].next_offset)
        end = answer.high_watermark if answer.last_stable_offset < 0 else answer.last_stable_offset
        return Fetched(at, ready, self._offsets[at], self._offsets[at] >= end)
