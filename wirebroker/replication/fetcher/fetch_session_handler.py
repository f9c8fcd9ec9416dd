"""FetchSessionHandler: the follower's side of an incremental fetch session (KIP-227), as values in and values out.

A full request names every partition and opens a session; later requests of the session name only partitions that are
new, gone or changed, and so do its responses.  An error of the session, or a connection that breaks, begins a new one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.model import TopicPartition
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.fetch import FetchTopic, ForgottenTopic
from wirebroker.protocol.primitives import ZERO_UUID

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from wirebroker.protocol.messages.fetch import (
        FetchableTopicResponse,
        FetchPartition,
        FetchResponse,
        PartitionData,
    )

_NO_SESSION: Final = 0
_FIRST_EPOCH: Final = 0
_LAST_EPOCH: Final = (1 << 31) - 1
FIRST_VERSION_WITH_SESSIONS: Final = 7
FIRST_VERSION_WITH_TOPIC_IDS: Final = 13


class WantedPartition(NamedTuple):
    """A partition to fetch."""

    topic_id: bytes
    request: FetchPartition


class FetchRequestData(NamedTuple):
    """The part of a Fetch request that depends on the session."""

    version: int
    session_id: int
    session_epoch: int
    topics: list[FetchTopic]
    forgotten: list[ForgottenTopic]


class FetchSessionHandler:
    """The session of one follower with one leader."""

    def __init__(self, version: int) -> None:
        """Begin without a session; *version* is that of the requests, 12 at most while topics without ids are there."""
        self._version = version
        self._session_id = _NO_SESSION
        self.next_epoch = _FIRST_EPOCH
        """The session epoch of the next request."""
        self.partitions: dict[TopicPartition, WantedPartition] = {}
        """All partitions to fetch, as the leader knows them after the last request."""
        self._without_id = 0
        """How many of them belong to a topic without an id."""
        self._topic_names: dict[bytes, tuple[str, int]] = {}
        """Topic id -> name and number of its partitions here."""
        self._uses_topic_ids = False
        """Whether the last request named topics by id."""

    def __len__(self) -> int:
        return len(self.partitions)

    def continues(self, session_id: int) -> bool:
        """Return whether the next request is an incremental one of that session, unless partitions need another one."""
        return self._session_id == session_id and self.next_epoch != _FIRST_EPOCH

    def topic_partition(self, topic_id: bytes, index: int) -> TopicPartition | None:
        """Return a partition to fetch; None if it is not one, or topics have no ids."""
        known = self._topic_names.get(topic_id) if self._uses_topic_ids else None
        if known is None:
            return None
        each = TopicPartition(known[0], index)
        return each if each in self.partitions else None

    def advance(self) -> None:
        """Take a response without an error that continues the session into account, as `handle_response` does."""
        self.next_epoch = 1 if self.next_epoch == _LAST_EPOCH else self.next_epoch + 1

    def build(self, changes: Iterable[tuple[TopicPartition, WantedPartition | None]]) -> FetchRequestData:
        """Return the next request after *changes*; None stands for a partition that is not to be fetched any more.

        A partition of which nothing has changed but the fetch offset keeps its WantedPartition, which is changed.
        """
        altered: dict[TopicPartition, WantedPartition] = {}
        forgotten: dict[TopicPartition, bytes] = {}
        for each, wanted in changes:
            known = self.partitions.get(each)
            if wanted is None:
                if known is not None:
                    self._forget(each, known)
                    forgotten[each] = known.topic_id
            elif known != wanted:
                if known is not None:
                    if known.topic_id != wanted.topic_id:
                        forgotten[each] = known.topic_id
                    else:
                        known.request.fetch_offset = wanted.request.fetch_offset
                        if known == wanted:  # in each FetchFrame, too
                            altered[each] = known
                            continue
                self._want(each, wanted, known)
                altered[each] = wanted
        by_id = self._uses_topic_ids
        if self.partitions:
            by_id = self._version >= FIRST_VERSION_WITH_TOPIC_IDS and not self._without_id
        if not by_id:  # by name, the new partition has replaced the one of the former topic
            forgotten = {each: topic_id for each, topic_id in forgotten.items() if each not in altered}
        if by_id != self._uses_topic_ids:
            self.next_epoch = _FIRST_EPOCH
        self._uses_topic_ids = by_id
        version = self._version if by_id else min(self._version, FIRST_VERSION_WITH_TOPIC_IDS - 1)
        if version < FIRST_VERSION_WITH_SESSIONS:
            return FetchRequestData(version, _NO_SESSION, -1, _topics(self.partitions, by_id), [])
        if self.next_epoch == _FIRST_EPOCH:
            return FetchRequestData(version, self._session_id, _FIRST_EPOCH, _topics(self.partitions, by_id), [])
        return FetchRequestData(
            version, self._session_id, self.next_epoch, _topics(altered, by_id), _forgotten(forgotten, by_id)
        )

    def _want(self, each: TopicPartition, wanted: WantedPartition, known: WantedPartition | None) -> None:
        if known is None or known.topic_id != wanted.topic_id:
            if known is not None:
                self._forget(each, known)
            if wanted.topic_id == ZERO_UUID:
                self._without_id += 1
            else:
                _, count = self._topic_names.get(wanted.topic_id, ("", 0))
                self._topic_names[wanted.topic_id] = (each.topic, count + 1)
        self.partitions[each] = wanted

    def _forget(self, each: TopicPartition, known: WantedPartition) -> None:
        del self.partitions[each]
        if known.topic_id == ZERO_UUID:
            self._without_id -= 1
            return
        name, count = self._topic_names.pop(known.topic_id)
        if count > 1:
            self._topic_names[known.topic_id] = (name, count - 1)

    def handle_response(self, response: FetchResponse) -> str | None:
        """Take the response of the last request into account; return why it cannot be used, None if it can.

        The next request repeats all partitions after a reason was returned.
        """
        if response.error_code:
            if response.error_code == ErrorCode.FETCH_SESSION_ID_NOT_FOUND:
                self._session_id = _NO_SESSION
            self.next_epoch = _FIRST_EPOCH
            return error_name(response.error_code)
        if self._version < FIRST_VERSION_WITH_SESSIONS:
            return None
        if response.session_id == _NO_SESSION:  # the leader has no slot for a session, or has closed it
            self._session_id, self.next_epoch = _NO_SESSION, _FIRST_EPOCH
        elif self.next_epoch == _FIRST_EPOCH or response.session_id == self._session_id:
            self._session_id = response.session_id
            self.advance()
        else:
            self.next_epoch = _FIRST_EPOCH
            return f"a response of fetch session {response.session_id} in place of {self._session_id}"
        return None

    def handle_error(self) -> None:
        """Begin anew after a request without a response: the leader may have seen it or not."""
        self.next_epoch = _FIRST_EPOCH

    def partitions_of(self, response: FetchResponse) -> Iterator[tuple[TopicPartition, PartitionData]]:
        """Yield the partitions in *response*, without those that were not asked for."""
        for topic in response.responses:
            for data in topic.partitions:
                each = self.partition_of(topic, data.partition_index)
                if each is not None:
                    yield each, data

    def partition_of(self, topic: FetchableTopicResponse, index: int) -> TopicPartition | None:
        """Return a partition of *topic* in a response; None for one that was not asked for."""
        name = topic.topic
        if self._uses_topic_ids:
            name, _ = self._topic_names.get(topic.topic_id, ("", 0))
        each = TopicPartition(name, index)
        return each if each in self.partitions else None


def error_name(code: int) -> str:
    """Return the name of an error code in a response, which may be one that is not known here."""
    return ErrorCode(code).name if code in set(ErrorCode) else f"error code {code}"


def _topics(partitions: Mapping[TopicPartition, WantedPartition], by_id: bool) -> list[FetchTopic]:
    topics: dict[str | bytes, FetchTopic] = {}
    for each, (topic_id, request) in partitions.items():
        key = topic_id if by_id else each.topic
        topic = topics.get(key)
        if topic is None:
            topic = topics[key] = FetchTopic(topic_id=topic_id) if by_id else FetchTopic(each.topic)
        topic.partitions.append(request)
    return list(topics.values())


def _forgotten(partitions: Mapping[TopicPartition, bytes], by_id: bool) -> list[ForgottenTopic]:
    topics: dict[str | bytes, ForgottenTopic] = {}
    for each, topic_id in partitions.items():
        key = topic_id if by_id else each.topic
        topic = topics.get(key)
        if topic is None:
            topic = topics[key] = ForgottenTopic(topic_id=topic_id) if by_id else ForgottenTopic(each.topic)
        topic.partitions.append(each.partition)
    return list(topics.values())
