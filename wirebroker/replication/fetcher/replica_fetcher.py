"""ReplicaFetcher: follows the partitions that one broker leads, or a share of them, with one connection.

One task sends one request after the other: questions of where to truncate, then a Fetch that waits at the leader.  A
partition is added and removed in synchronous code at any time; a response changes only partitions whose state is still
the one that the request was made of.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

import trio

from wirebroker.client.broker_channel import ChannelError
from wirebroker.client.request_deadline import RequestDeadline
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.fetch import FetchPartition
from wirebroker.replication.errors import PartitionError
from wirebroker.replication.fetcher.fetch_frames import FetchFrames
from wirebroker.replication.fetcher.fetch_session_handler import FetchSessionHandler, WantedPartition
from wirebroker.replication.fetcher.fetcher_partitions import FetcherPartitions
from wirebroker.replication.fetcher.fetcher_stats import FetcherStats
from wirebroker.replication.fetcher.log_truncator import LogTruncator
from wirebroker.replication.fetcher.partition_states import FetchedPartition, PartitionFetchState, ReplicaState
from wirebroker.replication.fetcher.response_appends import ResponseAppends
from wirebroker.replication.fetcher.single_partition_follower import SinglePartitionFollower
from wirebroker.replication.fetcher.single_partition_response import read_single_partition
from wirebroker.replication.fetcher.streamed_response import StreamedResponse
from wirebroker.replication.follower_append import FetchedRecords

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from wirebroker.model import TopicPartition
    from wirebroker.protocol.messages.fetch import FetchResponse
    from wirebroker.quota.replication_quota import ReplicationQuota
    from wirebroker.replication.fetcher.fetch_frame import FetchFrame
    from wirebroker.replication.fetcher.fetcher_partitions import InitialFetchState
    from wirebroker.replication.fetcher.followed_partition import FollowedPartition, FollowerReplicas
    from wirebroker.replication.fetcher.follower_config import FollowerSettings
    from wirebroker.replication.fetcher.leader_endpoint import LeaderEndpoint
    from wirebroker.replication.fetcher.response_appends import DivergingPartitions, RefusedPartitions
    from wirebroker.replication.fetcher.single_partition_response import SinglePartitionResponse
    from wirebroker.replication.fetcher.watched_exchange import SocketWatcher

logger = logging.getLogger(__name__)

_FRAME_PARTITIONS: Final = 8
"""Partitions in a request that is kept."""
_NO_RECORDS: Final = memoryview(b"")


class ReplicaFetcher:
    """The task that follows one leader (Kafka: ReplicaFetcherThread)."""

    def __init__(
        self,
        leader: LeaderEndpoint,
        replicas: FollowerReplicas,
        failed: set[TopicPartition],
        quota: ReplicationQuota,
        settings: FollowerSettings,
        sockets: Callable[[], SocketWatcher | None] = lambda: None,
    ) -> None:
        """Follow no partition yet; see `run`.

        Args:
            leader: The requests to the leader.
            replicas: Where partitions are found.
            failed: Partitions that failed are added here.
            quota: The limit of this broker as a follower.
            settings: Pause and sizes.
            sockets: Returns the sockets that the processor polls; None as long as there is no processor.
        """
        self.leader = leader
        self.stats = FetcherStats()
        self.has_ended = False
        """Whether `run` has ended."""
        self._settings = settings
        self._quota = quota
        self._version = leader.protocol.fetch_version
        self._name = leader.channel.name
        self._partitions = FetcherPartitions(
            replicas,
            failed,
            self._name,
            settings.backoff_s,
            truncates_on_fetch=leader.protocol.truncation_on_fetch_supported,
        )
        self._truncator = LogTruncator(leader, self._partitions, replicas.log_manager)
        self._session = FetchSessionHandler(self._version)
        self._deadline = RequestDeadline(leader.channel.request_timeout_s)
        self._requested: dict[TopicPartition, PartitionFetchState] = {}
        """The states that the partitions of the session were requested with."""
        self._appends = ResponseAppends(
            self._session, self._partitions, self._requested, self._deadline, self._append, self._append_waiting
        )
        self._frames = FetchFrames(leader, self._partitions, self._session, self._requested)
        self._kept: FetchFrame | None = None
        """The next request, if it is one that is sent again."""
        self._single_follower = SinglePartitionFollower(
            leader,
            self._partitions,
            self._session,
            self._requested,
            self._deadline,
            quota,
            self.stats,
            self._append_failed,
            self._frames,
            self._append,
            self._append_waiting,
            sockets,
        )
        self._held_back: dict[TopicPartition, None] = {}
        """Partitions that are throttled now."""
        self._wake = trio.Event()
        self._scope = trio.CancelScope()
        self._is_reachable = True
        self._session_failed = False
        """Whether the last response ended the session."""

    def __len__(self) -> int:
        return len(self._partitions)

    def state(self, topic_partition: TopicPartition) -> PartitionFetchState | None:
        """Return the state of a partition, None if this fetcher does not follow it."""
        return self._partitions.get(topic_partition)

    def lags(self) -> Iterator[tuple[TopicPartition, int]]:
        """Yield the partitions, and the records that each lags behind the leader, if that is known."""
        for each in self._partitions:
            state = self._partitions.get(each)
            if state is not None and state.lag is not None:
                yield each, state.lag

    def add_partitions(self, initial: Mapping[TopicPartition, InitialFetchState]) -> None:
        """Follow partitions from now on, as FollowerState says since the caller has made them followers."""
        for topic_partition, state in initial.items():
            self._partitions.add(topic_partition, state)
        self._wake.set()

    def remove_partitions(self, topic_partitions: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        """Follow partitions no more; return the leader epochs of those that were followed."""
        removed = {each: self._partitions.remove(each) for each in topic_partitions}
        self._wake.set()
        return {each: state.leader_epoch for each, state in removed.items() if state is not None}

    def remove_all_partitions(self) -> dict[TopicPartition, PartitionFetchState]:
        """Follow no partition; return the states of all."""
        return {each: state for each in list(self._partitions) if (state := self._partitions.remove(each)) is not None}

    def update_topic_id(self, topic_partition: TopicPartition, topic_id: bytes) -> None:
        """Set the id of a topic that had none."""
        self._partitions.update_topic_id(topic_partition, topic_id)
        self._wake.set()

    def stop(self) -> None:
        """End `run`; a response that is being written is written."""
        self._scope.cancel()

    async def run(self) -> None:
        """Follow the partitions until `stop`."""
        try:
            with self._scope:
                while True:
                    try:
                        with self._deadline.watching():
                            while True:
                                await self._do_work()
                        raise self.leader.fetch_timed_out()
                    except ChannelError as error:
                        self._session.handle_error()  # also after an append that was cut short
                        self._unreachable(error)
                        await trio.sleep(self._settings.backoff_s)
                    except Exception:
                        logger.exception(
                            "%s: error in the fetcher; going on in %g s", self._name, self._settings.backoff_s
                        )
                        self._session.handle_error()
                        await trio.sleep(self._settings.backoff_s)
        finally:
            self.has_ended = True
            self.leader.channel.close()
            self._single_follower.close()
            del self._appends, self._single_follower  # both know this fetcher, and no cycle may keep it (collector.py)

    def _unreachable(self, error: ChannelError) -> None:
        level = logging.WARNING if self._is_reachable else logging.DEBUG  # one line for each time
        self._is_reachable = False
        logger.log(
            level,
            "%d partitions are not replicated from %s: %s; trying again every %g s",
            len(self._partitions),
            self._name,
            error,
            self._settings.backoff_s,
        )

    async def _do_work(self) -> None:
        partitions = self._partitions
        if partitions.has_delays:
            partitions.end_delays(trio.current_time())
        if partitions.has_truncating:
            self._deadline.end()
            await self._truncator.truncate()
        request = self._next_request()
        if request is None:
            self._deadline.end()
            await self._wait()
            return
        self._deadline.begin()
        try:
            encoded, version = request
            if self._kept is not None and self._is_reachable and not self._session_failed:
                received = await self._single_follower.follow(self._kept)
                if received is None:
                    return
                body, at = received
            else:
                body, at = await self.leader.exchange_fetch(encoded, version)
            if self.leader.channel.missing_bytes:
                await self._process_streamed(StreamedResponse(self.leader.channel, version, body, at))
                return
            single = read_single_partition(body, at, version)
            response = (
                None if single is not None and self._is_requested(single) else self.leader.read_fetch(body, at, version)
            )
        except BaseException:
            self._session.handle_error()
            raise
        self._responded()
        if response is None:
            assert single is not None
            self._session_failed = False
            await self._process_single(single)
            return
        if await self._continues_session(response):
            await self._act_on_errors(*await self._appends.process(response))

    def _responded(self) -> None:
        self.stats.requests += 1
        if not self._is_reachable:
            self._is_reachable = True
            logger.info("%d partitions are replicated from %s again", len(self._partitions), self._name)

    async def _continues_session(self, response: FetchResponse) -> bool:
        """Take the session's part of a response into account; return whether its partitions count."""
        reason = self._session.handle_response(response)
        if reason is None:
            self._session_failed = False
            return True
        logger.info("%s: the fetch session ends: %s; beginning another one", self._name, reason)
        if self._session_failed:
            self._deadline.end()
            await trio.sleep(self._settings.backoff_s)
        self._session_failed = True
        return False

    async def _wait(self) -> None:
        """Wait for a partition to be added, or for the end of a delay, or for room in the quota."""
        deadline = self._partitions.next_retry_at
        if self._held_back:
            deadline = min(deadline, trio.current_time() + self._settings.backoff_s)
        with trio.move_on_at(deadline):
            await self._wake.wait()
        self._wake = trio.Event()

    # -- requests

    def _next_request(self) -> tuple[bytearray, int] | None:
        """Return the next Fetch request, encoded, and its version; None if there is nothing to fetch."""
        is_limited = bool(self._held_back) or self._quota.limit is not None
        changed = () if is_limited else self._partitions.few_changed(_FRAME_PARTITIONS)
        if changed:
            frame = self._frames.next_request(changed)
            if frame is not None:
                self._kept = frame
                return frame.encoded, frame.version
        self._kept = None
        if is_limited:
            self._apply_quota()
        data = self._session.build(self._changes())
        if not len(self._session) and not data.forgotten:
            return None
        encoded = self.leader.encode_fetch(data)
        if changed:
            self._frames.keep(changed, data)
        return encoded, data.version

    def _changes(self) -> Iterator[tuple[TopicPartition, WantedPartition | None]]:
        """Yield the partitions whose part of the request may have changed; None for those to leave out."""
        for each, state in self._partitions.take_changed():
            partition = None if state is None or each in self._held_back else self._partitions.partition(each)
            if state is None or partition is None:
                self._requested.pop(each, None)
                yield each, None
            else:
                self._requested[each] = state
                yield each, self._wanted(each, state, partition)

    def _wanted(
        self, each: TopicPartition, state: PartitionFetchState, partition: FollowedPartition
    ) -> WantedPartition:
        request = FetchPartition(
            each.partition, fetch_offset=state.fetch_offset, partition_max_bytes=self._settings.partition_max_bytes
        )
        if self._version >= 5:
            request.log_start_offset = partition.log.log_start_offset
        if self._version >= 9:
            request.current_leader_epoch = state.leader_epoch
        if self._version >= 12:
            request.last_fetched_epoch = state.last_fetched_epoch
        return WantedPartition(state.topic_id, request)

    def _apply_quota(self) -> None:
        """Hold back throttled partitions that are not in sync while the quota is exceeded."""
        is_exceeded = self._quota.is_exceeded(_now_ms())
        for each in tuple(self._held_back):
            if (
                not is_exceeded
                or self._partitions.get(each) is None
                or not self._is_throttled(each, self._partitions.partition(each))
            ):
                del self._held_back[each]
                self._partitions.mark_changed(each)
        if is_exceeded:
            for each in tuple(self._partitions):
                state = self._partitions.get(each)
                if each in self._held_back or state is None or state.is_in_sync:
                    continue
                if self._is_throttled(each, self._partitions.partition(each)):
                    self._held_back[each] = None
                    self._partitions.mark_changed(each)

    def _is_throttled(self, each: TopicPartition, partition: FollowedPartition | None) -> bool:
        return partition is not None and self._quota.is_throttled(
            partition.log.config.follower_replication_throttled_replicas, each.partition
        )

    # -- responses

    def _is_requested(self, response: SinglePartitionResponse) -> bool:
        """Return whether *response* continues the session, with a partition whose state is the one it was asked for."""
        session = self._session
        if not session.continues(response.session_id):
            return False
        each = session.topic_partition(response.topic_id, response.partition)
        if each is None:
            return False
        state = self._partitions.get(each)
        return state is not None and self._requested.get(each) is state

    async def _process_single(self, response: SinglePartitionResponse) -> None:
        """Write the records of a response that `_is_requested`; the same as of any other."""
        session = self._session
        session.advance()
        each = session.topic_partition(response.topic_id, response.partition)
        assert each is not None
        state = self._requested[each]
        partition = self._partitions.partition(each)
        if partition is None:
            return
        records = response.records
        fetched = FetchedPartition(each, state, partition, response.high_watermark, len(records))
        unfinished = self._append(fetched, records, response.log_start_offset)
        if unfinished is not None:
            self._deadline.end()
            await self._append_waiting(fetched, unfinished)

    async def _process_streamed(self, streamed: StreamedResponse) -> None:
        """Write the records of a large response while it arrives, and act on the errors in it."""
        await streamed.next_step()
        self._responded()
        if await self._continues_session(streamed.response):
            await self._act_on_errors(*await self._appends.process_streamed(streamed))

    async def _act_on_errors(self, diverging: DivergingPartitions, refused: RefusedPartitions) -> None:
        if not diverging and not refused:
            return
        self._deadline.end()
        if diverging:
            await self._truncator.truncate_by_epochs(diverging)
        out_of_range = refused.pop(ErrorCode.OFFSET_OUT_OF_RANGE, {})
        for code, states in refused.items():
            self._partitions.refused_by_leader(self._still_in(states), code)
        if out_of_range:
            await self._truncator.reset_offsets(self._still_in(out_of_range))

    def _still_in(self, states: Mapping[TopicPartition, PartitionFetchState]) -> list[TopicPartition]:
        """Return the partitions that have these states; a new leader may have been named during waiting appends."""
        return [each for each, state in states.items() if self._partitions.get(each) is state]

    def _append(self, fetched: FetchedPartition, records: memoryview, log_start_offset: int) -> FetchedRecords | None:
        """Append to a log in the event loop; return what is left of the records if that has to wait."""
        _, state, partition, high_watermark, size_bytes = fetched
        self.stats.size_bytes += size_bytes
        try:
            appended = partition.append_records_at_once(
                records, state.leader_epoch, state.fetch_offset, high_watermark, log_start_offset
            )
        except Exception as error:
            self._append_failed(fetched, error)
            return None
        if isinstance(appended, FetchedRecords):
            return appended
        self._appended(fetched, appended)
        return None

    async def _append_waiting(self, fetched: FetchedPartition, records: FetchedRecords) -> None:
        """Append records in the thread of the log's directory, together with those of other logs there."""
        try:
            end = await fetched.partition.append_fetched_records(records)
        except Exception as error:
            self._append_failed(fetched, error)
            return
        self._appended(fetched, end)

    def _append_failed(self, fetched: FetchedPartition, error: Exception) -> None:
        each, state = fetched.topic_partition, fetched.state
        if not isinstance(error, PartitionError):
            logger.error("topic=%s partition=%d: error in an append of fetched records", *each, exc_info=error)
            self._partitions.fail(each, "an internal error, see above")
        elif error.code is ErrorCode.CORRUPT_MESSAGE:
            logger.error(
                "topic=%s partition=%d: the records at offset %d from %s are corrupt: %s; fetching them again",
                *(*each, state.fetch_offset, self._name, error),
            )
            self._go_on_later(each, state)
        else:
            self._partitions.fail(each, f"the records at offset {state.fetch_offset} cannot be appended: {error}")

    def _appended(self, fetched: FetchedPartition, end: int | None) -> None:
        """Count the bytes of a throttled partition, and fetch from *end* on; None if the append was refused."""
        if fetched.size_bytes and self._is_throttled(fetched.topic_partition, fetched.partition):
            self._quota.record(fetched.size_bytes, _now_ms())
        if end is None:
            self._go_on_later(fetched.topic_partition, fetched.state)
        else:
            self._advance(fetched, end)

    def _advance(self, fetched: FetchedPartition, end: int) -> None:
        """Fetch from *end* on, if the partition still has the state that was fetched for."""
        each, state, partition, high_watermark, _ = fetched
        if self._partitions.get(each) is not state:
            return
        lag = max(0, high_watermark - end)
        log = partition.log
        if end != state.fetch_offset or state.lag is None:
            topic_id, leader_epoch, replica_state, _, _, _, retry_at, refusals = state
            epoch = log.leader_epoch_cache.latest_epoch
            # half of what `_replace` takes
            moved = PartitionFetchState(topic_id, leader_epoch, replica_state, end, epoch, lag, retry_at, refusals)
            self._partitions.set(each, moved)
            return
        requested = self._session.partitions.get(each)
        if lag != state.lag or (requested is not None and requested.request.log_start_offset != log.log_start_offset):
            self._partitions.set(each, state._replace(lag=lag))

    def _go_on_later(self, each: TopicPartition, state: PartitionFetchState) -> None:
        """After an append that was refused: go on at the log's end in a while, unless the state has changed."""
        if self._partitions.get(each) is state:
            self._partitions.continue_at_log_end(each, state, ReplicaState.FETCHING)
            self._partitions.back_off([each])


def _now_ms() -> int:
    """Return the time of the monotonic clock, for quotas."""
    return int(trio.current_time() * 1000)
