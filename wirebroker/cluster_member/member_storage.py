"""MemberStorage: the identity of a broker in its cluster, the settings that ZooKeeper has, and its loaded logs."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import trio

from wirebroker.cluster.config_store import ConfigStore
from wirebroker.cluster.config_znodes import record_of
from wirebroker.cluster.identity import InconsistentIdentity, check_cluster_id, known_broker_id
from wirebroker.cluster.invalid_configs import applicable_configs
from wirebroker.cluster_member.member import MemberConfig
from wirebroker.metadata.cache import MetadataCache
from wirebroker.metadata.dynamic_config_publisher import dynamic_settings
from wirebroker.metadata.errors import StoreError
from wirebroker.metadata.image import ClusterImage
from wirebroker.metadata.journal import JOURNAL_NAME
from wirebroker.metadata.meta_properties import new_cluster_id, read_meta_properties, write_meta_properties
from wirebroker.metadata.records import apply
from wirebroker.startup import StartupError, configure_logs
from wirebroker.storage.errors import LoadingStopped, StorageError
from wirebroker.storage.files import Files
from wirebroker.storage.log_manager import LogManager
from wirebroker.zookeeper.cluster_znodes import generate_broker_id, get_or_create_cluster_id
from wirebroker.zookeeper.errors import CorruptZnode, ZooKeeperError

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.config.log import LogConfig
    from wirebroker.config.server import BrokerConfig
    from wirebroker.metadata.meta_properties import MetaProperties
    from wirebroker.zookeeper.session import Session


class MemberStorage(NamedTuple):
    """The identity and the loaded logs that a start has found."""

    config: BrokerConfig
    """The settings, with the id of this broker."""
    cluster_id: str
    metadata: MetadataCache
    """The settings of topics, brokers and clients, and nothing else yet."""
    log_manager: LogManager
    files: Files

    def mark_directories(self) -> None:
        """Write meta.properties into the log directories, which belong to this broker from now on; in a thread.

        A directory that cannot be read or written is offline from now on.
        """
        log_dirs = self.log_manager.log_dirs
        for each in log_dirs.online:
            with log_dirs.guarding(each):
                write_meta_properties([each.path], self.config.node_id, self.files, self.cluster_id)


async def open_storage(
    config: BrokerConfig, session: Session, should_stop: Callable[[], bool], files: Files | None = None
) -> MemberStorage | None:
    """Find out who this broker is in which cluster, read the settings of ZooKeeper, and load every log.

    *files* are how to reach the disk, if not by the operating system.  Returns None if *should_stop* has ended that
    early.

    Raises:
        StartupError: a directory cannot be used or belongs to another broker or cluster, or ZooKeeper cannot be read.
    """
    files = Files() if files is None else files
    log_manager = await trio.to_thread.run_sync(_make_log_manager, config, files)
    try:
        cluster_id = await get_or_create_cluster_id(session, new_cluster_id)
        found = await trio.to_thread.run_sync(_lock, log_manager, files)
        check_cluster_id(found, cluster_id, config.text("zookeeper.connect") or "")
        config = await _identified(config, session, known_broker_id(found, config.node_id))
        metadata = MetadataCache(await _read_configs(session, config, cluster_id))
        load = partial(_load, config, metadata.image, log_manager, should_stop)
        await trio.to_thread.run_sync(load)
    except LoadingStopped:
        log_manager.log_dirs.unlock()
        return None
    except trio.Cancelled:
        log_manager.log_dirs.unlock()
        raise
    except OSError as fault:
        named = fault.filename or log_manager.log_dirs.paths[0]
        raise StartupError(f"cannot use {named}: {fault.strerror or fault}") from fault
    except (StorageError, StoreError, CorruptZnode, ZooKeeperError) as fault:
        raise StartupError(str(fault)) from fault
    return MemberStorage(config, cluster_id, metadata, log_manager, files)


def _make_log_manager(config: BrokerConfig, files: Files) -> LogManager:
    return LogManager([Path(each).absolute() for each in config.log_dirs], config.topic_defaults, files=files)


def _lock(log_manager: LogManager, files: Files) -> list[MetaProperties]:
    """Lock the log directories, and return what they say about broker and cluster; in a thread."""
    log_manager.log_dirs.lock()
    dirs = [each.path for each in log_manager.log_dirs.online]
    for directory in dirs:
        if files.exists(str(directory / JOURNAL_NAME)):
            raise InconsistentIdentity(
                f"{directory} has the metadata of a broker that is a cluster by itself ({JOURNAL_NAME}): start it"
                " without zookeeper.connect, or use another directory"
            )
    return read_meta_properties(dirs, files)


async def _identified(config: BrokerConfig, session: Session, broker_id: int) -> BrokerConfig:
    """Return the settings with the id of this broker, generated if *broker_id* is -1."""
    place = "meta.properties"
    if broker_id < 0:
        member_config = MemberConfig(config.value)
        if not member_config.broker_id_generation_enable:
            raise StartupError("this broker has no id: set broker.id, or broker.id.generation.enable=true")
        broker_id = await generate_broker_id(session, member_config.reserved_broker_max_id)
        place = "generated in ZooKeeper"
    return config if broker_id == config.node_id else config.with_broker_id(broker_id, place)


async def _read_configs(session: Session, config: BrokerConfig, cluster_id: str) -> ClusterImage:
    """Return an image that has the settings of topics, brokers and clients, and nothing else."""
    store = ConfigStore(session, config.node_id)
    entities = await store.entities()
    found = await store.read_many(entities)
    pairs = ((entity, applicable_configs(entity, each, config)) for entity, each in zip(entities, found, strict=True))
    records = [record_of(entity, settings) for entity, settings in pairs if settings is not None]
    return apply(ClusterImage(cluster_id=cluster_id), *records)


def _load(config: BrokerConfig, image: ClusterImage, log_manager: LogManager, should_stop: Callable[[], bool]) -> None:
    """Load every log; in a thread."""
    config = config.with_dynamic(*dynamic_settings(image, config.node_id))
    configure_logs(log_manager, config)

    def config_of(topic: str) -> LogConfig:
        return config.log_config(image.topic_config(topic))

    log_manager.load(config_of, should_stop=should_stop)
