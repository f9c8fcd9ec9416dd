"""What a check of files has found, and what can be done about it."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from wirebroker.model import TopicPartition


class Remedy(Enum):
    """What `repair.py` does about a finding."""

    NONE = "restore it from a replica or a backup"
    EXCISE = "cut the damaged bytes out of the file"
    REBUILD_INDEXES = "make the segment's indexes anew"
    REMOVE = "remove the file; what it said is found out again"
    REBUILD_EPOCHS = "make the file anew from the leader epochs in the log"
    CORRECT_OFFSETS = "correct the file's lines by what the logs hold"
    DROP_LINE = "accept the loss: take the partition's line out of the file"
    AT_START = "nothing: the next start of a broker sees to it"


class Finding(NamedTuple):
    """One thing that is not as it should be."""

    path: str
    what: str
    position: int | None = None
    end: int | None = None
    """Where the damaged bytes end, if *position* is where they begin."""
    remedy: Remedy = Remedy.NONE
    is_damage: bool = True
    """False for what a stop without goodbye leaves, and for oddities that do no harm."""
    offsets: tuple[int, int] | None = None
    """The offsets that are lost: from, up to (not including)."""
    partition: TopicPartition | None = None
    """The partition whose line in a checkpoint file it is about."""


class Checked:
    """Findings, and how much was looked at."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.partitions = 0
        self.segments = 0
        self.batches = 0
        self.size_bytes = 0
        self.other_files = 0

    @property
    def damages(self) -> list[Finding]:
        return [finding for finding in self.findings if finding.is_damage]

    def add(self, finding: Finding) -> None:
        self.findings.append(finding)
