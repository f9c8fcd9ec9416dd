"""Topics by their partition directories, without any other metadata.

flights-3/00000000000000000000.log   partition 3 of topic flights
flights-3/partition.metadata         the topic's id, since Kafka 2.8
flights-3/leader-epoch-checkpoint    the newest leader epoch, which the next one must exceed
cleaner-offset-checkpoint            lists partitions that were compacted, so their topics are
"""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.metadata.topic_names import detect_invalid_topic
from wirebroker.storage.checkpoints import CLEANER_OFFSETS, read_offsets
from wirebroker.storage.errors import CorruptFileError
from wirebroker.storage.leader_epoch_cache import LeaderEpochCache
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


class PartitionDirectory(NamedTuple):
    """A partition's directory."""

    directory: str
    topic_id: bytes | None
    """None where the directory does not say (before Kafka 2.8) or its file is damaged."""


class TopicDirectories(NamedTuple):
    """The directories of one topic, by partition."""

    name: str
    partitions: dict[int, PartitionDirectory]

    @property
    def topic_ids(self) -> set[bytes]:
        """The ids that the directories name; more than one if they are of topics that came after each other."""
        return {each.topic_id for each in self.partitions.values() if each.topic_id is not None}

    @property
    def missing(self) -> list[int]:
        """The partitions below the last one that have no directory."""
        return [number for number in range(max(self.partitions)) if number not in self.partitions]


def find_unknown_topics(
    log_dirs: Iterable[Path], files: Files, known: Mapping[str, TopicImage]
) -> dict[str, TopicDirectories]:
    """Return the topics in *log_dirs* that are not what is *known*, by name: others, larger ones, or with another id.

    Directories without a segment do not count.  Of a known topic only one directory is read, because a
    broker does this at every start.  Raises OSError.
    """
    by_name: dict[str, dict[int, str]] = {}
    for log_dir in log_dirs:
        for name, is_directory in files.list(str(log_dir)):
            match = _PARTITION.fullmatch(name) if is_directory else None
            if match is not None and detect_invalid_topic(match[1]) is None and name != METADATA_DIRECTORY:
                by_name.setdefault(match[1], {})[int(match[2])] = f"{log_dir}/{name}"
    found = {}
    for name, directories in sorted(by_name.items()):
        if _is_known(known.get(name), directories, files):
            continue
        partitions = {
            number: PartitionDirectory(directory, _topic_id(directory, files))
            for number, directory in sorted(directories.items())
            if any(_SEGMENT.fullmatch(inner) for inner, _ in files.list(directory))
        }
        if partitions:
            found[name] = TopicDirectories(name, partitions)
    return found


def _is_known(topic: TopicImage | None, directories: Mapping[int, str], files: Files) -> bool:
    if topic is None or max(directories) >= len(topic.partitions):
        return False
    return _topic_id(directories[min(directories)], files) in (None, topic.topic_id)


def _topic_id(directory: str, files: Files) -> bytes | None:
    try:
        return read_topic_id(files, directory)
    except CorruptFileError:
        return None  # reported when the log is opened


def newest_epoch(partition: PartitionDirectory, files: Files) -> int:
    """Return the newest leader epoch in the file of a partition, -1 if there is none."""
    epochs = LeaderEpochCache(files, partition.directory)
    try:
        epochs.load()
    except CorruptFileError:
        pass  # the log has the epochs, too
    return epochs.latest_epoch


def compacted_topics(log_dirs: Iterable[Path], files: Files) -> set[str]:
    """Return the topics that a log cleaner has compacted, by its checkpoints.  Raises OSError."""
    found: set[TopicPartition] = set()
    for log_dir in log_dirs:
        try:
            found |= read_offsets(files, f"{log_dir}/{CLEANER_OFFSETS}").keys()
        except CorruptFileError as fault:
            logger.warning("%s; topics that it names are imported without cleanup.policy=compact", fault)
    return {at.topic for at in found}
