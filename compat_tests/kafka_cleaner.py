"""Apache Kafka's own log cleaner in a JVM, without a broker: one round of compaction of one partition's directory."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from tools.jvm.bridge import jvm
from wirebroker.jvm.kafka_jars import kafka_jars

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_NO_EXPIRATION_MS = 2**31 - 1
_UNLIMITED = 1e308


class KafkaRound(NamedTuple):
    """The outcome of one round of Apache Kafka's cleaner."""

    first_dirty_offset: int
    uncleanable_offset: int
    cleanable_bytes: int
    end_offset: int | None
    """The first dirty offset after the round; None if there was nothing to clean."""
    records_read: int
    records_written: int


class KafkaCleaner:
    """Apache Kafka's LogCleanerManager and Cleaner of one release."""

    def __init__(self, root: Any, version: str) -> None:
        self._root = root
        self.is_old = version.startswith("2.")
        self._time = root.org.apache.kafka.common.utils.Time.SYSTEM
        new_stats = root.kafka.server.BrokerTopicStats
        self._stats = new_stats() if self.is_old else new_stats(False)

    def clean(
        self,
        directory: Path,
        settings: Mapping[str, str],
        checkpoint: int | None,
        now_ms: int,
        *,
        buffer_bytes: int = 2**20,
        io_buffer_bytes: int = 2**16,
        log_start_offset: int = 0,
        log_end_offset: int,
    ) -> KafkaRound:
        """Load the log in *directory*, and clean it as of *now_ms*."""
        root = self._root
        log = self._load(directory, settings, log_start_offset, log_end_offset)
        try:
            assert log.logEndOffset() == log_end_offset
            log.updateHighWatermark(log.logEndOffset())
            optional = root.java.util.OptionalLong
            last_clean = optional.empty() if checkpoint is None else optional.of(checkpoint)
            option = root.scala.jdk.javaapi.OptionConverters.toScala(last_clean)
            offsets = root.kafka.log.LogCleanerManager.cleanableOffsets(log, option, now_ms)
            first_dirty = offsets.firstDirtyOffset()
            partition = root.kafka.log.LogToClean(
                log.topicPartition(), log, first_dirty, offsets.firstUncleanableDirtyOffset(), False
            )
            found = first_dirty, partition.firstUncleanableOffset(), partition.cleanableBytes()
            if found[0] >= found[1]:
                return KafkaRound(*found, None, 0, 0)
            ended = self._cleaner(buffer_bytes, io_buffer_bytes).doClean(
                partition, self._legacy_horizon_ms(log, first_dirty) if self.is_old else now_ms
            )
            stats = ended._2()
            return KafkaRound(*found, ended._1(), stats.messagesRead(), stats.messagesWritten())
        finally:
            log.close()

    def _legacy_horizon_ms(self, log: Any, first_dirty: int) -> int:
        """The age of a segment from which on its tombstones go, which the caller of `doClean` finds in 2.x."""
        last = log.logSegments(0, first_dirty).lastOption()
        return 0 if last.isEmpty() else last.get().lastModified() - log.config().deleteRetentionMs()

    def _cleaner(self, buffer_bytes: int, io_buffer_bytes: int) -> Any:
        root = self._root
        if self.is_old:
            offset_map = root.kafka.log.SkimpyOffsetMap(buffer_bytes, "MD5")
            throttler = root.kafka.utils.Throttler(_UNLIMITED, 300, True, "cleaner-io", "bytes", self._time)
        else:
            internals = root.org.apache.kafka.storage.internals
            offset_map = internals.log.SkimpyOffsetMap(buffer_bytes, "MD5")
            throttler = internals.utils.Throttler(_UNLIMITED, 300, "cleaner-io", "bytes", self._time)
        check_done = root.scala.collection.mutable.HashSet()  # a function, whose answer nobody looks at
        return root.kafka.log.Cleaner(0, offset_map, io_buffer_bytes, 2**30, 0.9, throttler, self._time, check_done)

    def _load(self, directory: Path, settings: Mapping[str, str], log_start_offset: int, recovery_point: int) -> Any:
        root = self._root
        file = root.java.io.File(str(directory))
        if self.is_old:
            config = root.kafka.log.LogConfig.fromProps(root.java.util.HashMap(), self._properties(settings))
            channel = root.kafka.server.LogDirFailureChannel(1)
            scheduler = root.kafka.utils.KafkaScheduler(1, "s", True)
            scheduler.startup()
            return root.kafka.log.Log.apply(
                file,
                config,
                log_start_offset,
                recovery_point,
                scheduler,
                self._stats,
                self._time,
                _NO_EXPIRATION_MS,
                _NO_EXPIRATION_MS,
                channel,
                True,
                True,
            )
        internals = root.org.apache.kafka.storage.internals.log
        scheduler = root.org.apache.kafka.server.util.KafkaScheduler(1)
        scheduler.startup()
        return root.kafka.log.UnifiedLog.apply(
            file,
            internals.LogConfig(self._properties(settings)),
            log_start_offset,
            recovery_point,
            scheduler,
            self._stats,
            self._time,
            _NO_EXPIRATION_MS,
            internals.ProducerStateManagerConfig(_NO_EXPIRATION_MS, False),
            _NO_EXPIRATION_MS,
            internals.LogDirFailureChannel(1),
            True,
            root.scala.Option.empty(),
            False,
            root.java.util.concurrent.ConcurrentHashMap(),
            False,
            internals.LogOffsetsListener.NO_OP_OFFSETS_LISTENER,
        )

    def _properties(self, settings: Mapping[str, str]) -> Any:
        properties = self._root.java.util.Properties()
        for name, value in settings.items():
            properties.put(name, value)
        return properties


@contextmanager
def kafka_cleaner(version: str) -> Iterator[KafkaCleaner]:
    """The cleaner of Apache Kafka *version*."""
    with jvm(kafka_jars(version), heap="512m") as root:
        yield KafkaCleaner(root, version)
