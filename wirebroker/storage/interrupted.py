"""Files that an interrupted deletion, compaction or replacement has left in a partition's directory.

Compaction writes `X.cleaned`, renames it to `X.swap` when it is complete, then renames the segments it stands for to
`.deleted`, and at last takes the `.swap` away.  So `.cleaned` and `.deleted` files are worth nothing, while a `.swap`
is the new truth: the old segments that it covers go, and it takes its name.  Only splitting a segment in two makes
several of them; a `.cleaned` beside them means that the split was not finished, and its `.swap` files go too.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from wirebroker.storage.batch_headers import headers
from wirebroker.storage.segment import DELETED, INDEX, LOG, TIME_INDEX, TRANSACTION_INDEX

if TYPE_CHECKING:
    from wirebroker.storage.files import Files

CLEANED = ".cleaned"
SWAP = ".swap"
_UNFINISHED = ".tmp"

logger = logging.getLogger(__name__)


def offset_of(name: str) -> int:
    """The offset that a file is named after.  Raises ValueError."""
    return int(name.partition(".")[0])


def tidy(files: Files, directory: str, names: set[str]) -> set[str]:
    """Bring *directory*, which holds the files *names*, in order; returns the names that are left.  Raises OSError."""
    cleaned = {name for name in names if name.endswith(CLEANED)}
    swaps = {name for name in names if name.endswith(SWAP)}
    if cleaned:
        first = min(map(offset_of, cleaned))
        unfinished = {name for name in swaps if offset_of(name) >= first}
    else:
        unfinished = set()
    gone = cleaned | unfinished | {name for name in names if name.endswith((DELETED, _UNFINISHED))}
    files.unlink(f"{directory}/{name}" for name in sorted(gone))
    names = names - gone
    if swaps - unfinished:
        names = _finish_swap(files, directory, names, swaps - unfinished)
    orphans = {
        name
        for name in names
        if name.endswith((INDEX, TIME_INDEX, TRANSACTION_INDEX)) and name.partition(".")[0] + LOG not in names
    }
    if orphans:
        logger.warning("%s: removing index files without a log: %s", directory, ", ".join(sorted(orphans)))
        files.unlink(f"{directory}/{name}" for name in sorted(orphans))
    return names - orphans


def _finish_swap(files: Files, directory: str, names: set[str], swaps: set[str]) -> set[str]:
    """Let complete replacements take the place of what they replace."""
    logs = sorted(name for name in swaps if name.endswith(LOG + SWAP))
    if logs:
        first = offset_of(logs[0])
        end = max(_end_of(files, f"{directory}/{name}", offset_of(name)) for name in logs)
        replaced = {name for name in names - swaps if name[:1].isdigit() and first <= offset_of(name) < end}
        logger.info("%s: offsets %d to %d are replaced by what compaction has left", directory, first, end - 1)
        files.unlink(f"{directory}/{name}" for name in sorted(replaced))
        names = names - replaced
    # the logs last: should this be interrupted, it is done again
    for name in sorted(swaps, key=lambda each: (each.endswith(LOG + SWAP), each)):
        files.rename(f"{directory}/{name}", f"{directory}/{name.removesuffix(SWAP)}")
    return (names - swaps) | {name.removesuffix(SWAP) for name in swaps}


def _end_of(files: Files, path: str, base_offset: int) -> int:
    end = base_offset
    for header in headers(files.open(path), 0, files.size_bytes(path)):
        end = header.last_offset + 1
    return end
