"""Which old segments go: below the log start, beyond `retention.bytes`, older than `retention.ms` (Kafka 3.9's rules).

Oldest first, and never one that reaches the high watermark, so that the log start cannot overtake it.  A topic that is
only compacted loses just what is below its log start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from wirebroker.storage.log import Log
    from wirebroker.storage.segment import Segment


def doomed_segments(log: Log, now_ms: int, high_watermark: int) -> Iterator[tuple[str, list[Segment]]]:
    """(why, segments) for each reason that some have to go; the caller deletes them before it asks for the next."""
    config = log.config
    start = log.log_start_offset
    doomed = _prefix(log, high_watermark, lambda _, next_base: next_base is not None and next_base <= start)
    if doomed:
        yield "below the log start", doomed
    if not config.deletes:
        return
    if config.retention_bytes >= 0:
        surplus = log.size_bytes - config.retention_bytes

        def beyond_size(segment: Segment, _: int | None) -> bool:
            nonlocal surplus
            surplus -= segment.size_bytes
            return surplus >= 0

        doomed = _prefix(log, high_watermark, beyond_size)
        if doomed:
            yield f"retention.bytes={config.retention_bytes}", doomed
    if config.retention_ms >= 0:
        oldest = now_ms - config.retention_ms
        doomed = _prefix(log, high_watermark, lambda segment, _: segment.age_timestamp() < oldest)
        if doomed:
            yield f"retention.ms={config.retention_ms}", doomed


def _prefix(log: Log, high_watermark: int, is_doomed: Callable[[Segment, int | None], bool]) -> list[Segment]:
    """The oldest segments for which *is_doomed* (given the next one's base offset) holds without a gap."""
    found = []
    view = log.view
    for segment, following in zip(view.segments, [*view.segments[1:], None], strict=True):
        end = view.log_end_offset if following is None else following.base_offset
        if end > high_watermark or (following is None and not segment.size_bytes):
            break
        if not is_doomed(segment, None if following is None else end):
            break
        found.append(segment)
    return found
