"""StandaloneMode: a broker that is a cluster by itself: a metadata journal, and the controller in this process."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from wirebroker.composition import Foundation, build_services, dynamic_config
from wirebroker.controller.controller import Controller
from wirebroker.metadata.cache import MetadataCache
from wirebroker.metadata.image import BrokerImage
from wirebroker.replication.leader_state import IsrRules
from wirebroker.replication.replica_manager import ReplicaManager
from wirebroker.startup import open_storage

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.config.server import BrokerConfig
    from wirebroker.handlers.context import Services
    from wirebroker.metadata.image import ListenerEndpoint
    from wirebroker.startup import BrokerStorage
    from wirebroker.storage.log_manager import LogManager


class StandaloneMode:
    """The mode of a broker without `zookeeper.connect`; see `composition.Mode`."""

    broker_epoch = -1
    default_host = "localhost"

    def __init__(self, config: BrokerConfig) -> None:
        self.config = config
        self._storage: BrokerStorage | None = None
        self._controller: Controller | None = None

    async def open_storage(self, should_stop: Callable[[], bool]) -> LogManager | None:
        """Open the metadata journal and every log."""
        self._storage = await trio.to_thread.run_sync(open_storage, self.config, should_stop)
        return None if self._storage is None else self._storage.log_manager

    async def build_services(self, endpoints: tuple[ListenerEndpoint, ...], on_failure: Callable[[], None]) -> Services:
        """Start the controller, which serves every partition, and build what handlers use."""
        assert self._storage is not None
        log_manager, store, cluster_id = self._storage
        metadata = MetadataCache(store.image)
        config = dynamic_config(self.config, metadata, log_manager)
        profile = self.config.release_profile
        replicas = ReplicaManager(
            log_manager,
            metadata,
            on_failure,
            IsrRules(limits_min_isr_to_replicas=profile.limits_min_isr_to_replicas),
        )
        replicas.refuses_log_append_time = profile.refuses_log_append_time
        self._controller = Controller(store=store, cache=metadata, replicas=replicas, config=config)
        broker = BrokerImage(self.config.node_id, 0, endpoints, self.config.broker_rack)
        await self._controller.start(broker, cluster_id, clean=log_manager.was_clean)
        return build_services(Foundation(config, metadata, replicas), self._controller)

    def start_tasks(self, background: trio.Nursery) -> None:
        """Run the controller."""
        assert self._controller is not None
        background.start_soon(self._controller.run)

    async def join(self) -> None:
        """Return at once."""

    async def leave(self) -> None:
        """Return at once."""

    def close(self) -> None:
        """Close the metadata journal."""
        if self._storage is not None:
            self._storage.store.close()
