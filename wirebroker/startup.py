"""What a broker does before it serves: lock the log directories, replay the metadata journal, load every log.

Synchronous; `broker.py` runs it in a thread, so that a signal is acted on while many logs are loaded.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.metadata.adoption.adopt import plan_adoption
from wirebroker.metadata.adoption.producer_ids import highest_producer_id
from wirebroker.metadata.changes import apply
from wirebroker.metadata.embedded_store import EmbeddedStore
from wirebroker.metadata.identity import check_identity, settle_identity
from wirebroker.metadata.store import StoreError
from wirebroker.model import TopicPartition
from wirebroker.storage.faults import LoadingStopped, StorageError
from wirebroker.storage.files import Files
from wirebroker.storage.log_dir import ACCEPTED_EMPTY
from wirebroker.storage.log_manager import LogManager

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.config.log import LogConfig
    from wirebroker.config.server import BrokerConfig
    from wirebroker.metadata.image import ClusterImage


class StartupError(Exception):
    """The broker cannot start; the message is one line for the operator."""


class Opened(NamedTuple):
    """What `open_logs` has opened; the caller closes both."""

    log_manager: LogManager
    store: EmbeddedStore
    cluster_id: str


def open_logs(config: BrokerConfig, should_stop: Callable[[], bool]) -> Opened | None:
    """Open the metadata journal and every log of the log directories; None if *should_stop* ended it early.

    *should_stop* is asked before each log.  A start that it ends writes neither checkpoints nor clean-shutdown markers,
    so the next start checks every log again.

    Raises:
        StartupError: a directory cannot be used, metadata is damaged.
    """
    log_manager = LogManager(
        [Path(each).absolute() for each in config.log_dirs],
        config.topic_defaults,
        producer_id_expiration_ms=config.producer_id_expiration_ms,
        recovery_threads=config.num_recovery_threads_per_data_dir,
    )
    store: EmbeddedStore | None = None
    try:
        log_manager.lock()
        online = [each for each in log_manager.dirs if not log_manager.is_dir_offline(each)]
        files = Files()
        known, unmarked = check_identity(online, config.node_id, files)
        # A broker that is not new has a journal, and if we cannot see it, it is in a directory that failed.
        all_online = len(online) == len(log_manager.dirs)
        store = EmbeddedStore.open(online, files, may_start=known is None or all_online, all_online=all_online)
        image, _ = store.read()
        if all_online and known is not None and unmarked and image.topics:
            log_manager.refuse_replaced_dirs(unmarked, _led_partitions(image, config.node_id))
            online = [each for each in online if not log_manager.is_dir_offline(each)]
        cluster_id = settle_identity(online, config.node_id, files, image.cluster_id)
        files.unlink(f"{directory}/{ACCEPTED_EMPTY}" for directory in online)
        metadata_dir = config.text("metadata.log.dir")
        adoption = plan_adoption(
            online, files, image, config.node_id, None if metadata_dir is None else Path(metadata_dir).absolute()
        )
        image = apply(image, *adoption.settings())

        def config_of(topic: str) -> LogConfig | None:
            return config.log_config(image.topic_config(topic)) if topic in image.topics else None

        log_manager.load(config_of, expected=_led_partitions(image, config.node_id), should_stop=should_stop)
        if adoption:
            highest = highest_producer_id(log_manager.logs())
            store.adopt(adoption.changes(log_manager.newest_epoch, highest))
            adoption.report(store.read()[0].next_producer_id)
    except LoadingStopped:
        assert store is not None
        store.close()
        log_manager.unlock()
        return None
    except OSError as fault:
        raise StartupError(f"cannot use {fault.filename or log_manager.dirs[0]}: {fault.strerror or fault}") from fault
    except (StorageError, StoreError) as fault:
        raise StartupError(getattr(fault, "detail", None) or str(fault)) from fault
    return Opened(log_manager, store, cluster_id)


def _led_partitions(image: ClusterImage, node_id: int) -> list[TopicPartition]:
    """Return the partitions that this broker leads; not those of a topic whose name is being deleted once more."""
    deleting = {gone.name for gone in image.deleting.values()}
    return [
        TopicPartition(topic.name, number)
        for topic in image.topics.values()
        if topic.name not in deleting
        for number, partition in enumerate(topic.partitions)
        if partition.leader == node_id
    ]
