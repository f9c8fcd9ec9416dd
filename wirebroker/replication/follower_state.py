"""FollowerState: the follower role of a partition in one leader epoch."""

from __future__ import annotations

from typing import NamedTuple


class FollowerState(NamedTuple):
    """The leader to fetch from."""

    leader: int
    """The id of a broker; -1 while there is no leader."""
    leader_epoch: int
