"""FetchFrames: the encoded requests that a fetcher keeps, to send them again with other offsets (see `FetchFrame`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.replication.fetcher.fetch_frame import FetchFrame
from wirebroker.replication.fetcher.partition_states import ReplicaState

if TYPE_CHECKING:
    from wirebroker.model import TopicPartition
    from wirebroker.replication.fetcher.fetch_session_handler import FetchRequestData, FetchSessionHandler
    from wirebroker.replication.fetcher.fetcher_partitions import FetcherPartitions
    from wirebroker.replication.fetcher.leader_endpoint import LeaderEndpoint
    from wirebroker.replication.fetcher.partition_states import PartitionFetchState

_FRAMES: Final = 64
"""Encoded requests that are kept at most."""


class FetchFrames:
    """Requests for some partitions, by the partitions in the order in which they changed."""

    def __init__(
        self,
        leader: LeaderEndpoint,
        partitions: FetcherPartitions,
        session: FetchSessionHandler,
        requested: dict[TopicPartition, PartitionFetchState],
    ) -> None:
        """Keep nothing yet.

        Args:
            leader: The requests to the leader.
            partitions: The states of the fetcher's partitions.
            session: The fetch session.
            requested: The states that the partitions of the session were requested with.
        """
        self._leader, self._partitions, self._session, self._requested = leader, partitions, session, requested
        self._version = leader.protocol.fetch_version
        self._frames: dict[tuple[TopicPartition, ...], FetchFrame] = {}

    def next_request(self, changed: tuple[TopicPartition, ...]) -> FetchFrame | None:
        """Return the next request, for *changed* partitions, if nothing of it has changed but fetch offsets."""
        frame = self._frames.get(changed)
        session, partitions, version = self._session, self._partitions, self._version
        if (
            frame is None
            or not session.continues(frame.session_id)
            or frame.broker_epoch != self._leader.broker_epoch()
        ):
            return None
        offsets: list[int] = []
        for each, wanted in frame.wanted:
            state = partitions.get(each)
            if (
                state is None
                or state.retry_at is not None
                or state.state is not ReplicaState.FETCHING
                or session.partitions.get(each) is not wanted
                or state.topic_id != wanted.topic_id
            ):
                return None
            partition, request = partitions.partition(each), wanted.request
            if (
                partition is None
                or request.fetch_offset == state.fetch_offset
                or request.log_start_offset != partition.log.log_start_offset
                or (version >= 9 and request.current_leader_epoch != state.leader_epoch)
                or (version >= 12 and request.last_fetched_epoch != state.last_fetched_epoch)
            ):
                return None
            self._requested[each] = state
            offsets.append(state.fetch_offset)
        partitions.forget_changed()
        frame.update(session.next_epoch, offsets)
        return frame

    def keep(self, changed: tuple[TopicPartition, ...], data: FetchRequestData) -> None:
        """Remember the request for *changed* partitions of a session."""
        known = self._session.partitions
        wanted = [(each, known[each]) for each in changed if each in known]
        named = sum(len(topic.partitions) for topic in data.topics)
        if len(wanted) == len(changed) == named and not data.forgotten and self._session.continues(data.session_id):
            if len(self._frames) >= _FRAMES:
                self._frames.clear()
            self._frames[changed] = FetchFrame(data, wanted, self._leader.encode_fetch, self._leader.broker_epoch())
