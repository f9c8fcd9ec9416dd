"""VerificationReport: the findings of `wirebroker log verify`, and what can be done about each of them."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from wirebroker.model import TopicPartition


class Remedy(Enum):
    """The repair of a finding; done by `repair.py` unless it is NONE or AT_START."""

    NONE = "restore the file from a replica or a backup"
    CUT = "cut the damaged bytes out of the file"
    REBUILD_INDEXES = "rebuild the indexes of the segment from its log"
    REMOVE = "remove the file; the next start rebuilds it"
    FORGET_TOPIC_ID = "remove the file: the directory is then that of the topic which has its name now"
    REBUILD_EPOCHS = "rebuild the file from the leader epochs in the log"
    CORRECT_OFFSETS = "lower the offsets in the file to the ends of the logs"
    DROP_LINE = "accept the loss: remove the line of the partition from the file"
    AT_START = "nothing: the next start of a broker takes care of it"


class Finding(NamedTuple):
    """One thing that is not as it should be."""

    path: str
    """The file; a directory if the finding is about several files in it."""
    what: str
    position: int | None = None
    end: int | None = None
    """Where the damaged bytes end, if *position* is where they begin."""
    remedy: Remedy = Remedy.NONE
    is_damage: bool = True
    """False for what an unclean shutdown leaves, and for oddities that do no harm."""
    offsets: tuple[int, int] | None = None
    """The offsets that are lost; the second one is not included."""
    partition: TopicPartition | None = None
    """The partition whose line in a checkpoint file is wrong."""


class VerificationReport:
    """Findings, and how much was read."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.partitions = 0
        self.segments = 0
        self.batches = 0
        self.size_bytes = 0
        """Of log files."""
        self.other_files = 0

    @property
    def damages(self) -> list[Finding]:
        return [finding for finding in self.findings if finding.is_damage]

    def add(self, finding: Finding) -> None:
        self.findings.append(finding)
