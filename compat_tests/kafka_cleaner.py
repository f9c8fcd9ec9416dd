"""Apache Kafka's own log cleaner in a JVM, without a broker: one round of compaction of one partition's directory.

Its classes moved from Scala to Java and from package to package; a subclass of KafkaCleaner is for the releases that
have them in one place.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from tools.jvm.bridge import jvm
from wirebroker.jvm.kafka_jars import kafka_jars

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_NO_EXPIRATION_MS = 2**31 - 1
_UNLIMITED = 1e308
_LARGEST_MESSAGE = 2**30
_LOAD_FACTOR = 0.9


class KafkaRound(NamedTuple):
    """The outcome of one round of Apache Kafka's cleaner."""

    first_dirty_offset: int
    uncleanable_offset: int
    cleanable_bytes: int
    end_offset: int | None
    """The first dirty offset after the round; None if there was nothing to clean."""


class KafkaCleaner(ABC):
    """Apache Kafka's LogCleanerManager and Cleaner of one release."""

    marks_horizon: ClassVar[bool] = True
    """Whether batches get delete horizons (KIP-534)."""
    keeps_end: ClassVar[bool] = False
    """Whether an empty header stays for the last offset of a round's range."""
    formats: ClassVar[tuple[int, ...]] = (0, 1, 2)
    """The message formats of which batches keep their own; later releases make format 2 of what they write anew."""
    most_gap: ClassVar[int | None] = None
    """Offsets that may be missing without a difference in how segments are grouped; None is any number."""

    def __init__(self, root: Any) -> None:
        self.root = root
        self.time = root.org.apache.kafka.common.utils.Time.SYSTEM

    def clean(
        self,
        directory: Path,
        settings: Mapping[str, str],
        checkpoint: int | None,
        now_ms: int,
        *,
        buffer_bytes: int,
        io_buffer_bytes: int,
        log_start_offset: int,
        log_end_offset: int,
    ) -> KafkaRound:
        """Load the log in *directory*, which was closed in order, and clean it as of *now_ms*."""
        properties = self.root.java.util.Properties()
        for name, value in settings.items():
            properties.put(name, value)
        scheduler = self.scheduler()
        scheduler.startup()
        log = self.load(self.root.java.io.File(str(directory)), properties, log_start_offset, log_end_offset, scheduler)
        try:
            assert log.logEndOffset() == log_end_offset
            log.updateHighWatermark(log_end_offset)
            # py4j would make an int of a Long on its own
            streams = self.root.java.util.stream.LongStream
            stream = streams.empty() if checkpoint is None else streams.rangeClosed(checkpoint, checkpoint)
            to_clean = self.to_clean(log, stream.boxed().findFirst(), now_ms)
            found = to_clean.firstDirtyOffset(), to_clean.firstUncleanableOffset(), to_clean.cleanableBytes()
            if found[0] >= found[1]:
                return KafkaRound(*found, None)
            return KafkaRound(*found, self.do_clean(to_clean, buffer_bytes, io_buffer_bytes, now_ms))
        finally:
            log.close()
            scheduler.shutdown()  # or each round would leave a thread, and the JVM would slow down

    def scheduler(self) -> Any:
        """Return a KafkaScheduler of one thread, which a log needs although nothing becomes due."""
        return self.root.org.apache.kafka.server.util.KafkaScheduler(1)

    @abstractmethod
    def load(self, directory: Any, properties: Any, log_start_offset: int, recovery_point: int, scheduler: Any) -> Any:
        """Return the log in *directory*."""

    @abstractmethod
    def to_clean(self, log: Any, checkpoint: Any, now_ms: int) -> Any:
        """Return the LogToClean of *log*; *checkpoint* is an Optional<Long>."""

    @abstractmethod
    def do_clean(self, to_clean: Any, buffer_bytes: int, io_buffer_bytes: int, now_ms: int) -> int:
        """Run one round, and return its end offset."""


class _ScalaCleaner(KafkaCleaner):
    """The cleaner in the package kafka.log."""

    def to_clean(self, log: Any, checkpoint: Any, now_ms: int) -> Any:
        package = self.root.kafka.log
        option = self.root.scala.jdk.javaapi.OptionConverters.toScala(checkpoint)
        offsets = package.LogCleanerManager.cleanableOffsets(log, option, now_ms)
        first_dirty, bound = offsets.firstDirtyOffset(), offsets.firstUncleanableDirtyOffset()
        return package.LogToClean(log.topicPartition(), log, first_dirty, bound, False)

    def new_cleaner(self, offset_map: Any, io_buffer_bytes: int, throttler: Any) -> Any:
        # a set is a function, too; its result is not looked at
        check_done = self.root.scala.collection.mutable.HashSet()
        arguments = (io_buffer_bytes, _LARGEST_MESSAGE, _LOAD_FACTOR, throttler, self.time, check_done)
        return self.root.kafka.log.Cleaner(0, offset_map, *arguments)


class Cleaner2(_ScalaCleaner):
    """That of 2.8, where a tombstone goes by the age of its segment."""

    marks_horizon = False
    most_gap = 1000

    def scheduler(self) -> Any:
        return self.root.kafka.utils.KafkaScheduler(1, "scheduler-", True)

    def load(self, directory: Any, properties: Any, log_start_offset: int, recovery_point: int, scheduler: Any) -> Any:
        root = self.root
        return root.kafka.log.Log.apply(
            directory,
            root.kafka.log.LogConfig.fromProps(root.java.util.HashMap(), properties),
            *(log_start_offset, recovery_point, scheduler, root.kafka.server.BrokerTopicStats(), self.time),
            *(_NO_EXPIRATION_MS, _NO_EXPIRATION_MS, root.kafka.server.LogDirFailureChannel(1), True, True),
        )

    def do_clean(self, to_clean: Any, buffer_bytes: int, io_buffer_bytes: int, now_ms: int) -> int:
        root, log = self.root, to_clean.log()
        throttler = root.kafka.utils.Throttler(_UNLIMITED, 300, True, "cleaner-io", "bytes", self.time)
        cleaner = self.new_cleaner(root.kafka.log.SkimpyOffsetMap(buffer_bytes, "MD5"), io_buffer_bytes, throttler)
        last_clean = log.logSegments(0, to_clean.firstDirtyOffset()).lastOption()
        horizon_ms = 0 if last_clean.isEmpty() else last_clean.get().lastModified() - log.config().deleteRetentionMs()
        return int(cleaner.doClean(to_clean, horizon_ms)._1())


class Cleaner3(_ScalaCleaner):
    """That of 3.9."""

    def load(self, directory: Any, properties: Any, log_start_offset: int, recovery_point: int, scheduler: Any) -> Any:
        root, internals = self.root, self.root.org.apache.kafka.storage.internals.log
        stats = root.kafka.server.BrokerTopicStats(False)
        return root.kafka.log.UnifiedLog.apply(
            *(directory, internals.LogConfig(properties), log_start_offset, recovery_point, scheduler, stats),
            *(self.time, _NO_EXPIRATION_MS, internals.ProducerStateManagerConfig(_NO_EXPIRATION_MS, False)),
            *(_NO_EXPIRATION_MS, internals.LogDirFailureChannel(1), True, root.scala.Option.empty(), False),
            *(root.java.util.concurrent.ConcurrentHashMap(), False),
            internals.LogOffsetsListener.NO_OP_OFFSETS_LISTENER,
        )

    def do_clean(self, to_clean: Any, buffer_bytes: int, io_buffer_bytes: int, now_ms: int) -> int:
        internals = self.root.org.apache.kafka.storage.internals
        throttler = internals.utils.Throttler(_UNLIMITED, 300, "cleaner-io", "bytes", self.time)
        cleaner = self.new_cleaner(internals.log.SkimpyOffsetMap(buffer_bytes, "MD5"), io_buffer_bytes, throttler)
        return int(cleaner.doClean(to_clean, now_ms)._1())


class Cleaner4(KafkaCleaner):
    """That of 4.1, in Java."""

    formats = (2,)
    keeps_end = True

    def load(self, directory: Any, properties: Any, log_start_offset: int, recovery_point: int, scheduler: Any) -> Any:
        root, internals = self.root, self.root.org.apache.kafka.storage.internals.log
        properties.put("internal.segment.bytes", properties.remove("segment.bytes"))  # which may be below 1 MB
        stats = root.org.apache.kafka.storage.log.metrics.BrokerTopicStats(False)
        return internals.UnifiedLog.create(
            *(directory, internals.LogConfig(properties), log_start_offset, recovery_point, scheduler, stats),
            *(self.time, _NO_EXPIRATION_MS, internals.ProducerStateManagerConfig(_NO_EXPIRATION_MS, False)),
            *(_NO_EXPIRATION_MS, internals.LogDirFailureChannel(1), True, root.java.util.Optional.empty()),
        )

    def to_clean(self, log: Any, checkpoint: Any, now_ms: int) -> Any:
        internals = self.root.org.apache.kafka.storage.internals.log
        offsets = internals.LogCleanerManager.cleanableOffsets(log, checkpoint, now_ms)
        first_dirty, bound = offsets.firstDirtyOffset(), offsets.firstUncleanableDirtyOffset()
        return internals.LogToClean(log, first_dirty, bound, False)

    def do_clean(self, to_clean: Any, buffer_bytes: int, io_buffer_bytes: int, now_ms: int) -> int:
        internals = self.root.org.apache.kafka.storage.internals
        throttler = internals.utils.Throttler(_UNLIMITED, 300, "cleaner-io", "bytes", self.time)
        check_done = self.root.java.util.stream.Stream.builder()  # the builder of a stream consumes anything
        cleaner = internals.log.Cleaner(
            *(0, internals.log.SkimpyOffsetMap(buffer_bytes, "MD5"), io_buffer_bytes, _LARGEST_MESSAGE, _LOAD_FACTOR),
            *(throttler, self.time, check_done),
        )
        return int(cleaner.doClean(to_clean, now_ms).getKey())


@contextmanager
def kafka_cleaner(version: str) -> Iterator[KafkaCleaner]:
    """The cleaner of Apache Kafka *version*."""
    kinds: dict[str, type[KafkaCleaner]] = {"2": Cleaner2, "3": Cleaner3, "4": Cleaner4}
    with jvm(kafka_jars(version), heap="512m") as root:
        yield kinds[version[0]](root)
