"""Finish or undo what an interrupted compaction, deletion or repair has left in a partition's directory.

Compaction writes `X.cleaned`, renames it to `X.swap` when it is complete, then renames the segments that it replaces to
`.deleted`, and at last removes the suffix `.swap`.  `.cleaned` and `.deleted` files are therefore of no use, while a
`.swap` file replaces the segments that it covers.  Only splitting a segment in two makes several `.swap` files; if a
`.cleaned` file is beside them, the split was not complete, and its `.swap` files are of no use, too.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from wirebroker.storage.batch_headers import headers
from wirebroker.storage.log_segment import (
    DELETED,
    INDEX,
    LOG,
    TIME_INDEX,
    TRANSACTION_INDEX,
    offset_from_file_name,
)

if TYPE_CHECKING:
    from wirebroker.storage.files import Files

CLEANED: Final = ".cleaned"
SWAP: Final = ".swap"
_TEMPORARY: Final = ".tmp"

logger = logging.getLogger(__name__)


def recover_swap_files(files: Files, directory: str, names: set[str]) -> set[str]:
    """Complete or undo the replacements in *directory*, remove temporary files and indexes without a log.

    *names* are the files in it; returns those that are there afterwards.  Raises OSError.
    """
    cleaned = {name for name in names if name.endswith(CLEANED)}
    swaps = {name for name in names if name.endswith(SWAP)}
    if cleaned:
        first = min(map(offset_from_file_name, cleaned))
        incomplete = {name for name in swaps if offset_from_file_name(name) >= first}
    else:
        incomplete = set()
    useless = cleaned | incomplete | {name for name in names if name.endswith((DELETED, _TEMPORARY))}
    files.unlink(f"{directory}/{name}" for name in sorted(useless))
    names = names - useless
    if swaps - incomplete:
        names = _complete_swap(files, directory, names, swaps - incomplete)
    orphans = {
        name
        for name in names
        if name.endswith((INDEX, TIME_INDEX, TRANSACTION_INDEX)) and name.partition(".")[0] + LOG not in names
    }
    if orphans:
        logger.warning("%s: removing index files without a log: %s", directory, ", ".join(sorted(orphans)))
        files.unlink(f"{directory}/{name}" for name in sorted(orphans))
    return names - orphans


def _complete_swap(files: Files, directory: str, names: set[str], swaps: set[str]) -> set[str]:
    """Replace segments by the complete ones in *swaps*; return the names that are there afterwards."""
    logs = sorted(name for name in swaps if name.endswith(LOG + SWAP))
    if logs:
        first = offset_from_file_name(logs[0])
        end = max(_end_offset(files, f"{directory}/{name}", offset_from_file_name(name)) for name in logs)
        replaced = {name for name in names - swaps if name[:1].isdigit() and first <= offset_from_file_name(name) < end}
        logger.info("%s: offsets %d to %d are replaced by a compaction that was interrupted", directory, first, end - 1)
        files.unlink(f"{directory}/{name}" for name in sorted(replaced))
        names = names - replaced
    # the logs last: should this be interrupted, it is done again
    for name in sorted(swaps, key=lambda each: (each.endswith(LOG + SWAP), each)):
        files.rename(f"{directory}/{name}", f"{directory}/{name.removesuffix(SWAP)}")
    return (names - swaps) | {name.removesuffix(SWAP) for name in swaps}


def _end_offset(files: Files, path: str, base_offset: int) -> int:
    """Return the offset after the last batch of a log file."""
    end = base_offset
    for header in headers(files.open(path), 0, files.size_bytes(path)):
        end = header.last_offset + 1
    return end
