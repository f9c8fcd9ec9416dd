"""What a Fetch request is to its session (KIP-227): which partitions it reads, and what its response says of them.

A request without a session (epoch -1) names every partition and is answered all of them.  Neither does epoch 0 continue
a session, but it opens one with what it was answered.  From epoch 1 on a request names what has changed for the client,
and the response holds what has changed here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.fetch import FetchableTopicResponse, FetchResponse
from wirebroker.replication.fetch_session import (
    FINAL_EPOCH,
    INITIAL_EPOCH,
    CachedPartition,
    FetchSession,
    FetchSessions,
    ReaderKind,
    TopicKey,
    requested_partitions,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from wirebroker.protocol.messages.fetch import FetchPartition, FetchRequest, PartitionData
    from wirebroker.replication.fetch_reader import FetchAnswers, FetchParams, FetchReader

_SESSIONS_SINCE = 7
_TOPIC_IDS_SINCE = 13


class SessionlessContext:
    """A request that names all that it reads, and leaves nothing behind."""

    session: FetchSession | None = None

    def __init__(self, partitions: list[CachedPartition]) -> None:
        self.partitions: Sequence[CachedPartition] = partitions
        """What has to be read, in order."""

    @property
    def all_partitions(self) -> Sequence[CachedPartition]:
        """Everything that the request is about, in order."""
        return self.partitions

    def update_and_generate_response(self, answers: FetchAnswers, reader: FetchReader) -> FetchResponse:
        """Note in the session what the client is told, and make the response that says so."""
        return _response(answers.of.items())


class FullFetchContext(SessionlessContext):
    """A request that opens a session."""

    def __init__(
        self, partitions: list[CachedPartition], sessions: FetchSessions, params: FetchParams, now_ms: int
    ) -> None:
        super().__init__(partitions)
        self._sessions = sessions
        self._params = params
        self._now_ms = now_ms

    def update_and_generate_response(self, answers: FetchAnswers, reader: FetchReader) -> FetchResponse:
        session = self._sessions.maybe_create(
            len(answers.of),
            _reader_kind(self._params),
            self._now_ms,
            uses_topic_ids=self._params.version >= _TOPIC_IDS_SINCE,
            follower=self._params.replica_id >= 0,
        )
        if session is None:
            return _response(answers.of.items())
        for entry, answer in answers.of.items():
            session.add(entry)
            entry.maybe_update_response_data(answer)
            if reader.has_nothing_for(entry, answer):
                session.clean(entry)
        return _response(answers.of.items(), session.session_id)


class IncrementalFetchContext(SessionlessContext):
    """A request that continues a session."""

    session: FetchSession

    def __init__(self, session: FetchSession) -> None:
        super().__init__(session.dirty_in_order())
        self.session = session
        self._epoch = session.epoch

    @property
    def all_partitions(self) -> Sequence[CachedPartition]:
        return self.session.in_order()

    def update_and_generate_response(self, answers: FetchAnswers, reader: FetchReader) -> FetchResponse:
        session = self.session
        if session.epoch != self._epoch:  # a later request was served while this one waited
            return FetchResponse(error_code=ErrorCode.INVALID_FETCH_SESSION_EPOCH, session_id=session.session_id)
        told: list[tuple[CachedPartition, PartitionData]] = []
        for entry, answer in answers.of.items():
            if entry.maybe_update_response_data(answer):
                told.append((entry, answer))
                if answer.records:
                    session.move_to_end(entry)
            if reader.has_nothing_for(entry, answer):
                session.clean(entry)
        return _response(told, session.session_id)


def new_context(request: FetchRequest, sessions: FetchSessions, params: FetchParams, now_ms: int) -> SessionlessContext:
    """Merge *request* into its session if it has one.

    Raises:
        ApiError: the session cannot go on; the client opens a new one.
    """
    with_sessions = params.version >= _SESSIONS_SINCE
    epoch = request.session_epoch if with_sessions else FINAL_EPOCH
    if epoch in (FINAL_EPOCH, INITIAL_EPOCH):
        if request.session_id and with_sessions:
            sessions.remove(request.session_id)
        partitions = requested_partitions(_asked(request))
        if epoch == INITIAL_EPOCH:
            return FullFetchContext(partitions, sessions, params, now_ms)
        return SessionlessContext(partitions)
    session = sessions.get_and_advance(
        request.session_id, epoch, now_ms, uses_topic_ids=params.version >= _TOPIC_IDS_SINCE
    )
    for topic, asked in _asked(request):
        for each in asked:
            session.update(topic, each)
    for forgotten in request.forgotten_topics_data:
        for index in forgotten.partitions:
            session.forget(TopicKey(forgotten.topic, forgotten.topic_id), index)
    if not session.size:  # it ends, and this is a request without a session for what it names
        sessions.remove(session.session_id)
        return SessionlessContext(requested_partitions(_asked(request)))
    session.read_as(_reader_kind(params))
    return IncrementalFetchContext(session)


def _asked(request: FetchRequest) -> Iterator[tuple[TopicKey, list[FetchPartition]]]:
    return ((TopicKey(topic.topic, topic.topic_id), topic.partitions) for topic in request.topics)


def _reader_kind(params: FetchParams) -> ReaderKind:
    return ReaderKind(params.version, params.replica_id, params.isolation_level)


def _response(answers: Iterable[tuple[CachedPartition, PartitionData]], session_id: int = 0) -> FetchResponse:
    """*answers* in their order; neighbours of one topic share an entry."""
    topics: list[FetchableTopicResponse] = []
    current: TopicKey | None = None
    for entry, answer in answers:
        topic = entry.topic
        if topic is not current and topic != current:
            current = topic
            partitions: list[PartitionData] = []
            topics.append(FetchableTopicResponse(*topic, partitions))
        partitions.append(answer)
    return FetchResponse(session_id=session_id, responses=topics)
