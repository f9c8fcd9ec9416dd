"""The start of a broker before it serves: lock the log directories, replay the metadata journal, load every log.

Synchronous; `broker.py` runs it in a thread, so that a signal is acted on while many logs are loaded.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.metadata.dynamic_config_publisher import dynamic_settings
from wirebroker.metadata.embedded_store import EmbeddedStore
from wirebroker.metadata.errors import StoreError
from wirebroker.metadata.meta_properties import check_meta_properties, write_meta_properties
from wirebroker.metadata.records import apply
from wirebroker.model import TopicPartition
from wirebroker.storage.errors import LoadingStopped, StorageError
from wirebroker.storage.files import Files
from wirebroker.storage.log_dir import ACCEPTED_EMPTY
from wirebroker.storage.log_manager import LogManager

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.config.log import LogConfig
    from wirebroker.config.server import BrokerConfig
    from wirebroker.metadata.image import ClusterImage
    from wirebroker.metadata.kafka_import.import_plan import ImportPlan


class StartupError(Exception):
    """The broker cannot start; the message is one line for the operator."""


class BrokerStorage(NamedTuple):
    """The logs and the metadata store of a broker; the caller of `open_storage` closes both."""

    log_manager: LogManager
    store: EmbeddedStore
    cluster_id: str


def open_storage(config: BrokerConfig, should_stop: Callable[[], bool]) -> BrokerStorage | None:
    """Open the metadata journal and every log of the log directories; return None if *should_stop* has ended it early.

    *should_stop* is called before each log.  A start that it ends writes neither checkpoints nor clean-shutdown
    markers, so the next start checks every log again.

    Raises:
        StartupError: a directory cannot be used, metadata is damaged.
    """
    log_manager = LogManager([Path(each).absolute() for each in config.log_dirs], config.topic_defaults)
    store: EmbeddedStore | None = None
    try:
        log_manager.log_dirs.lock()
        online = [each for each in log_manager.log_dirs.paths if not log_manager.log_dirs.is_offline(each)]
        files = Files()
        known, unmarked = check_meta_properties(online, config.node_id, files)
        # A broker that is not new has a journal; if no directory shows one, the journal is in a directory that failed.
        all_online = len(online) == len(log_manager.log_dirs.paths)
        store = EmbeddedStore.open(online, files, may_start=known is None or all_online, all_online=all_online)
        image = store.image
        if all_online and known is not None and unmarked and image.topics:
            log_manager.log_dirs.refuse_replaced(unmarked, _led_partitions(image, config.node_id))
            online = [each for each in online if not log_manager.log_dirs.is_offline(each)]
        cluster_id = write_meta_properties(online, config.node_id, files, image.cluster_id)
        files.unlink(f"{directory}/{ACCEPTED_EMPTY}" for directory in online)
        plan = _plan_import(online, files, image, config)
        if plan is not None:
            image = apply(image, *plan.settings())
        config = config.with_dynamic(*dynamic_settings(image, config.node_id))
        configure_logs(log_manager, config)

        def config_of(topic: str) -> LogConfig | None:
            return config.log_config(image.topic_config(topic)) if topic in image.topics else None

        log_manager.load(config_of, expected=_led_partitions(image, config.node_id), should_stop=should_stop)
        if plan:
            from wirebroker.metadata.kafka_import.producer_ids import highest_producer_id  # for this alone

            highest = highest_producer_id(log_manager.logs())
            store.write_blocking(plan.records(log_manager.newest_epoch, highest))
            plan.report(store.image.next_producer_id)
    except LoadingStopped:
        assert store is not None
        store.close()
        log_manager.log_dirs.unlock()
        return None
    except OSError as fault:
        raise StartupError(
            f"cannot use {fault.filename or log_manager.log_dirs.paths[0]}: {fault.strerror or fault}"
        ) from fault
    except (StorageError, StoreError) as fault:
        raise StartupError(str(fault)) from fault
    return BrokerStorage(log_manager, store, cluster_id)


def _plan_import(dirs: list[Path], files: Files, image: ClusterImage, config: BrokerConfig) -> ImportPlan | None:
    """Return what to import from Apache Kafka; None if *dirs* have no directories and no others are named."""
    metadata_dir = config.text("metadata.log.dir")
    if metadata_dir is None and not any(is_directory for each in dirs for _, is_directory in files.list(str(each))):
        return None
    from wirebroker.metadata.kafka_import.import_plan import plan_import  # a new broker needs it not

    return plan_import(
        dirs, files, image, config.node_id, None if metadata_dir is None else Path(metadata_dir).absolute()
    )


def configure_logs(log_manager: LogManager, config: BrokerConfig) -> None:
    """Give *log_manager* the settings that do not depend on a topic."""
    log_manager.configure(
        config.topic_defaults, config.producer_id_expiration_ms, config.num_recovery_threads_per_data_dir
    )


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
