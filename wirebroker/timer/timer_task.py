"""TimerTask, and TimerTaskList: one bucket of a timing wheel as a doubly linked list of its tasks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Final

NOT_QUEUED: Final = -1


class _Node:
    """An element of a circular list; one that is in no list is linked to `_UNLINKED`, as to itself would be a cycle."""

    __slots__ = ("next", "previous")

    next: _Node
    previous: _Node


_UNLINKED: Final = _Node()


class TimerTask(_Node, ABC):
    """Work that is due at `expiration_ms`; a subclass defines `run`.

    The task is the node of its bucket's list, so that a timer costs no object of its own.
    """

    __slots__ = ("expiration_ms",)

    expiration_ms: int
    """Milliseconds of the clock of the timer that the task was added to."""

    def __init__(self) -> None:
        self.next = self.previous = _UNLINKED

    @property
    def is_pending(self) -> bool:
        """Whether the task was added, and neither cancelled nor taken out to run."""
        return self.next is not _UNLINKED

    def unlink(self) -> bool:
        """Take the task out of its list; return False if it is in none."""
        following = self.next
        if following is _UNLINKED:
            return False
        previous = self.previous
        previous.next = following
        following.previous = previous
        self.next = self.previous = _UNLINKED
        return True

    @abstractmethod
    def run(self) -> None:
        """Do the work; called once when the task is due, and must not wait."""


class TimerTaskList(_Node):
    """A bucket: its tasks in the order in which they were added."""

    __slots__ = ("expiration_ms", "number")

    def __init__(self, number: int) -> None:
        """Make an empty bucket; *number* orders buckets that are due at the same time."""
        self.next = self.previous = self
        self.number = number
        self.expiration_ms = NOT_QUEUED
        """When the bucket has to be emptied, in milliseconds; NOT_QUEUED while no queue of buckets holds it."""

    @property
    def is_empty(self) -> bool:
        """Whether no task is in the bucket."""
        return self.next is self

    def add(self, task: TimerTask) -> None:
        """Append *task*, which is in no list."""
        last = self.previous
        task.previous = last
        task.next = self
        last.next = task
        self.previous = task

    def pop(self) -> TimerTask | None:
        """Take out the first task, None if there is none."""
        first = self.next
        if not isinstance(first, TimerTask):
            return None
        first.unlink()
        return first
