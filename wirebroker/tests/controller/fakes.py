"""ControllerHarness: a controller with a real journal in a directory, and replicas that only record calls."""

from __future__ import annotations

from contextlib import asynccontextmanager
from itertools import count
from typing import TYPE_CHECKING, Any, cast

import trio

from wirebroker.config.dynamic_config import DynamicConfig
from wirebroker.config.server import BrokerConfig
from wirebroker.config.settings import Origin, Setting
from wirebroker.config.waivers import NO_WAIVERS, Waivers
from wirebroker.controller.controller import Controller
from wirebroker.coordinator.group.coordinator import GroupCoordinator
from wirebroker.coordinator.transaction.coordinator import TransactionCoordinator
from wirebroker.handlers.context import RequestContext, Services
from wirebroker.handlers.routes import RouteTable
from wirebroker.metadata.cache import MetadataCache
from wirebroker.metadata.dynamic_config_publisher import follow_broker_configs
from wirebroker.metadata.embedded_store import EmbeddedStore
from wirebroker.metadata.image import BrokerImage, ClusterImage, ListenerEndpoint
from wirebroker.replication.fetch_session_cache import FetchSessionCache
from wirebroker.replication.replica_manager import ReplicaManager
from wirebroker.replication.txn_marker_writer import TxnMarkerWriter
from wirebroker.replication.worker_threads import WorkerThreads
from wirebroker.tests.metadata.fakes import FaultyFiles, topic_id

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable
    from pathlib import Path

    from wirebroker.config.log import LogConfig
    from wirebroker.metadata.image import TopicImage
    from wirebroker.protocol.message import Message

BROKER = BrokerImage(0, 1, (ListenerEndpoint("PLAINTEXT", "127.0.0.1", 9092),))


def broker_config(waivers: Waivers = NO_WAIVERS, /, **settings: object) -> BrokerConfig:
    """A config with ``num_partitions=3`` for ``num.partitions=3``."""
    names = {name: name.replace("_", ".") for name in settings}
    return BrokerConfig(
        {names[name]: Setting(names[name], str(value), Origin.FLAG, "test") for name, value in settings.items()},
        waivers=waivers,
    )


class FakeReplicas:
    """Remembers what is served: (topic, index) -> (topic id, leader epoch)."""

    def __init__(self) -> None:
        self.served: dict[tuple[str, int], tuple[bytes, int]] = {}
        self.configs: dict[str, LogConfig] = {}
        self.offline: set[tuple[str, int]] = set()
        self.broken: set[tuple[str, int]] = set()  # logs that cannot be made or renamed
        self.discarded: list[tuple[str, int, bytes]] = []
        self.log: list[str] = []
        self.workers = WorkerThreads()

    async def become_leaders(
        self, topic: TopicImage, indexes: Iterable[int], config: LogConfig, *, is_new: bool
    ) -> None:
        await trio.lowlevel.checkpoint()
        self.configs[topic.name] = config
        for index in indexes:
            self.log.append(f"{'make' if is_new else 'open'} {topic.name}-{index}")
            if (topic.name, index) in self.broken:
                self.offline.add((topic.name, index))
            else:
                self.served[topic.name, index] = (topic.topic_id, topic.partitions[index].leader_epoch)

    def is_offline(self, topic: str, index: int) -> bool:
        return (topic, index) in self.offline

    async def stop(self, topic: str, index: int, *, delete: bool) -> bool:
        await trio.lowlevel.checkpoint()
        self.log.append(f"{'delete' if delete else 'stop'} {topic}-{index}")
        self.served.pop((topic, index), None)
        self.offline.discard((topic, index))
        return (topic, index) not in self.broken

    async def discard(self, topic: str, index: int, topic_id: bytes) -> None:
        await trio.lowlevel.checkpoint()
        self.discarded.append((topic, index, topic_id))

    async def forget_deleted(self) -> None:
        """Deleted partitions leave no lines."""

    def topics(self) -> tuple[str, ...]:
        return tuple({topic for topic, _ in self.served})

    def reconfigure(self, topic: str, config: LogConfig) -> None:
        self.configs[topic] = config


class OtherController(Controller):
    """The administration of a broker that is not the controller: every change fails the test."""

    completes_later = True

    def __init__(self) -> None:
        pass

    @property
    def is_active(self) -> bool:
        return False


class ControllerHarness:
    """A running controller and all it speaks to."""

    def __init__(self, directory: Path, config: BrokerConfig) -> None:
        directory.mkdir(exist_ok=True)
        self.files = FaultyFiles()
        self.store = EmbeddedStore.open([directory], self.files)
        self.cache = MetadataCache(self.store.image)
        self.config = DynamicConfig(config)
        follow_broker_configs(self.cache, self.config)
        self.replicas = FakeReplicas()
        numbers = count(1)
        self.controller = Controller(
            store=self.store,
            cache=self.cache,
            replicas=self.replicas,
            config=self.config,
            new_topic_id=lambda: topic_id(next(numbers) + 1000 * self.store.version),
        )

    @property
    def image(self) -> ClusterImage:
        return self.cache.image

    def context(self, request_class: type[Message], version: int, **connection: Any) -> RequestContext:
        """The context of a request of this class and version."""
        services = Services(
            node_id=BROKER.node_id,
            config=self.config,
            metadata=self.cache,
            administration=self.controller,
            replicas=cast(ReplicaManager, self.replicas),
            fetch_sessions=FetchSessionCache(1),
            groups=cast(GroupCoordinator, None),  # topics and settings ask it for nothing
            markers=cast(TxnMarkerWriter, None),
            transactions=cast(TransactionCoordinator, None),
            txn_verifier=cast(TransactionCoordinator, None),
            routes=RouteTable(),
        )
        context = RequestContext(services, **{"routes": services.routes} | connection)
        context.api_key, context.version = request_class.API_KEY, version
        return context


@asynccontextmanager
async def controller_harness(
    directory: Path,
    *,
    broker: BrokerImage = BROKER,
    clean: bool = True,
    waivers: Waivers = NO_WAIVERS,
    **settings: object,
) -> AsyncIterator[ControllerHarness]:
    """Start a controller on what *directory* holds; leaving is a crash, nothing is written any more."""
    made = ControllerHarness(directory, broker_config(waivers, **settings))
    await made.controller.start(BROKER, "the-cluster", clean=clean)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(made.controller.run)
        yield made
        nursery.cancel_scope.cancel()
    made.store.close()
