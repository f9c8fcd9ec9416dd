"""Check __consumer_offsets in the files of a broker that has stopped. `check` reads every commit and every group in
the order of the log and returns the violations of these rules:

- an acknowledged commit is there, once; one that was not acknowledged is there once or not at all;
- a partition's commits never go back;
- a partition is committed by a member of the current generation, and no other member owns the partition in it;
- no two members of a generation own one partition.

Commits are told apart by their metadata: "MEMBER-ID NUMBER".
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.coordinator.group.records import GroupRecord, OffsetRecord, read
from wirebroker.coordinator.turn import CoordinatorRecord
from wirebroker.protocol.internal.consumer_protocol import ConsumerProtocolAssignment
from wirebroker.record.record_batch import batches

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Commit(NamedTuple):
    """One offset that a member committed."""

    group: str
    partition: int
    offset: int
    metadata: str


def read_log(data_directory: Path) -> Iterator[OffsetRecord | GroupRecord]:
    """All records, partition after partition, each in log order."""
    for directory in sorted(data_directory.glob("__consumer_offsets-*")):
        for segment in sorted(directory.glob("*.log")):
            for batch in batches(memoryview(segment.read_bytes())):
                assert batch.is_valid(), f"{segment} at {batch.base_offset}"
                if batch.is_control:
                    continue
                for _, key, value in batch.keyed_records():
                    assert key is not None
                    found = read(CoordinatorRecord(key, value))
                    if found is not None:
                        yield found


@dataclass
class _Generation:
    """Owner of each partition by the newest group record, and the last owner by the records before it."""

    owners: dict[int, str] = field(default_factory=dict)
    before: dict[int, str] = field(default_factory=dict)
    members: frozenset[str] = frozenset()


def check(data_directory: Path, acknowledged: set[Commit], *, may_repeat: bool = False) -> list[str]:
    """Return the violations. With *may_repeat* a commit may be there twice: clients were disconnected and may have
    retried."""
    faults: list[str] = []
    groups: dict[str, _Generation] = {}
    last: dict[tuple[str, int], int] = {}
    seen: Counter[Commit] = Counter()
    for record in read_log(data_directory):
        if isinstance(record, GroupRecord):
            now = groups[record.group_id] = _next(groups.get(record.group_id, _Generation()), record, faults)
            continue
        if record.committed is None:
            continue
        metadata = record.committed.metadata.rstrip("\0")  # confluent-kafka sends the end of its C string, too
        commit = Commit(record.group_id, record.partition, record.committed.offset, metadata)
        seen[commit] += 1
        if not may_repeat and seen[commit] > 1:
            faults.append(f"twice in the log: {commit}")
        key = (commit.group, commit.partition)
        if commit.offset < last.get(key, 0):
            faults.append(f"{commit} goes back from {last[key]}")
        last[key] = commit.offset
        now = groups.get(commit.group, _Generation())
        member = commit.metadata.partition(" ")[0]
        owner = now.owners.get(commit.partition, now.before.get(commit.partition))
        if member not in now.members or owner != member:
            faults.append(f"{commit}: the partition is {owner}'s, members are {sorted(now.members)}")
    faults += [f"acknowledged and not in the log: {commit}" for commit in acknowledged if not seen[commit]]
    return faults


def _next(before: _Generation, record: GroupRecord, faults: list[str]) -> _Generation:
    owners: dict[int, str] = {}
    members = record.value.members if record.value is not None else []
    for member in members:
        for partition in assigned(bytes(member.assignment)):
            if partition in owners:
                faults.append(f"{record.group_id} {partition}: {owners[partition]} and {member.member_id}")
            owners[partition] = member.member_id
    # a partition in transit between members has no owner for a generation or several; its last one may still commit it
    return _Generation(owners, before.before | before.owners, frozenset(member.member_id for member in members))


def assigned(assignment: bytes) -> list[int]:
    """The partitions of a consumer's assignment."""
    if not assignment:
        return []
    found, _ = ConsumerProtocolAssignment.read(assignment, 2, int.from_bytes(assignment[:2], "big"))
    return [partition for topic in found.assigned_partitions for partition in topic.partitions]
