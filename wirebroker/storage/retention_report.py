"""RetentionReport: the segments of one partition, when each goes or is compacted, and which setting decides that.

    report = explain_retention(view, config, CleaningFacts(high_watermark, cleaner_offset), now_ms)

Deletion is what `retention.py` would do, compaction what `cleaner/planning.py` would: both are asked here.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from wirebroker.config.keys import FOREVER
from wirebroker.record.record_batch import HEADER_SIZE, RecordBatch
from wirebroker.storage.cleaner.planning import range_in
from wirebroker.storage.retention import deletable_segments

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wirebroker.config.log import LogConfig
    from wirebroker.storage.cleaner.planning import CleanableRange
    from wirebroker.storage.log_segment import LogSegment
    from wirebroker.storage.log_view import LogView

DECIDING_TOPIC_KEYS: Final = (
    "cleanup.policy",
    "retention.ms",
    "retention.bytes",
    "segment.ms",
    "segment.bytes",
    "min.cleanable.dirty.ratio",
    "min.compaction.lag.ms",
    "max.compaction.lag.ms",
    "delete.retention.ms",
)
DECIDING_BROKER_KEYS: Final = ("log.cleaner.enable", "log.retention.check.interval.ms", "log.cleaner.backoff.ms")

_MOST_BATCHES: Final = 200_000
"""Headers of a partition that are searched for delete horizons, about a second of work."""


class SegmentAction(StrEnum):
    """The thing that happens to a segment."""

    DELETE = "delete"
    COMPACT = "compact"
    REMOVE_TOMBSTONES = "remove tombstones"
    ROLL = "roll"


class Verdict(NamedTuple):
    """When something happens to a segment, or why not."""

    action: SegmentAction
    is_due: bool
    """The next run of retention or the log cleaner, or for a roll the next record, does it."""
    due_ms: int | None
    """The wall clock from which on it may happen, None if no clock decides."""
    setting: str | None
    """The key that decides; None if none does."""
    why: str


class SegmentReport(NamedTuple):
    """One segment on disk."""

    base_offset: int
    size_bytes: int
    newest_timestamp_ms: int | None
    """Of its records, or of its file if they have none; None of an empty segment."""
    state: str
    """active, dirty, clean; or closed in a topic that is not compacted."""
    verdicts: tuple[Verdict, ...]


class CleaningFacts(NamedTuple):
    """State of a log that its files do not hold."""

    high_watermark: int
    cleaner_offset: int | None
    """Where the next round of compaction begins; None if there was none."""
    is_cleaner_enabled: bool = True
    uncleanable_reason: str | None = None
    """Why the log cleaner leaves the log alone, None if it does not."""


class RetentionReport(NamedTuple):
    """One partition; offsets are those of the log, `last_stable_offset` is where read_committed ends."""

    log_start_offset: int
    last_stable_offset: int
    high_watermark: int
    log_end_offset: int
    size_bytes: int
    first_dirty_offset: int | None
    dirty_ratio: float | None
    segments: tuple[SegmentReport, ...]

    def as_object(self) -> dict[str, Any]:
        """Return the report as an object of JSON."""
        return {
            **self._asdict(),
            "segments": [
                {**each._asdict(), "verdicts": [verdict._asdict() for verdict in each.verdicts]}
                for each in self.segments
            ],
        }

    @classmethod
    def from_object(cls, found: dict[str, Any]) -> RetentionReport:
        """Return the report that `as_object` has made the object *found* of; other keys in it are ignored."""
        segments = tuple(
            SegmentReport(**{**each, "verdicts": tuple(_verdict(verdict) for verdict in each["verdicts"])})
            for each in found["segments"]
        )
        return cls(**{**{name: found[name] for name in cls._fields}, "segments": segments})


def _verdict(found: dict[str, Any]) -> Verdict:
    return Verdict(**{**found, "action": SegmentAction(found["action"])})


def explain_retention(view: LogView, config: LogConfig, facts: CleaningFacts, now_ms: int) -> RetentionReport:
    """Return what becomes of each segment of *view*.  Raises OSError, CorruptFileError."""
    cleanable = None
    if config.compacts:
        cleanable = range_in(view, config, facts.cleaner_offset, facts.high_watermark, now_ms)
    return RetentionReport(
        log_start_offset=view.log_start_offset,
        last_stable_offset=view.last_stable_offset(facts.high_watermark),
        high_watermark=facts.high_watermark,
        log_end_offset=view.log_end_offset,
        size_bytes=view.size_bytes,
        first_dirty_offset=None if cleanable is None else cleanable.first_dirty_offset,
        dirty_ratio=None if cleanable is None else round(cleanable.dirty_ratio, 4),
        segments=_Explanation(view, config, facts, cleanable, now_ms).segments(),
    )


class _Explanation:
    """The verdicts about the segments of one view."""

    def __init__(
        self, view: LogView, config: LogConfig, facts: CleaningFacts, cleanable: CleanableRange | None, now_ms: int
    ) -> None:
        self._view = view
        self._config = config
        self._facts = facts
        self._cleanable = cleanable
        self._now_ms = now_ms
        self._batches_left = _MOST_BATCHES

    def segments(self) -> tuple[SegmentReport, ...]:
        view, deletions = self._view, self._deletions()
        found = []
        for at, segment in enumerate(view.segments):
            is_active = segment is view.active
            size = view.size_of(segment)
            state, verdicts = "active", [*deletions[segment.base_offset]]
            if is_active:
                verdicts += self._rolls()
            elif self._cleanable is None:
                state = "closed"
            elif view.segments[at + 1].base_offset > self._cleanable.first_dirty_offset:
                state = "dirty"
                verdicts += self._compactions(segment, self._cleanable)
            else:
                state = "clean"
                verdicts += self._of_clean_segment(segment)
            newest = segment.largest_timestamp() if size else None
            found.append(SegmentReport(segment.base_offset, size, newest, state, tuple(verdicts)))
        return tuple(found)

    # -- deletion

    def _deletions(self) -> dict[int, list[Verdict]]:
        """Base offset -> when and why the segment is deleted."""
        view, config = self._view, self._config
        due: dict[int, Verdict] = {}
        left = [view]
        for reason, segments in deletable_segments(lambda: left[-1], config, self._now_ms, self._facts.high_watermark):
            verdict = Verdict(
                SegmentAction.DELETE, True, None, reason.setting, f"goes with the next check: {reason.text}"
            )
            due.update(dict.fromkeys((each.base_offset for each in segments), verdict))
            left.append(left[-1]._replace(segments=left[-1].segments[len(segments) :]))
        found = {}
        newest_ms, size_up_to = 0, 0
        for segment, end in self._with_ends():
            size = view.size_of(segment)
            size_up_to += size
            if size:
                newest_ms = max(newest_ms, segment.largest_timestamp())
            if segment.base_offset in due:
                found[segment.base_offset] = [due[segment.base_offset]]
            elif not config.deletes or not size:
                found[segment.base_offset] = []
            else:
                found[segment.base_offset] = list(self._later_deletions(segment, end, newest_ms, size_up_to))
        return found

    def _with_ends(self) -> Iterator[tuple[LogSegment, int]]:
        """Every segment with the offset behind its last one."""
        view = self._view
        ends = [*(each.base_offset for each in view.segments[1:]), view.log_end_offset]
        return zip(view.segments, ends, strict=True)

    def _later_deletions(self, segment: LogSegment, end: int, newest_ms: int, size_up_to: int) -> Iterator[Verdict]:
        """The verdicts on *segment*, which stays for now; all older segments go before it."""
        config, high_watermark = self._config, self._facts.high_watermark
        if end > high_watermark:
            why = f"records from offset {high_watermark} on are not replicated yet"
            yield Verdict(SegmentAction.DELETE, False, None, None, why)
            return
        if config.retention_ms < 0 and config.retention_bytes < 0:
            why = "neither retention.ms nor retention.bytes limits the log: it stays"
            yield Verdict(SegmentAction.DELETE, False, None, "retention.ms", why)
        if config.retention_ms >= 0:
            waits_for_older = segment.largest_timestamp() < newest_ms
            why = "an older segment has a newer record" if waits_for_older else "the age of its newest record"
            yield Verdict(SegmentAction.DELETE, False, newest_ms + config.retention_ms + 1, "retention.ms", why)
        if config.retention_bytes >= 0:
            more = size_up_to + config.retention_bytes - self._view.size_bytes
            why = f"goes when the log is {max(more, 0)} bytes larger"
            yield Verdict(SegmentAction.DELETE, False, None, "retention.bytes", why)

    # -- the active segment

    def _rolls(self) -> Iterator[Verdict]:
        active, config = self._view.active, self._config
        size = self._view.active_size_bytes
        if not size:
            return
        first_ms = active.load_first_timestamp()
        if first_ms is None or first_ms < 0:
            first_ms = active.created_ms
        due_ms = first_ms + config.max_segment_ms - active.roll_jitter_ms
        rest = "; until then it is not compacted" if config.compacts else ""
        why = f"closed by the first record whose timestamp is later{rest}"
        setting = "segment.ms" if config.max_segment_ms == config.segment_ms else "max.compaction.lag.ms"
        yield Verdict(SegmentAction.ROLL, due_ms < self._now_ms, due_ms, setting, why)
        why = f"closed by the record for which less than {max(config.segment_bytes - size, 0)} bytes are left{rest}"
        yield Verdict(SegmentAction.ROLL, False, None, "segment.bytes", why)

    # -- compaction

    def _compactions(self, segment: LogSegment, cleanable: CleanableRange) -> Iterator[Verdict]:
        """When a dirty segment is compacted, or why not."""
        config, facts = self._config, self._facts
        if not facts.is_cleaner_enabled:
            yield Verdict(SegmentAction.COMPACT, False, None, "log.cleaner.enable", "the log cleaner is off")
        elif facts.uncleanable_reason is not None:
            yield Verdict(SegmentAction.COMPACT, False, None, None, facts.uncleanable_reason)
        elif segment.base_offset >= cleanable.uncleanable_offset:
            yield self._why_not_cleanable(segment, cleanable.uncleanable_offset)
        elif cleanable.is_overdue:
            why = "a dirty record is older"
            yield Verdict(SegmentAction.COMPACT, True, None, "max.compaction.lag.ms", why)
        else:
            is_due = cleanable.is_due(config)
            why = f"{cleanable.dirty_ratio:.1%} of what a round reads are dirty, {'' if is_due else 'not '}more than"
            why += f" {config.min_cleanable_dirty_ratio:.1%}"
            yield Verdict(SegmentAction.COMPACT, is_due, None, "min.cleanable.dirty.ratio", why)
            if not is_due and config.max_compaction_lag_ms < FOREVER:
                first_ms = segment.load_first_timestamp() or 0
                due_ms = first_ms + config.max_compaction_lag_ms
                why = "the age of its first record, whatever the dirty ratio is"
                yield Verdict(SegmentAction.COMPACT, False, due_ms, "max.compaction.lag.ms", why)

    def _why_not_cleanable(self, segment: LogSegment, uncleanable_offset: int) -> Verdict:
        view, lag_ms = self._view, self._config.min_compaction_lag_ms
        high_watermark = self._facts.high_watermark
        stable = view.last_stable_offset(high_watermark)
        first = next(each for each in view.segments if each.base_offset == uncleanable_offset)
        where = "" if segment is first else f" in the segment at {uncleanable_offset}, before which none is skipped"
        due_ms = first.largest_timestamp() + lag_ms
        if lag_ms > 0 and due_ms > self._now_ms:
            why = f"the age of the newest record{where}"
            return Verdict(SegmentAction.COMPACT, False, due_ms, "min.compaction.lag.ms", why)
        if stable < high_watermark:
            why = f"a transaction is open, or not replicated, since the last stable offset {stable}{where}"
        else:
            why = f"records from the high watermark {high_watermark} on are not replicated yet{where}"
        return Verdict(SegmentAction.COMPACT, False, None, None, why)

    def _of_clean_segment(self, segment: LogSegment) -> Iterator[Verdict]:
        why = "compacted; the last values of keys stay until the keys come again"
        yield Verdict(SegmentAction.COMPACT, False, None, "cleanup.policy", why)
        horizons = self._delete_horizons(segment)
        if horizons:
            first_ms = min(horizons)
            why = f"tombstones or markers in {len(horizons)} batches go with the first round after their delete horizon"
            is_due = first_ms <= self._now_ms
            yield Verdict(SegmentAction.REMOVE_TOMBSTONES, is_due, first_ms, "delete.retention.ms", why)

    def _delete_horizons(self, segment: LogSegment) -> list[int]:
        """The delete horizon of each batch that has one; the headers of large partitions are not read to the end."""
        found = []
        file = segment.log_file.open()
        for header in segment.headers():
            if not self._batches_left:
                break
            self._batches_left -= 1
            data = file.pread(HEADER_SIZE, header.position)
            batch = RecordBatch(data) if len(data) == HEADER_SIZE else None  # else it is of an old format
            if batch is not None and batch.magic == 2 and batch.delete_horizon_ms is not None:
                found.append(batch.delete_horizon_ms)
        return found
