"""Groups under stress: members that come and go, and a watcher that describes the groups all the time.

The watcher sends raw requests: no partition has two owners in a stable generation, and no committed offset goes back
or falls behind an acknowledged commit. `offsets_log` checks the rest from the log.
"""

from __future__ import annotations

import random
import re
import threading
import time
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, Self

from compat_tests.groups.offsets_log import Commit, assigned
from compat_tests.limits import join
from compat_tests.wire import Closed, Wire
from wirebroker.protocol.messages.describe_groups import DescribeGroupsRequest
from wirebroker.protocol.messages.offset_fetch import OffsetFetchRequest

if TYPE_CHECKING:
    from collections.abc import Callable

    from compat_tests.broker import Wirebroker
    from compat_tests.group_clients import ConfluentMember

PARTITIONS = 24
# members that the broker has removed without a LeaveGroup
REMOVED = re.compile(r"member (\S+) leaves: no heartbeat|member (\S+) did not join in time|no SyncGroup: ([^;]+)")


class Watcher(threading.Thread):
    """Describes groups until stopped; `faults` has the violations."""

    def __init__(self, broker: Wirebroker, groups: list[str]) -> None:
        super().__init__(daemon=True)
        self.broker, self.groups = broker, groups
        self.faults: list[str] = []
        self.stable_seen = 0
        self.acknowledged: set[Commit] = set()
        self._promised: dict[tuple[str, int], int] = {}
        self._seen: dict[tuple[str, int], int] = {}
        self._lock = threading.Lock()
        self._stop_it = threading.Event()

    def note_acknowledged(self, commits: list[Commit]) -> None:
        """Add commits that a member has seen acknowledged."""
        with self._lock:
            self.acknowledged.update(commits)
            for commit in commits:
                key = (commit.group, commit.partition)
                self._promised[key] = max(commit.offset, self._promised.get(key, 0))

    def run(self) -> None:
        while not self._stop_it.wait(0.1):
            try:
                with Wire(self.broker.host, self.broker.port, 5) as wire:
                    while not self._stop_it.wait(0.1):
                        for group in self.groups:
                            self.look(wire, group)
            except (Closed, OSError):
                continue  # the broker is down; it comes back

    def look(self, wire: Wire, group: str) -> str:
        """The state of the group."""
        (described,) = wire.ask(DescribeGroupsRequest([group]), 5).groups
        if described.group_state == "Stable":
            self.stable_seen += 1
            owners: dict[int, str] = {}
            for member in described.members:
                for partition in assigned(bytes(member.member_assignment)):
                    if partition in owners:
                        self.faults.append(f"{group} {partition}: {owners[partition]} and {member.member_id}")
                    owners[partition] = member.member_id
        with self._lock:
            least = dict(self._promised)
        for key, offset in self._seen.items():
            least[key] = max(offset, least.get(key, 0))
        answer = wire.ask(OffsetFetchRequest(group, None), 5)
        if answer.error_code:
            return str(described.group_state)
        found = {(group, p.partition_index): p.committed_offset for t in answer.topics for p in t.partitions}
        for key, offset in least.items():
            if key[0] == group and found.get(key, 0) < offset:
                self.faults.append(f"{key}: {found.get(key)} is committed, and {offset} was")
        self._seen.update(found)
        return str(described.group_state)

    def stop(self) -> None:
        self._stop_it.set()
        join(self)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


class MemberInterval(NamedTuple):
    """A member id, and the time at which its process ended."""

    member_id: str
    until: float


class MemberLifecycle(threading.Thread):
    """One member after the other, each for a while; each commits the offsets that it has read."""

    def __init__(self, watcher: Watcher, make: Callable[[], ConfluentMember], group: str, seed: int) -> None:
        super().__init__(daemon=True)
        self.watcher, self.make, self.group = watcher, make, group
        self.random = random.Random(seed)
        self.stop_it = threading.Event()
        self.commits, self.faults = 0, list[str]()
        self.lived: list[MemberInterval] = []

    def run(self) -> None:
        while not self.stop_it.is_set():
            member = self.make()
            ids: set[str] = set()
            try:
                self._live(member, ids, time.monotonic() + self.random.uniform(4, 15))
            finally:
                until = time.time()
                self.lived += [MemberInterval(each, until) for each in ids]
                member.close()

    def _live(self, member: ConfluentMember, ids: set[str], until: float) -> None:
        while time.monotonic() < until and not self.stop_it.is_set():
            try:
                read = member.poll(0.2)
                member_id = member.member_id()
                ids.add(member_id)
                if not read:
                    continue
                done = member.commit_as(f"{member_id} {self.commits}")
                self.watcher.note_acknowledged([Commit(self.group, *each) for each in done])
                self.commits += 1
            except Exception as fault:  # what librdkafka raises depends on the moment
                # A rebalance refuses commits of the generation before; the new owner of the partition reads it again.
                if "UNKNOWN_MEMBER_ID" in str(fault):
                    self.faults.append(f"{self.name}: {fault}")


def wrongly_removed(log: str, lived: list[MemberInterval]) -> list[str]:
    """Log lines of the broker about the removal of a member whose process was running."""
    until = {each.member_id: each.until for each in lived}
    found = []
    for line in log.splitlines():
        removed = {
            name for match in REMOVED.finditer(line) for part in match.groups() if part for name in part.split(", ")
        }
        if removed and any(until.get(name, 0) > _time_of(line) for name in removed):
            found.append(line)
    return found


def _time_of(line: str) -> float:
    return datetime.strptime(line[:23], "%Y-%m-%d %H:%M:%S,%f").timestamp()
