"""event_loop_fd: the descriptor with which one system call waits for the event loop beside other things."""

from __future__ import annotations


def event_loop_fd() -> int | None:
    """Return a descriptor that can be read when the event loop that runs has something to do, but for timers.

    None if this release of trio keeps it elsewhere: it is its epoll set, which it does not publish.
    """
    try:
        from trio._core._run import GLOBAL_RUN_CONTEXT

        return GLOBAL_RUN_CONTEXT.runner.io_manager._epoll.fileno()
    except (ImportError, AttributeError):
        return None
