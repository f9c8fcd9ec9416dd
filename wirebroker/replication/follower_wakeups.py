"""FollowerWakeups: has followers fetch the partitions that this broker leads since a moment ago.

A follower has one Fetch in flight with a leader, which may wait there for replica.fetch.wait.max.ms (0.5 s).  One that
is made the follower of another partition of that leader meanwhile fetches it with its next request only, and no record
with acks=all is acknowledged before: with Apache Kafka, that is the pause after each move of a leader to a broker that
leads idle partitions.  Here, the leader answers the request that waits, a few times, as the controller may tell the
follower later than the leader.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from wirebroker.replication.replica import UNKNOWN_OFFSET
from wirebroker.timer.timer_task import TimerTask

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wirebroker.replication.fetch_purgatory import FetchPurgatory
    from wirebroker.replication.leader_state import LeaderState
    from wirebroker.replication.partition import Partition

_PAUSES_MS: Final = (5, 10, 20, 40, 80, 160)
"""Between the looks; a follower that does not fetch after all of them is left to its own requests."""
_MOST: Final = 1000
"""Partitions of one look, which takes half a millisecond then; the followers of others are the same brokers, mostly."""


class FollowerWakeups(TimerTask):
    """Answers waiting requests of followers that do not fetch a newly led partition yet.

    Args:
        purgatory: The Fetch requests that wait, and the timer of the looks.
    """

    __slots__ = ("_led", "_pauses", "_purgatory")

    def __init__(self, purgatory: FetchPurgatory) -> None:
        super().__init__()
        self._purgatory = purgatory
        self._led: dict[Partition, LeaderState] = {}
        """Partitions with live followers that have not fetched in the present leader epoch, which their state is of."""
        self._pauses = iter(_PAUSES_MS)

    def leads(self, partitions: Iterable[Partition]) -> None:
        """Look at once, and some times later, which followers do not fetch *partitions*, which are led from now on."""
        self._led |= {each: each.leader for each in partitions if each.leader is not None}
        self._pauses = iter(_PAUSES_MS)
        self._purgatory.timer.cancel(self)
        self.run()

    def run(self) -> None:
        """Answer what waits of followers that do not fetch, and look again after a pause."""
        missing: set[int] = set()
        for partition, leader in tuple(islice(self._led.items(), _MOST)):
            ids = [] if partition.leader is not leader else _not_fetching(partition, leader)
            if ids:
                missing.update(ids)
            else:
                del self._led[partition]
        if missing:
            self._purgatory.complete_of_followers(missing)
        pause_ms = next(self._pauses, None)
        if self._led and pause_ms is not None:
            self._purgatory.timer.add(self, self._purgatory.timer.now_ms() + pause_ms)
        else:
            self._led.clear()


def _not_fetching(partition: Partition, leader: LeaderState) -> list[int]:
    """Return the live followers that have not fetched in the leader epoch."""
    is_alive = partition.host.is_alive
    return [
        each
        for each, replica in leader.remote_replicas.items()
        if replica.log_end_offset == UNKNOWN_OFFSET and is_alive(each)
    ]
