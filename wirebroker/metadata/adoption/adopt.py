"""Decide what to take over from a data directory that Apache Kafka wrote, and say so.

    adoption = plan_adoption(log_dirs, files, image, node_id)   before the logs are opened: names, ids, settings
    changes = adoption.changes(newest_epoch_of, highest_id)     after it: leader epochs and producer ids as logs say

Every partition directory whose topic the journal does not know comes from outside, so it is adopted at any start, not
only at the first one: a directory may go to Kafka and come back with more topics in it.  Of ours there are none,
because the journal is written before a directory is made and after it is gone.
"""

from __future__ import annotations

import logging
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.metadata.adoption.directories import (
    METADATA_DIRECTORY,
    FoundTopic,
    compacted_topics,
    find_new_topics,
    newest_epoch,
)
from wirebroker.metadata.changes import (
    Change,
    ConfigsSet,
    PartitionsAdded,
    ProducerIdsAllocated,
    TopicCreated,
    TopicDeleted,
)
from wirebroker.metadata.image import BROKER_RESOURCE, INTERNAL_TOPICS, TOPIC_RESOURCE, PartitionImage

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from wirebroker.metadata.adoption.kraft_image import KraftImage, KraftTopic
    from wirebroker.metadata.adoption.kraft_log import MetadataLog
    from wirebroker.metadata.image import ClusterImage, TopicImage
    from wirebroker.storage.files import Files

logger = logging.getLogger(__name__)

KEEP_FOR_EVER = {"retention.ms": "-1", "retention.bytes": "-1"}
"""Settings of a topic whose own are in ZooKeeper, out of our sight: nothing may go that they might have kept."""
INTERNAL = {"cleanup.policy": "compact", "compression.type": "producer", "segment.bytes": str(100 << 20)}
"""What Kafka gives its internal topics."""
_BLOCK = 1000
_UNSEEN_PRODUCER_IDS = 1000 * _BLOCK
"""Ids above the highest one seen that Kafka may have given to producers who have not written here yet."""
_NAMES_SHOWN = 20


class AdoptedTopic(NamedTuple):
    """A topic, or what has come to one that the journal knows."""

    name: str
    topic_id: bytes
    partition_count: int
    epochs: Mapping[int, int]
    """The newest leader epochs that are known before the logs are opened."""
    configs: Mapping[str, str]
    known: TopicImage | None = None
    """What the journal has by that name."""


class Adoption:
    """What is to be taken over; nothing if it is falsy."""

    def __init__(self, image: ClusterImage, node_id: int) -> None:
        self.topics: list[AdoptedTopic] = []
        self.broker_configs: dict[str, Mapping[str, str]] = {}
        self.source = ""
        self._image = image
        self._node_id = node_id
        self._kraft: KraftImage | None = None

    def __bool__(self) -> bool:
        return bool(self.topics or self.broker_configs)

    def settings(self) -> list[Change]:
        """The changes as far as they matter for opening the logs."""
        return self.changes(lambda topic, partition: -1, -1)

    def changes(self, newest_epoch_of: Callable[[str, int], int], highest_producer_id: int) -> list[Change]:
        """The changes that make the adopted topics ours.

        Args:
            newest_epoch_of: The newest leader epoch in a partition's log, -1 if that is unknown.
            highest_producer_id: The highest one in any log.
        """
        changes: list[Change] = []
        for topic in self.topics:
            known = topic.known
            partitions = tuple(
                self._partition(topic, number, newest_epoch_of(topic.name, number))
                for number in range(topic.partition_count)
            )
            if known is not None and known.topic_id == topic.topic_id:
                changes.append(PartitionsAdded(topic.name, partitions[len(known.partitions) :]))
                continue
            if known is not None:
                changes.append(TopicDeleted(known.name, known.topic_id, len(known.partitions)))
            changes.append(TopicCreated(topic.name, topic.topic_id, partitions))
            if topic.configs:
                changes.append(ConfigsSet(TOPIC_RESOURCE, topic.name, topic.configs))
        changes += [ConfigsSet(BROKER_RESOURCE, name, configs) for name, configs in self.broker_configs.items()]
        next_id = self.next_producer_id(highest_producer_id)
        if changes and next_id > self._image.next_producer_id:
            changes.append(ProducerIdsAllocated(next_id))
        return changes

    def next_producer_id(self, highest_seen: int) -> int:
        """The first id that nobody can have been given."""
        unseen = 0 if self._kraft is not None else _UNSEEN_PRODUCER_IDS
        recorded = 0 if self._kraft is None else self._kraft.next_producer_id
        return max(recorded, (highest_seen // _BLOCK + 1) * _BLOCK + unseen)

    def _partition(self, topic: AdoptedTopic, number: int, newest_in_log: int) -> PartitionImage:
        # a new epoch, so that what Kafka wrote and what we write can be told apart
        epoch = max(topic.epochs.get(number, -1), newest_in_log) + 1
        return PartitionImage(self._node_id, epoch, (self._node_id,), (self._node_id,))

    def report(self, next_producer_id: int) -> None:
        """One line that says what was adopted from where; one more for each thing that an operator should look at."""
        partition_count = sum(
            topic.partition_count - (len(topic.known.partitions) if topic.known is not None else 0)
            if topic.known is None or topic.known.topic_id == topic.topic_id
            else topic.partition_count
            for topic in self.topics
        )
        names = sorted(topic.name for topic in self.topics)
        shown = ", ".join(names[:_NAMES_SHOWN]) + (", ..." if len(names) > _NAMES_SHOWN else "")
        settings = sum(len(topic.configs) for topic in self.topics) + sum(map(len, self.broker_configs.values()))
        logger.info(
            "adopted from Apache Kafka, %s: %d topics with %d partitions, %d settings, producer ids from %d on (%s)",
            *(self.source, len(names), partition_count, settings, next_producer_id, shown),
        )

    # -- finding out

    def take_from_kraft(
        self, kraft: KraftImage, metadata_log: MetadataLog, found: Mapping[str, FoundTopic], *, is_first: bool
    ) -> None:
        """Take over topics of a KRaft metadata log: all of them at the first start, later those that are unknown."""
        self._kraft = kraft
        snapshot = metadata_log.snapshot
        self.source = f"KRaft metadata in {metadata_log} up to offset {metadata_log.end_offset}" + (
            f" (snapshot {Path(snapshot.path).name})" if snapshot is not None else ""
        )
        topics = kraft.topic_by_name()
        for topic in topics.values():
            known = self._image.topics.get(topic.name)
            if known is None or topic.topic_id != known.topic_id or len(topic.leader_epochs) > len(known.partitions):
                if not is_first and topic.name not in found:
                    continue
                self._take_kraft_topic(topic, found.get(topic.name), known)
        for name in sorted(found.keys() - topics.keys() - self._image.topics.keys()):
            logger.warning(
                "topic=%s: it has directories, but %s does not know it: it was deleted, and is not adopted",
                *(name, metadata_log),
            )
        if is_first:
            for name in ("", str(self._node_id)):
                configs = kraft.configs.get((BROKER_RESOURCE, name))
                if configs:
                    self.broker_configs[name] = configs
            for what, count in kraft.not_adopted.items():
                logger.warning("%s: %d records of %s are not adopted", metadata_log, count, what)

    def _take_kraft_topic(self, topic: KraftTopic, found: FoundTopic | None, known: TopicImage | None) -> None:
        assert self._kraft is not None
        directories = {} if found is None else found.partitions
        count = max(topic.leader_epochs, default=-1) + 1
        missing = [number for number in range(count) if number not in directories]
        if missing:
            _warn_of_missing(topic.name, missing)
        configs = self._kraft.configs.get((TOPIC_RESOURCE, topic.name), {})
        self.topics.append(AdoptedTopic(topic.name, topic.topic_id, count, topic.leader_epochs, configs, known))

    def take_from_directories(self, found: Sequence[FoundTopic], compacted: set[str], files: Files) -> None:
        """Take over topics by their directories."""
        forgotten = {topic_id for topic_id, _ in self._image.deleting.items()}
        names_forgotten = {gone.name for gone in self._image.deleting.values()}
        for topic in found:
            known = self._image.topics.get(topic.name)
            ids = topic.topic_ids - forgotten
            if not ids and (topic.topic_ids or topic.name in names_forgotten):
                continue  # its deletion has not got as far as its directories
            count = max(topic.partitions) + 1
            if known is not None and (known.topic_id in ids or not ids):
                if count <= len(known.partitions):
                    continue
                topic_id = known.topic_id
            elif len(ids) > 1:
                topic_id = _most_common(topic, ids)
                logger.warning(
                    "topic=%s: its directories have %d topic ids; of them only %s is served",
                    *(topic.name, len(ids), topic_id.hex()),
                )
            else:
                topic_id = next(iter(ids), None) or uuid.uuid4().bytes
            if topic.missing:
                _warn_of_missing(topic.name, topic.missing)
            epochs = {number: newest_epoch(each, files) for number, each in topic.partitions.items()}
            configs = _configs_for(topic.name, compacted)
            self.topics.append(AdoptedTopic(topic.name, topic_id, count, epochs, configs, known))
        unknown = [topic.name for topic in self.topics if topic.name not in INTERNAL_TOPICS]
        if unknown:
            logger.warning(
                "the settings of %d adopted topics are in ZooKeeper and not known here: their records are kept for ever"
                " (retention.ms=-1, retention.bytes=-1) until you set something else",
                len(unknown),
            )


def plan_adoption(
    log_dirs: Sequence[Path], files: Files, image: ClusterImage, node_id: int, metadata_dir: Path | None = None
) -> Adoption:
    """Find what Apache Kafka has left in *log_dirs* that *image* does not know.  Changes nothing.

    Args:
        log_dirs: The directories in use.
        files: How to read.
        image: What the journal knows.
        node_id: This broker, who leads what is adopted.
        metadata_dir: Where KRaft keeps its metadata if not in one of *log_dirs* (`metadata.log.dir`).

    Raises:
        StoreDamaged: the KRaft metadata cannot be read.
        OSError: a directory cannot be read.
    """
    adoption = Adoption(image, node_id)
    found = find_new_topics(log_dirs, files, image.topics)
    is_first = image.cluster_id is None and not image.topics
    places = [metadata_dir, *log_dirs] if metadata_dir is not None else log_dirs
    kraft = next((place / METADATA_DIRECTORY for place in places if (place / METADATA_DIRECTORY).is_dir()), None)
    if not found and not (is_first and kraft is not None):
        return adoption
    if kraft is None:
        adoption.source = f"log directories {', '.join(map(str, log_dirs))}"
        adoption.take_from_directories(list(found.values()), compacted_topics(log_dirs, files), files)
        return adoption
    from wirebroker.metadata.adoption.kraft_image import KraftImage  # not needed at other starts
    from wirebroker.metadata.adoption.kraft_log import MetadataLog

    metadata_log = MetadataLog(str(kraft), files)
    kraft_image = KraftImage()
    kraft_image.replay(metadata_log.values())
    adoption.take_from_kraft(kraft_image, metadata_log, found, is_first=is_first)
    return adoption


def _configs_for(name: str, compacted: set[str]) -> dict[str, str]:
    if name in INTERNAL_TOPICS:
        return INTERNAL
    return {**KEEP_FOR_EVER, "cleanup.policy": "compact"} if name in compacted else KEEP_FOR_EVER


def _most_common(topic: FoundTopic, ids: set[bytes]) -> bytes:
    counted = [each.topic_id for each in topic.partitions.values()]
    return max(sorted(ids), key=counted.count)


def _warn_of_missing(name: str, missing: Sequence[int]) -> None:
    shown = ", ".join(map(str, missing[:_NAMES_SHOWN])) + (", ..." if len(missing) > _NAMES_SHOWN else "")
    logger.warning("topic=%s: partitions %s have no directory here and begin empty", name, shown)
