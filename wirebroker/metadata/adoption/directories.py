"""What log directories tell of topics without any metadata beside them.

flights-3/00000000000000000000.log   partition 3 of topic flights
flights-3/partition.metadata         the topic's id, since Kafka 2.8
flights-3/leader-epoch-checkpoint    the newest leader epoch, which the next one must exceed
cleaner-offset-checkpoint            lists partitions that were compacted, so their topics are
"""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.metadata.topic_names import why_illegal
from wirebroker.storage.checkpoints import CLEANER_OFFSETS, read_offsets
from wirebroker.storage.faults import CorruptFile
from wirebroker.storage.leader_epochs import LeaderEpochs
from wirebroker.storage.partition_metadata import read_topic_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from wirebroker.metadata.image import TopicImage
    from wirebroker.model import TopicPartition
    from wirebroker.storage.files import Files

METADATA_DIRECTORY = "__cluster_metadata-0"
"""A KRaft controller's log, not a partition."""

_PARTITION = re.compile(r"(.+)-(\d+)")
_SEGMENT = re.compile(r"\d{20}\.log")

logger = logging.getLogger(__name__)


class FoundPartition(NamedTuple):
    """A partition's directory."""

    directory: str
    topic_id: bytes | None
    """None where the directory does not say (before Kafka 2.8) or its file is damaged."""


class FoundTopic(NamedTuple):
    """The directories of one topic, by partition."""

    name: str
    partitions: dict[int, FoundPartition]

    @property
    def topic_ids(self) -> set[bytes]:
        """The ids that the directories name; more than one if they are of topics that came after each other."""
        return {each.topic_id for each in self.partitions.values() if each.topic_id is not None}

    @property
    def missing(self) -> list[int]:
        """The partitions below the last one that have no directory."""
        return [number for number in range(max(self.partitions)) if number not in self.partitions]


def find_new_topics(log_dirs: Iterable[Path], files: Files, known: Mapping[str, TopicImage]) -> dict[str, FoundTopic]:
    """The topics in *log_dirs* that are not what is *known*, by name: others, larger ones, or with another id.

    Directories without a segment in them are nobody's.  Of a known topic only one directory is looked into, because a
    broker does this at every start.  Raises OSError.
    """
    by_name: dict[str, dict[int, str]] = {}
    for log_dir in log_dirs:
        for name, is_directory in files.list(str(log_dir)):
            match = _PARTITION.fullmatch(name) if is_directory else None
            if match is not None and why_illegal(match[1]) is None and name != METADATA_DIRECTORY:
                by_name.setdefault(match[1], {})[int(match[2])] = f"{log_dir}/{name}"
    found = {}
    for name, directories in sorted(by_name.items()):
        if _is_known(known.get(name), directories, files):
            continue
        partitions = {
            number: FoundPartition(directory, _topic_id(directory, files))
            for number, directory in sorted(directories.items())
            if any(_SEGMENT.fullmatch(inner) for inner, _ in files.list(directory))
        }
        if partitions:
            found[name] = FoundTopic(name, partitions)
    return found


def _is_known(topic: TopicImage | None, directories: Mapping[int, str], files: Files) -> bool:
    if topic is None or max(directories) >= len(topic.partitions):
        return False
    return _topic_id(directories[min(directories)], files) in (None, topic.topic_id)


def _topic_id(directory: str, files: Files) -> bytes | None:
    try:
        return read_topic_id(files, directory)
    except CorruptFile:
        return None  # storage says what is wrong with it when it opens the log


def newest_epoch(partition: FoundPartition, files: Files) -> int:
    """The newest leader epoch that a partition's own file knows, -1 if it knows none."""
    epochs = LeaderEpochs(files, partition.directory)
    try:
        epochs.load()
    except CorruptFile:
        pass  # the log will tell
    return epochs.latest


def compacted_topics(log_dirs: Iterable[Path], files: Files) -> set[str]:
    """The topics that a log cleaner has been at work on.  Raises OSError."""
    found: set[TopicPartition] = set()
    for log_dir in log_dirs:
        try:
            found |= read_offsets(files, f"{log_dir}/{CLEANER_OFFSETS}").keys()
        except CorruptFile as fault:
            logger.warning("%s; it does not tell which topics are compacted", fault)
    return {at.topic for at in found}
