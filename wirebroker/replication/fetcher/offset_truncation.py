"""Where a follower truncates its log, as values in and values out (KIP-101, KIP-279, KIP-595).

The leader answers OffsetForLeaderEpoch, or a Fetch of a follower whose log diverges, with an epoch and the offset at
which it ends in the leader's log.  Epochs of the follower's log are (epoch, start offset), as `LeaderEpochCache` has
them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from wirebroker.storage.leader_epoch_cache import LeaderEpochCache

UNDEFINED: Final = -1
"""No epoch, or no offset, in requests and responses."""


class EpochEnd(NamedTuple):
    """The leader's answer: the largest epoch up to the asked one that its log has, and where that epoch ends."""

    epoch: int
    """UNDEFINED from a leader that does not tell it (OffsetForLeaderEpoch version 0)."""
    end_offset: int
    """The offset behind the last record of the epoch; UNDEFINED if the leader does not know the asked epoch."""


class OffsetTruncation(NamedTuple):
    """The end of a follower's log after a truncation (Kafka: OffsetTruncationState)."""

    offset: int
    is_completed: bool
    """Whether the log is a beginning of the leader's now; else the leader is to be asked again."""


class LogEnds(NamedTuple):
    """The offsets of a follower's log that a truncation depends on."""

    high_watermark: int
    log_end_offset: int


def truncation_by_epoch(answer: EpochEnd, epochs: LeaderEpochCache, ends: LogEnds) -> OffsetTruncation:
    """Return where to truncate the log with these *epochs*, after the leader's *answer* for the newest of them.

    The largest epoch that both logs have ends where the first of the two ends it.  If the leader's answer names an
    epoch that the follower does not have, the follower drops its newer epochs and asks again with the newest that is
    left: the follower's log may end that one later than the leader's does.
    """
    if answer.end_offset == UNDEFINED:
        return OffsetTruncation(min(ends.high_watermark, ends.log_end_offset), is_completed=True)
    if answer.epoch == UNDEFINED:
        return OffsetTruncation(min(answer.end_offset, ends.log_end_offset), is_completed=True)
    epoch, end_offset = epochs.end_offset_for(answer.epoch, ends.log_end_offset)
    if end_offset == UNDEFINED:
        return OffsetTruncation(min(answer.end_offset, ends.log_end_offset), is_completed=True)
    if epoch != answer.epoch:
        return OffsetTruncation(min(end_offset, ends.log_end_offset), is_completed=False)
    return OffsetTruncation(min(end_offset, answer.end_offset, ends.log_end_offset), is_completed=True)


def truncation_to_high_watermark(ends: LogEnds) -> OffsetTruncation:
    """Return the truncation of a log without leader epochs: records above the high watermark may be the leader's not.

    That may lose records that are committed but not known to be so here, which is why epochs exist (KIP-101).
    """
    return OffsetTruncation(min(ends.high_watermark, ends.log_end_offset), is_completed=True)


class OffsetReset(NamedTuple):
    """How a follower goes on after OFFSET_OUT_OF_RANGE."""

    fetch_offset: int
    truncates: bool = False
    """Drop the records from `fetch_offset` on: the leader, elected uncleanly, never had them."""
    restarts: bool = False
    """Drop the whole log and begin at `fetch_offset`, where the leader's log starts."""


def reset_to_leader_end(leader_end_offset: int, log_end_offset: int) -> OffsetReset | None:
    """Return the reset if the leader's log ends before the follower's; None if the leader's start has to be asked."""
    if leader_end_offset < log_end_offset:
        return OffsetReset(leader_end_offset, truncates=True)
    return None


def reset_to_leader_start(leader_start_offset: int, log_end_offset: int) -> OffsetReset:
    """Return the reset of a follower whose log ends no later than the leader's.

    A follower that is behind the leader's log start begins anew there.  Any other goes on where its log ends: the
    leader's log was shorter when it answered the fetch.
    """
    if leader_start_offset > log_end_offset:
        return OffsetReset(leader_start_offset, restarts=True)
    return OffsetReset(log_end_offset)
