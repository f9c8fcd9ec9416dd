"""ImportPlan: the topics to import from a data directory that Apache Kafka wrote, as metadata records.

    plan = plan_import(log_dirs, files, image, node_id)   before the logs are opened: names, ids, settings
    records = plan.records(newest_epoch_of, highest_id)   after: with the leader epochs and producer ids in the logs

Every partition directory whose topic is not in the journal was written by Kafka, since the journal is written before
wirebroker makes a directory and after it removes one.  So such topics are imported at any start, not only at the first
one: a directory may go to Kafka and come back with more topics in it.
"""

from __future__ import annotations

import logging
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.config.registry import BROKER_KEYS
from wirebroker.metadata.image import BROKER_RESOURCE, TOPIC_RESOURCE, PartitionImage
from wirebroker.metadata.kafka_import.directories import (
    METADATA_DIRECTORY,
    TopicDirectories,
    compacted_topics,
    find_unknown_topics,
    newest_epoch,
)
from wirebroker.metadata.records import (
    PRODUCER_ID_BLOCK,
    ClientQuotaRecord,
    ConfigsRecord,
    MetadataRecord,
    PartitionsRecord,
    ProducerIdsRecord,
    RemoveTopicRecord,
    TopicRecord,
)
from wirebroker.model import INTERNAL_TOPICS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from wirebroker.metadata.image import ClusterImage, TopicImage
    from wirebroker.metadata.kafka_import.kraft_image import KraftImage, KraftTopic
    from wirebroker.metadata.kafka_import.kraft_log import MetadataLog
    from wirebroker.quota.levels import QuotaEntity
    from wirebroker.storage.files import Files

logger = logging.getLogger(__name__)

KEEP_FOR_EVER = {"retention.ms": "-1", "retention.bytes": "-1"}
"""Settings of a topic whose own are in ZooKeeper, which cannot be read: records must not be deleted too early."""
INTERNAL = {
    "cleanup.policy": "compact",
    "compression.type": "producer",
    "segment.bytes": str(BROKER_KEYS["offsets.topic.segment.bytes"].default),
}
"""Settings of Kafka's internal topics."""
_UNSEEN_PRODUCER_IDS = 1000 * PRODUCER_ID_BLOCK
"""Ids above the highest one in the logs that Kafka may have given to producers that have not written here yet."""
_NAMES_SHOWN = 20


class TopicImport(NamedTuple):
    """A topic to import: new, or with partitions that the journal lacks."""

    name: str
    topic_id: bytes
    partition_count: int
    epochs: Mapping[int, int]
    """Partition -> newest leader epoch known before the logs are opened."""
    configs: Mapping[str, str]
    known: TopicImage | None = None
    """The topic of that name in the journal."""


class ImportPlan:
    """The topics, broker settings and client quotas to import; false if there are none."""

    def __init__(self, image: ClusterImage, node_id: int) -> None:
        self.topics: list[TopicImport] = []
        self.broker_configs: dict[str, Mapping[str, str]] = {}
        self.client_quotas: Mapping[QuotaEntity, Mapping[str, float]] = {}
        self.source = ""
        self._image = image
        self._node_id = node_id
        self._kraft: KraftImage | None = None

    def __bool__(self) -> bool:
        return bool(self.topics or self.broker_configs or self.client_quotas)

    def settings(self) -> list[MetadataRecord]:
        """Return the records as far as they matter for opening the logs."""
        return self.records(lambda topic, partition: -1, -1)

    def records(self, newest_epoch_of: Callable[[str, int], int], highest_producer_id: int) -> list[MetadataRecord]:
        """Return the records that add the imported topics to the image.

        Args:
            newest_epoch_of: Returns the newest leader epoch in the log of a partition, -1 if it is unknown.
            highest_producer_id: The highest producer id in any log.
        """
        records: list[MetadataRecord] = []
        for topic in self.topics:
            known = topic.known
            partitions = tuple(
                self._partition(topic, number, newest_epoch_of(topic.name, number))
                for number in range(topic.partition_count)
            )
            if known is not None and known.topic_id == topic.topic_id:
                records.append(PartitionsRecord(topic.name, partitions[len(known.partitions) :]))
                continue
            if known is not None:
                records.append(RemoveTopicRecord(known.name, known.topic_id, len(known.partitions)))
            records.append(TopicRecord(topic.name, topic.topic_id, partitions))
            if topic.configs:
                records.append(ConfigsRecord(TOPIC_RESOURCE, topic.name, topic.configs))
        records += [ConfigsRecord(BROKER_RESOURCE, name, configs) for name, configs in self.broker_configs.items()]
        records += [ClientQuotaRecord(entity, quotas) for entity, quotas in self.client_quotas.items()]
        next_id = self.next_producer_id(highest_producer_id)
        if records and next_id > self._image.next_producer_id:
            records.append(ProducerIdsRecord(next_id))
        return records

    def next_producer_id(self, highest_seen: int) -> int:
        """Return the first producer id that Kafka cannot have given to a producer."""
        unseen = 0 if self._kraft is not None else _UNSEEN_PRODUCER_IDS
        recorded = 0 if self._kraft is None else self._kraft.next_producer_id
        return max(recorded, (highest_seen // PRODUCER_ID_BLOCK + 1) * PRODUCER_ID_BLOCK + unseen)

    def _partition(self, topic: TopicImport, number: int, newest_in_log: int) -> PartitionImage:
        # a new epoch, to tell the records of Kafka and wirebroker apart
        epoch = max(topic.epochs.get(number, -1), newest_in_log) + 1
        return PartitionImage(self._node_id, epoch, (self._node_id,), (self._node_id,))

    def report(self, next_producer_id: int) -> None:
        """Log what was imported from where."""
        partition_count = sum(
            topic.partition_count - (len(topic.known.partitions) if topic.known is not None else 0)
            if topic.known is None or topic.known.topic_id == topic.topic_id
            else topic.partition_count
            for topic in self.topics
        )
        names = sorted(topic.name for topic in self.topics)
        shown = ", ".join(names[:_NAMES_SHOWN]) + (", ..." if len(names) > _NAMES_SHOWN else "")
        settings = sum(len(topic.configs) for topic in self.topics) + sum(map(len, self.broker_configs.values()))
        quotas = f", quotas of {len(self.client_quotas)} clients" if self.client_quotas else ""
        logger.info(
            "imported from Apache Kafka, %s: %d topics with %d partitions, %d settings%s, producer ids from %d on (%s)",
            *(self.source, len(names), partition_count, settings, quotas, next_producer_id, shown),
        )

    # -- planning

    def add_kraft_topics(
        self, kraft: KraftImage, metadata_log: MetadataLog, found: Mapping[str, TopicDirectories], *, is_first: bool
    ) -> None:
        """Add the topics of a KRaft metadata log: all at the first start, later unknown ones with directories."""
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
                self._add_kraft_topic(topic, found.get(topic.name), known)
        for name in sorted(found.keys() - topics.keys() - self._image.topics.keys()):
            logger.warning(
                "topic=%s: it has directories, but is not in %s: it was deleted, and is not imported",
                *(name, metadata_log),
            )
        if is_first:
            for name in ("", str(self._node_id)):
                configs = kraft.configs.get((BROKER_RESOURCE, name))
                if configs:
                    self.broker_configs[name] = configs
            self.client_quotas = kraft.client_quotas
            for what, count in kraft.not_imported.items():
                logger.warning("%s: %d records of %s are not imported", metadata_log, count, what)

    def _add_kraft_topic(self, topic: KraftTopic, found: TopicDirectories | None, known: TopicImage | None) -> None:
        assert self._kraft is not None
        directories = {} if found is None else found.partitions
        count = max(topic.leader_epochs, default=-1) + 1
        missing = [number for number in range(count) if number not in directories]
        if missing:
            _warn_of_missing(topic.name, missing)
        configs = self._kraft.configs.get((TOPIC_RESOURCE, topic.name), {})
        self.topics.append(TopicImport(topic.name, topic.topic_id, count, topic.leader_epochs, configs, known))

    def add_topics_of_directories(self, found: Sequence[TopicDirectories], compacted: set[str], files: Files) -> None:
        """Add topics by their directories."""
        deleting_ids = {topic_id for topic_id, _ in self._image.deleting.items()}
        deleting_names = {gone.name for gone in self._image.deleting.values()}
        for topic in found:
            known = self._image.topics.get(topic.name)
            ids = topic.topic_ids - deleting_ids
            if not ids and (topic.topic_ids or topic.name in deleting_names):
                continue  # its directories are still to be deleted
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
            self.topics.append(TopicImport(topic.name, topic_id, count, epochs, configs, known))
        unknown = [topic.name for topic in self.topics if topic.name not in INTERNAL_TOPICS]
        if unknown:
            logger.warning(
                "the settings of %d imported topics are in ZooKeeper and unknown here: their records are kept for ever"
                " (retention.ms=-1, retention.bytes=-1) until you set something else",
                len(unknown),
            )


def plan_import(
    log_dirs: Sequence[Path], files: Files, image: ClusterImage, node_id: int, metadata_dir: Path | None = None
) -> ImportPlan:
    """Return the plan to import the topics in *log_dirs* that are not in *image*.  Changes nothing.

    Args:
        log_dirs: The directories in use.
        files: How to read.
        image: The image of the journal.
        node_id: This broker, the leader of all imported partitions.
        metadata_dir: The directory of KRaft's metadata if it is none of *log_dirs* (`metadata.log.dir`).

    Raises:
        StoreDamaged: the KRaft metadata cannot be read.
        OSError: a directory cannot be read.
    """
    plan = ImportPlan(image, node_id)
    found = find_unknown_topics(log_dirs, files, image.topics)
    is_first = image.cluster_id is None and not image.topics
    places = [metadata_dir, *log_dirs] if metadata_dir is not None else log_dirs
    kraft = next((place / METADATA_DIRECTORY for place in places if (place / METADATA_DIRECTORY).is_dir()), None)
    if not found and not (is_first and kraft is not None):
        return plan
    if kraft is None:
        plan.source = f"log directories {', '.join(map(str, log_dirs))}"
        plan.add_topics_of_directories(list(found.values()), compacted_topics(log_dirs, files), files)
        return plan
    from wirebroker.metadata.kafka_import.kraft_image import KraftImage  # not needed at other starts
    from wirebroker.metadata.kafka_import.kraft_log import MetadataLog

    metadata_log = MetadataLog(str(kraft), files)
    kraft_image = KraftImage()
    kraft_image.replay(metadata_log.values())
    plan.add_kraft_topics(kraft_image, metadata_log, found, is_first=is_first)
    return plan


def _configs_for(name: str, compacted: set[str]) -> dict[str, str]:
    if name in INTERNAL_TOPICS:
        return INTERNAL
    return {**KEEP_FOR_EVER, "cleanup.policy": "compact"} if name in compacted else KEEP_FOR_EVER


def _most_common(topic: TopicDirectories, ids: set[bytes]) -> bytes:
    counted = [each.topic_id for each in topic.partitions.values()]
    return max(sorted(ids), key=counted.count)


def _warn_of_missing(name: str, missing: Sequence[int]) -> None:
    shown = ", ".join(map(str, missing[:_NAMES_SHOWN])) + (", ..." if len(missing) > _NAMES_SHOWN else "")
    logger.warning("topic=%s: partitions %s have no directory here and are created empty", name, shown)
