"""FetchContext: the session of a Fetch request (KIP-227), the partitions to read, and those in the response.

A request without a session (epoch -1) names every partition, and the response holds all of them.  Epoch 0 is the same,
and creates a session with them.  From epoch 1 on a request names the partitions that have changed for the client, and
the response holds those that have changed here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.fetch import FetchableTopicResponse, FetchResponse
from wirebroker.replication.fetch_results import records_size
from wirebroker.replication.fetch_session import (
    CachedPartition,
    FetchSession,
    ReaderKind,
    TopicKey,
    requested_partitions,
)
from wirebroker.replication.fetch_session_cache import FINAL_EPOCH, INITIAL_EPOCH, FetchSessionCache
from wirebroker.storage.log_slice import LogSlice

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from wirebroker.loop_budget import LoopBudget
    from wirebroker.protocol.messages.fetch import FetchRequest, PartitionData
    from wirebroker.replication.fetch_params import FetchParams
    from wirebroker.replication.fetch_results import FetchResults

FULL_EPOCHS = (FINAL_EPOCH, INITIAL_EPOCH)
"""The session epochs of requests that name every partition; versions without sessions have no other."""
_SESSIONS_SINCE = 7
_TOPIC_IDS_SINCE = 13
_PARTITIONS_PER_CHECK = 64


class SessionlessContext:
    """A request without a session, which names every partition to read."""

    session: FetchSession | None = None

    def __init__(self, partitions: list[CachedPartition], params: FetchParams) -> None:
        self.partitions: Sequence[CachedPartition] = partitions
        """The partitions to read, in order."""
        self._params = params

    @property
    def all_partitions(self) -> Sequence[CachedPartition]:
        """The partitions of the request, or of its session, in order."""
        return self.partitions

    def full_response(self, results: FetchResults) -> FetchResponse:
        """Return a response with all of *results*, whose size counts for quotas; the session stays as it is."""
        return _response(results.by_partition.items())

    def throttled_response(self, throttle_ms: int) -> FetchResponse:
        """Return the response to a throttled client, which has no partitions; the session stays as it is."""
        return FetchResponse(throttle_time_ms=throttle_ms)

    def update_and_generate_response(self, results: FetchResults) -> FetchResponse:
        """Return the response, count its records, and note in the session what the client knows then."""
        return _response(results.by_partition.items(), self._params)

    async def update_in_parts(
        self, results: FetchResults, changed: Collection[CachedPartition], budget: LoopBudget
    ) -> FetchResponse:
        """Respond to a large request as `update_and_generate_response`, in several turns of the event loop.

        Partitions in *changed*, which grows meanwhile, are read again in the next request of the session.
        """
        return await self._response_in_parts([*results.by_partition.items()], budget)

    async def _response_in_parts(
        self, results: Sequence[tuple[CachedPartition, PartitionData]], budget: LoopBudget, session_id: int = 0
    ) -> FetchResponse:
        topics: list[FetchableTopicResponse] = []
        for first in range(0, len(results), _PARTITIONS_PER_CHECK):
            _add_results(topics, results[first : first + _PARTITIONS_PER_CHECK], self._params)
            await budget.yield_if_due()
        return FetchResponse(session_id=session_id, responses=topics)


class FullFetchContext(SessionlessContext):
    """A request that creates a session."""

    def __init__(
        self, partitions: list[CachedPartition], sessions: FetchSessionCache, params: FetchParams, now_ms: int
    ) -> None:
        super().__init__(partitions, params)
        self._sessions = sessions
        self._now_ms = now_ms

    def _maybe_create_session(self, results: FetchResults) -> FetchSession | None:
        return self._sessions.maybe_create_session(
            len(results.by_partition),
            _reader_kind(self._params),
            self._now_ms,
            uses_topic_ids=self._params.version >= _TOPIC_IDS_SINCE,
            follower=self._params.replica_id >= 0,
        )

    def update_and_generate_response(self, results: FetchResults) -> FetchResponse:
        session = self._maybe_create_session(results)
        if session is None:
            return _response(results.by_partition.items(), self._params)
        for entry, data in results.by_partition.items():
            session.add(entry)
            entry.maybe_update_response_data(data)
            if self._params.is_caught_up(entry, data):
                session.clean(entry)
        return _response(results.by_partition.items(), self._params, session.session_id)

    async def update_in_parts(
        self, results: FetchResults, changed: Collection[CachedPartition], budget: LoopBudget
    ) -> FetchResponse:
        session = self._maybe_create_session(results)
        if session is None:
            return await super().update_in_parts(results, changed, budget)
        every = [*results.by_partition.items()]
        for entry, data in every:
            session.add(entry)
            entry.maybe_update_response_data(data)
            if entry not in changed and self._params.is_caught_up(entry, data):
                session.clean(entry)
            await budget.yield_if_due()
        if session.closed:  # evicted meanwhile
            await session.close_in_parts(budget)
        return await self._response_in_parts(every, budget, session.session_id)


class IncrementalFetchContext(SessionlessContext):
    """A request that continues a session."""

    session: FetchSession

    def __init__(self, session: FetchSession, params: FetchParams, epoch: int | None = None) -> None:
        """*epoch* is that of the session since this request; None if it has come just now."""
        super().__init__(session.dirty_in_order(), params)
        self.session = session
        self._epoch = session.epoch if epoch is None else epoch

    @property
    def all_partitions(self) -> Sequence[CachedPartition]:
        return self.session.in_order()

    def throttled_response(self, throttle_ms: int) -> FetchResponse:
        session = self.session
        if session.epoch != self._epoch:  # a later request was served while this one waited
            return FetchResponse(error_code=ErrorCode.INVALID_FETCH_SESSION_EPOCH, session_id=session.session_id)
        return FetchResponse(throttle_time_ms=throttle_ms, session_id=session.session_id)

    def update_and_generate_response(self, results: FetchResults) -> FetchResponse:
        session = self.session
        if session.epoch != self._epoch:  # a later request was served while this one waited
            return FetchResponse(error_code=ErrorCode.INVALID_FETCH_SESSION_EPOCH, session_id=session.session_id)
        changed: list[tuple[CachedPartition, PartitionData]] = []
        for entry, data in results.by_partition.items():
            if entry.maybe_update_response_data(data):
                changed.append((entry, data))
                if data.records:
                    session.move_to_end(entry)
            if self._params.is_caught_up(entry, data):
                session.clean(entry)
        return _response(changed, self._params, session.session_id)

    async def update_in_parts(
        self, results: FetchResults, changed: Collection[CachedPartition], budget: LoopBudget
    ) -> FetchResponse:
        session, different = self.session, []
        for entry, data in [*results.by_partition.items()]:
            if session.epoch != self._epoch:  # a later request was served while this one waited
                return FetchResponse(error_code=ErrorCode.INVALID_FETCH_SESSION_EPOCH, session_id=session.session_id)
            if entry.maybe_update_response_data(data):
                different.append((entry, data))
                if data.records:
                    session.move_to_end(entry)
            if entry not in changed and self._params.is_caught_up(entry, data):
                session.clean(entry)
            await budget.yield_if_due()
        return await self._response_in_parts(different, budget, session.session_id)


def new_context(
    request: FetchRequest,
    sessions: FetchSessionCache,
    params: FetchParams,
    now_ms: int,
    requested: list[CachedPartition] | None = None,
) -> SessionlessContext:
    """Return the fetch context of *request*, merged into its session if it has one.

    *requested* are its partitions if the request is full and large, so that they were collected before.

    Raises:
        ApiError: the session cannot go on; the client opens a new one.
    """
    with_sessions = params.version >= _SESSIONS_SINCE
    epoch = request.session_epoch if with_sessions else FINAL_EPOCH
    if epoch in FULL_EPOCHS:
        if request.session_id and with_sessions:
            sessions.remove(request.session_id)
        partitions = requested_partitions(request.topics) if requested is None else requested
        if epoch == INITIAL_EPOCH:
            return FullFetchContext(partitions, sessions, params, now_ms)
        return SessionlessContext(partitions, params)
    session = sessions.get_and_advance(
        request.session_id, epoch, now_ms, uses_topic_ids=params.version >= _TOPIC_IDS_SINCE
    )
    for topic in request.topics:
        key = TopicKey(topic.topic, topic.topic_id)
        for each in topic.partitions:
            session.update(key, each)
    for forgotten in request.forgotten_topics_data:
        for index in forgotten.partitions:
            session.remove(TopicKey(forgotten.topic, forgotten.topic_id), index)
    if not session.size:  # it ends, and this is a request without a session for what it names
        sessions.remove(session.session_id)
        return SessionlessContext(requested_partitions(request.topics), params)
    session.read_as(_reader_kind(params))
    return IncrementalFetchContext(session, params)


def _reader_kind(params: FetchParams) -> ReaderKind:
    return ReaderKind(params.version, params.replica_id, params.isolation_level)


def _response(
    results: Iterable[tuple[CachedPartition, PartitionData]], sent_to: FetchParams | None = None, session_id: int = 0
) -> FetchResponse:
    """Return the response with *results* in their order; neighbours of one topic share an entry.

    With the parameters of the request in *sent_to* the bytes of records are counted: a loop of its own for that took
    half a percent of a request of one partition.
    """
    topics: list[FetchableTopicResponse] = []
    _add_results(topics, results, sent_to)
    return FetchResponse(session_id=session_id, responses=topics)


def _add_results(
    topics: list[FetchableTopicResponse],
    results: Iterable[tuple[CachedPartition, PartitionData]],
    sent_to: FetchParams | None,
) -> None:
    """Add *results* to *topics*, behind those that are there."""
    current: TopicKey | None = None
    if topics:
        current, partitions = TopicKey(topics[-1].topic, topics[-1].topic_id), topics[-1].partitions
    for entry, data in results:
        topic = entry.topic
        if topic is not current and topic != current:
            current = topic
            partitions = []
            topics.append(FetchableTopicResponse(*topic, partitions))
        partitions.append(data)
        records = data.records
        if records and sent_to is not None and entry.partition is not None:
            stats = entry.partition.stats
            size_bytes = records.size_bytes if type(records) is LogSlice else records_size(records)
            if sent_to.replica_id < 0:
                stats.bytes_out += size_bytes
            else:
                stats.replication_bytes_out += size_bytes
