"""Saving the leader epochs of many logs: written, written back together, and put in place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.protocol.faults import ApiError
from wirebroker.storage.faults import DeletedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from wirebroker.storage.log import Log

_FEW: Final = 16
"""Files that are synced one by one; more of them wait for one write-back of everything."""


def save_leader_epochs(logs: Iterable[Log], write_back: Callable[[], None]) -> list[tuple[Log, ApiError]]:
    """Save what *logs* have not saved of their leader epochs; returns those that failed.  May take long, in a thread.

    *write_back* returns when everything that was written before is on the disk (`Files.write_back`).
    """
    due, failed = list(logs), list[tuple["Log", ApiError]]()
    if len(due) <= _FEW:
        _each(due, failed, lambda log: log.leader_epochs.sync())
        return failed
    prepared = _each(due, failed, lambda log: log.leader_epochs.prepare())
    write_back()
    _each(prepared, failed, lambda log: log.leader_epochs.commit())
    return failed


def _each(logs: Iterable[Log], failed: list[tuple[Log, ApiError]], work: Callable[[Log], None]) -> list[Log]:
    """Do *work* with each log while its names stand still; returns those it was done with."""
    done = []
    for log in logs:
        try:
            with log.writing_by_name():
                work(log)
            done.append(log)
        except DeletedError:
            pass  # nobody asks for its records any more
        except ApiError as fault:
            failed.append((log, fault))
    return done
