"""LogCleaner: compacts the broker's logs, the dirtiest first (Kafka's LogCleaner and LogCleanerManager).

The work on the records is done by another process (`storage/cleaner/worker.py`).  Here a log is chosen, the process is
told what to do, and each segment that it has written is put into the log, in order with the log's own writes.

The modules of `storage/cleaner/` are imported with the first compacted log: 3 ms and 0.2 MB that a broker without one
saves.
"""

from __future__ import annotations

import errno
import logging
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

import trio

from wirebroker.clock import now_ms
from wirebroker.loop_budget import LoopBudget
from wirebroker.replication.retention_run import apply_retention
from wirebroker.storage.cleaner.worker_client import CleanerWorker, WorkerDiedError
from wirebroker.storage.errors import CorruptLogError, LogError, StorageError, is_disk_full

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.config.dynamic_config import DynamicConfig
    from wirebroker.config.log import LogConfig
    from wirebroker.config.server import BrokerConfig
    from wirebroker.replication.partition import Partition
    from wirebroker.replication.replica_manager import ReplicaManager
    from wirebroker.storage.cleaner.job import CleanerLimits, CleaningStats, RoundEnd, RoundFailure
    from wirebroker.storage.cleaner.planning import CleanableRange
    from wirebroker.storage.log import Log

logger = logging.getLogger(__name__)

_FEWEST_BYTES: Final = 1024 * 1024
"""The smallest part of the deduplication buffer that one of several cleaners gets."""
_RETRY_MS: Final = 10 * 60 * 1000
"""When a log is tried again that could not be cleaned for a reason which may pass, such as a full disk."""
_DELETE_HORIZON_SINCE: Final = "3.1"
"""The release from which on batches have delete horizons (KIP-534)."""


class Target(NamedTuple):
    """A log that is to be cleaned."""

    partition: Partition
    log: Log
    cleanable: CleanableRange


class Uncleanable(NamedTuple):
    """The state in which a log could not be cleaned; as soon as its log has another, that is tried again."""

    config: LogConfig
    limits: CleanerLimits
    first_segment: int
    reason: str
    retry_ms: int | None
    """When it is tried again although nothing has changed; None: never."""

    def is_of(self, log: Log, limits: CleanerLimits) -> bool:
        """Whether the state of *log*, and the limits of its rounds, are still these."""
        first_segment = log.view.segments[0].base_offset
        return (self.config, self.limits, self.first_segment) == (log.config, limits, first_segment)


class LogCleaner:
    """Compacts the logs of one broker.

    Args:
        make_worker: makes the process that does one cleaner's work.
    """

    def __init__(
        self,
        config: DynamicConfig,
        replicas: ReplicaManager,
        *,
        make_worker: Callable[[], CleanerWorker] = CleanerWorker,
        clock: Callable[[], int] = now_ms,
    ) -> None:
        self._config = config
        self._replicas = replicas
        self._log_dirs = replicas.log_manager.log_dirs
        self._make_worker = make_worker
        self._clock = clock
        self._in_progress: set[Log] = set()
        self._uncleanable: dict[Log, Uncleanable] = {}
        self._limits_of: dict[CleanerWorker, CleanerLimits] = {}
        """The limits of each round that runs."""
        self._outdated: set[CleanerWorker] = set()
        """Workers that were stopped in a round whose limits have changed."""
        self.last_run_ms = clock()
        """When a log was last chosen, or none was found that is due."""
        self.last_round_s = 0.0
        """How long the last round took."""
        self.last_stats: CleaningStats | None = None
        """The bytes and records of the last round that has come to its end; None before."""
        self.max_dirty_ratio = 0.0
        """The dirty part of the dirtiest log, due or not, when a log was last chosen, from 0 to 1."""
        self.max_compaction_delay_ms = 0
        """The longest time by which a record had waited too long by max.compaction.lag.ms, at the same moment."""
        self._changed = trio.Event()
        self._running = 0
        self._choosing = trio.CapacityLimiter(1)  # two cleaners must not choose the same log
        config.subscribe(self._on_config)
        replicas.on_compaction_reconfigured = self._wake

    @property
    def uncleanable_count(self) -> int:
        """Logs that could not be cleaned and that nobody has changed since."""
        return len(self.uncleanable())

    @property
    def wanted(self) -> int:
        """The number of cleaners that are to run."""
        return self._config.current.log_cleaner_threads

    @property
    def buffer_utilization(self) -> float:
        """The part of a cleaner's buffer of keys that the last round has used, from 0 to 1."""
        stats = self.last_stats
        if stats is None:
            return 0.0
        from wirebroker.storage.cleaner.offset_map import BYTES_PER_ENTRY

        return stats.map_keys * BYTES_PER_ENTRY / _limits(self._config.current).dedupe_buffer_bytes

    @property
    def running(self) -> int:
        """The number of cleaners that run."""
        return self._running

    def uncleanable(self) -> list[Log]:
        """Return the logs that could not be cleaned and that nobody has changed since."""
        return [log for log in list(self._uncleanable) if self._mark_of(log) is not None and self._is_served(log)]

    def uncleanable_bytes(self, log: Log) -> int:
        """Return the size of the closed segments of *log* that were never compacted."""
        view = log.view
        first_dirty = self._log_dirs.cleaner_offset(log) or view.log_start_offset
        return sum(each.size_bytes for each, after in pairwise(view.segments) if after.base_offset > first_dirty)

    def _is_served(self, log: Log) -> bool:
        partition = self._replicas.find(*log.topic_partition)
        return partition is not None and partition.log is log

    def uncleanable_reason(self, log: Log) -> str | None:
        """Return why *log* is not cleaned at present, None if nothing is known that prevents it; in any thread."""
        if self._is_moving(log):
            return "the log is being moved to another log directory"
        mark = self._mark_of(log)
        if mark is None:
            return None
        again = "when a setting of the topic, one of log.cleaner.* or the first segment changes, and at the next start"
        return f"cannot be compacted: {mark.reason}; it is tried again {again}"

    async def run(self) -> None:
        """Clean logs until cancelled, with as many processes at a time as `log.cleaner.threads` says."""
        self._running = 0
        async with trio.open_nursery() as nursery:
            while True:
                self._changed = trio.Event()
                while self._running < self._config.current.log_cleaner_threads:
                    nursery.start_soon(self._run_cleaner, self._running)
                    self._running += 1
                await self._changed.wait()

    def _on_config(self, config: BrokerConfig) -> None:
        self._stop_outdated(config)
        self._wake()

    def _wake(self) -> None:
        """Look for a log at once, without the rest of the backoff: a setting of the broker or a topic has changed."""
        self._changed.set()

    def _stop_outdated(self, config: BrokerConfig) -> None:
        """Have rounds begin anew whose limits have changed, as Apache Kafka does: a throttled one may take hours."""
        if not self._limits_of:
            return
        limits = _limits(config)
        for worker, used in self._limits_of.items():
            if used != limits and worker not in self._outdated:
                self._outdated.add(worker)
                worker.stop()

    async def _run_cleaner(self, number: int) -> None:
        """Clean one log after the other; end when there are to be fewer cleaners."""
        worker = self._make_worker()
        try:
            while number < self._config.current.log_cleaner_threads:
                changed = self._changed  # whatever changes from here on is looked at, too
                target = await trio.to_thread.run_sync(self._choose, limiter=self._choosing)
                self.last_run_ms = self._clock()
                if target is not None:
                    began = trio.current_time()
                    await self._clean(worker, target)
                    self.last_round_s = trio.current_time() - began
                await self._delete_old_segments()
                if target is None:
                    worker.close()  # and its buffer
                    with trio.move_on_after(self._config.current.log_cleaner_backoff_ms / 1000):
                        await changed.wait()
        finally:
            self._running -= 1
            self._changed.set()
            worker.close()

    async def _delete_old_segments(self) -> None:
        """Apply retention to the compacted logs of which no round is in progress, and which could be compacted.

        With `compact,delete` a log is so kept short at the cleaner's interval, which is shorter than that of retention.
        """
        budget, partitions = LoopBudget(), []
        for each in list(self._replicas.partitions()):
            if each.log.config.compacts and each.log not in self._in_progress and self._mark_of(each.log) is None:
                partitions.append(each)
            await budget.yield_if_due()
        await apply_retention(self._replicas, partitions, self._clock, trio.to_thread.run_sync)

    # -- which log

    def _choose(self) -> Target | None:
        """The dirtiest log that is due, None if none is; it is in progress from now on.  Runs in a thread."""
        best: Target | None = None
        highest_ratio, longest_delay_ms = 0.0, 0
        for partition in list(self._replicas.partitions()):
            log = partition.log
            if not log.config.compacts or log in self._in_progress or self._is_moving(log):
                continue
            mark, now_ms = self._mark_of(log), self._clock()
            if mark is not None and (mark.retry_ms is None or now_ms < mark.retry_ms):
                continue
            from wirebroker.storage.cleaner.planning import cleanable_range

            try:
                checkpoint = self._log_dirs.cleaner_offset(log)
                cleanable = cleanable_range(log, checkpoint, partition.high_watermark, now_ms)
                if checkpoint not in (None, cleanable.first_dirty_offset):
                    self._log_dirs.checkpoint_cleaner_offset(log, cleanable.first_dirty_offset)
            except CorruptLogError as error:
                self._give_up(log, str(error))
                continue
            except LogError:
                continue  # its directory is offline, or it was deleted
            highest_ratio = max(highest_ratio, cleanable.dirty_ratio)
            longest_delay_ms = max(longest_delay_ms, cleanable.compaction_delay_ms)
            if cleanable.is_due(log.config) and (best is None or cleanable.dirty_ratio > best.cleanable.dirty_ratio):
                best = Target(partition, log, cleanable)
        self.max_dirty_ratio, self.max_compaction_delay_ms = highest_ratio, longest_delay_ms
        if best is not None:
            self._in_progress.add(best.log)
        return best

    def _mark_of(self, log: Log) -> Uncleanable | None:
        """Why *log* is not cleaned, None if it can be as far as is known."""
        mark = self._uncleanable.get(log)
        return mark if mark is not None and mark.is_of(log, _limits(self._config.current)) else None

    def _is_moving(self, log: Log) -> bool:
        """Whether *log* is being copied to another directory: the copy would have what is cleaned away meanwhile."""
        return self._replicas.log_manager.log_dirs.future_log(log.topic_partition) is not None

    # -- cleaning it

    async def _clean(self, worker: CleanerWorker, target: Target) -> None:
        log = target.log
        try:
            await self._run_round(worker, target)
        except (WorkerDiedError, OSError) as error:
            if worker not in self._outdated:
                self._give_up(log, str(error), self._clock() + _RETRY_MS)
        except CorruptLogError as error:
            self._give_up(log, str(error))
        except StorageError as error:
            self._replicas.storage_failed(log, error)
        except LogError:
            pass  # it was deleted meanwhile
        finally:
            self._in_progress.discard(log)
            self._limits_of.pop(worker, None)
            self._outdated.discard(worker)

    async def _run_round(self, worker: CleanerWorker, target: Target) -> None:
        from wirebroker.storage.cleaner.job import CleanedSegment, RoundEnd, RoundFailure
        from wirebroker.storage.cleaner.planning import make_job
        from wirebroker.storage.cleaner.segment_swap import is_unchanged, swap_in

        partition, log, cleanable = target
        config = self._config.current
        marks_horizon = config.release_profile.is_at_least(_DELETE_HORIZON_SINCE)
        limits = _limits(config)
        make = partial(make_job, log, cleanable, limits, self._clock(), marks_horizon=marks_horizon)
        job = await trio.to_thread.run_sync(make)
        if not job.segments or not is_unchanged(log, job):
            return
        await trio.to_thread.run_sync(worker.begin, job)
        self._limits_of[worker] = limits
        self._stop_outdated(self._config.current)  # which may have changed since
        while True:
            # a cancelled broker does not wait for the answer: the process is killed, and the thread then ends
            answer = await trio.to_thread.run_sync(worker.next_answer, abandon_on_cancel=True)
            match answer:
                case CleanedSegment():
                    if self._is_moving(log) or not await partition.run_on_executor(partial(swap_in, log, answer, job)):
                        worker.close()  # the log is another one by now: truncated, moved or begun anew
                        return
                    partition.notify_listeners()
                case RoundEnd():
                    if is_unchanged(log, job) and not self._is_moving(log):
                        await trio.to_thread.run_sync(self._log_dirs.checkpoint_cleaner_offset, log, answer.end_offset)
                        self._uncleanable.pop(log, None)
                    self.last_stats = answer.stats
                    _log_end(log, cleanable, answer)
                    return
                case RoundFailure():
                    if is_unchanged(log, job):
                        self._fail(log, answer)
                    return  # else its files were renamed or cut under the worker

    def _fail(self, log: Log, failure: RoundFailure) -> None:
        if failure.errno is None:
            self._give_up(log, failure.reason)
            return
        error = OSError(failure.errno, failure.reason)
        if is_disk_full(error):
            self._give_up(log, f"no room for the new segments: {failure.reason}", self._clock() + _RETRY_MS)
        elif error.errno in (errno.ENOENT, errno.EMFILE, errno.ENFILE):  # no fault of the disk
            self._give_up(log, failure.reason, self._clock() + _RETRY_MS)
        else:
            self._replicas.storage_failed(log, StorageError(f"{log}: {failure.reason}"))

    def _give_up(self, log: Log, reason: str, retry_ms: int | None = None) -> None:
        """Mark *log* as uncleanable, and say so once; the other logs go on."""
        was_known = self._mark_of(log) is not None
        served = {partition.log for partition in list(self._replicas.partitions())}
        for each in list(self._uncleanable):  # which the event loop changes while a thread chooses a log
            if each not in served:
                self._uncleanable.pop(each, None)
        limits, first_segment = _limits(self._config.current), log.view.segments[0].base_offset
        self._uncleanable[log] = Uncleanable(log.config, limits, first_segment, reason, retry_ms)
        if not was_known:
            logger.error(
                "topic=%s partition=%d cannot be compacted and grows until it can be: %s; it is tried again %swhen a"
                " setting of the topic, one of log.cleaner.* or its first segment changes, and at the next start"
                " (uncleanable logs of this broker: %d; `wirebroker topics explain-retention TOPIC` has the reason)",
                *(*log.topic_partition, reason, "" if retry_ms is None else "every 10 minutes, "),
                self.uncleanable_count,
            )


def _limits(config: BrokerConfig) -> CleanerLimits:
    """The part of one cleaner in the limits, which are settings for all cleaners together."""
    from wirebroker.storage.cleaner.job import CleanerLimits

    cleaners = max(config.log_cleaner_threads, 1)
    return CleanerLimits(
        max(config.log_cleaner_dedupe_buffer_size // cleaners, _FEWEST_BYTES),
        config.log_cleaner_io_buffer_load_factor,
        config.log_cleaner_io_buffer_size // cleaners // 2,
        config.log_cleaner_io_max_bytes_per_second / cleaners,
    )


def _log_end(log: Log, cleanable: CleanableRange, end: RoundEnd) -> None:
    stats = end.stats
    logger.info(
        "topic=%s partition=%d: compacted offsets %d to %d: %.1f MB became %.1f MB, %d of %d records stay, %.1f s",
        *(*log.topic_partition, cleanable.first_dirty_offset, end.end_offset - 1),
        *(stats.bytes_read / 1e6, stats.bytes_written / 1e6, stats.records_written, stats.records_read, stats.seconds),
    )
    if stats.keyless_records:
        logger.warning(
            "topic=%s partition=%d: removed %d records without a key, which a compacted topic cannot hold",
            *(*log.topic_partition, stats.keyless_records),
        )
