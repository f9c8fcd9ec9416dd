"""Save the leader epochs of many logs: written to temporary files, synced together, and renamed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.storage.errors import LogDeletedError, LogError
from wirebroker.storage.files import MANY_FILES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from wirebroker.storage.log import Log


def save_leader_epochs(logs: Iterable[Log], write_back: Callable[[], None]) -> list[tuple[Log, LogError]]:
    """Save the leader epoch caches of *logs*; return the logs that failed, with the error.  May take long, in a thread.

    *write_back* is `Files.write_back`: it has everything written back that was written before.
    """
    due, failed = list(logs), list[tuple["Log", LogError]]()
    if len(due) <= MANY_FILES:
        _each(due, failed, lambda log: log.leader_epoch_cache.sync())
        return failed
    prepared = _each(due, failed, lambda log: log.leader_epoch_cache.prepare())
    write_back()
    _each(prepared, failed, lambda log: log.leader_epoch_cache.commit())
    return failed


def _each(logs: Iterable[Log], failed: list[tuple[Log, LogError]], work: Callable[[Log], None]) -> list[Log]:
    """Do *work* with each log while its directory cannot be renamed; return the logs without an error."""
    done = []
    for log in logs:
        try:
            with log.local_log.writing_by_name():
                work(log)
            done.append(log)
        except LogDeletedError:
            pass  # its records are gone
        except LogError as fault:
            failed.append((log, fault))
    return done
