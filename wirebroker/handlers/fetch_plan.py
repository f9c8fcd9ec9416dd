"""What a Fetch request asks for, once its session is merged in (KIP-227): a list of partitions in reading order.

A full request (session epoch 0 or -1) lists everything; an incremental one lists changes, and the
session knows the rest.  From v13 on topics are named by id, which may be unknown here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.protocol.errors import ErrorCode
from wirebroker.replication.fetch_session import (
    FINAL_EPOCH,
    INITIAL_EPOCH,
    FetchSession,
    FetchSessions,
    SessionKey,
    SessionPartition,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wirebroker.metadata.image import ClusterImage
    from wirebroker.protocol.messages.fetch import FetchRequest


class FetchItem:
    """One partition to read."""

    __slots__ = ("asked", "error", "index", "key", "topic")

    def __init__(self, key: SessionKey, asked: SessionPartition, topic: str | None) -> None:
        self.key = key
        self.index = key.partition
        self.asked = asked
        self.topic = topic
        self.error = None if topic is not None else ErrorCode.UNKNOWN_TOPIC_ID


class FetchPlan:
    """Everything to read for one request."""

    __slots__ = ("_session", "incremental", "items", "session_id")

    def __init__(self, items: list[FetchItem], session_id: int, session: FetchSession | None) -> None:
        self.items = items
        self.session_id = session_id
        self.incremental = session is not None
        self._session = session

    def rotate(self, item: FetchItem) -> None:
        """The partition got records: others come first next time."""
        if self._session is not None:
            partitions = self._session.partitions
            asked = partitions.pop(item.key, None)
            if asked is not None:
                partitions[item.key] = asked


def plan_fetch(
    request: FetchRequest,
    sessions: FetchSessions,
    now_ms: int,
    *,
    by_id: bool,
    with_sessions: bool,
    image: ClusterImage,
    follower: bool,
) -> FetchPlan:
    """Merge the request into its session and list what to read.

    Raises:
        ApiError: the session cannot go on; the client starts a new one.
    """
    session_id = 0
    session: FetchSession | None = None
    epoch = request.session_epoch if with_sessions else FINAL_EPOCH
    if epoch in (FINAL_EPOCH, INITIAL_EPOCH):
        if request.session_id and with_sessions:
            sessions.remove(request.session_id)
        asked = dict(_asked(request))
        if epoch == INITIAL_EPOCH:
            session_id = sessions.create(asked, now_ms, uses_topic_ids=by_id, follower=follower)
    else:
        session = sessions.continued(request.session_id, epoch, now_ms, uses_topic_ids=by_id)
        asked = session.partitions
        for key, entry in _asked(request):
            known = asked.get(key)
            if known is None:
                asked[key] = entry
            else:
                known.update(entry)
        for forgotten in request.forgotten_topics_data:
            for index in forgotten.partitions:
                asked.pop(SessionKey(forgotten.topic, forgotten.topic_id, index), None)
        if asked:
            session_id = session.session_id
        else:  # a session left empty ends, and this is a full request of what it names
            sessions.remove(session.session_id)
            asked, session = dict(_asked(request)), None
    items = [FetchItem(key, entry, _name(image, key.topic_id) if by_id else key.topic) for key, entry in asked.items()]
    return FetchPlan(items, session_id, session)


def _name(image: ClusterImage, topic_id: bytes) -> str | None:
    topic = image.topic_by_id(topic_id)
    return topic.name if topic is not None else None


def _asked(request: FetchRequest) -> Iterator[tuple[SessionKey, SessionPartition]]:
    for topic in request.topics:
        for entry in topic.partitions:
            yield (
                SessionKey(topic.topic, topic.topic_id, entry.partition),
                SessionPartition(
                    entry.fetch_offset,
                    entry.partition_max_bytes,
                    entry.current_leader_epoch,
                    entry.last_fetched_epoch,
                ),
            )
