"""ClusterMode: a broker of a cluster with ZooKeeper, which runs for controller like every other member.

Imported only with `zookeeper.connect`.  The order is Apache Kafka's: session, identity, settings, logs, listeners, and
then the registration, upon which the controller sends what this broker leads and follows.
"""

from __future__ import annotations

import socket
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import trio

from wirebroker.cluster_member.coordinator_topics import CoordinatorTopics
from wirebroker.cluster_member.member import Member
from wirebroker.cluster_member.member_services import MemberServices, build_member_services
from wirebroker.cluster_member.member_storage import MemberStorage, open_storage
from wirebroker.config.section import Section
from wirebroker.startup import StartupError
from wirebroker.zookeeper.connect_string import parse_connect_string
from wirebroker.zookeeper.connection import ZooKeeperSettings, ZooKeeperUnreachable, open_zookeeper
from wirebroker.zookeeper.controller_watch import ControllerWatch
from wirebroker.zookeeper.errors import CorruptZnode, ZooKeeperError
from wirebroker.zookeeper.registration import DuplicateBrokerId

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from wirebroker.config.server import BrokerConfig
    from wirebroker.handlers.context import Services
    from wirebroker.metadata.image import ListenerEndpoint
    from wirebroker.storage.files import Files
    from wirebroker.storage.log_manager import LogManager
    from wirebroker.zookeeper.session import Session


class ZooKeeperConfig(Section):
    """The config keys of the connection to ZooKeeper."""

    zookeeper_connect: str
    zookeeper_connection_timeout_ms: int | None
    zookeeper_max_in_flight_requests: int
    zookeeper_session_timeout_ms: int

    FIELDS = __slots__ = tuple(__annotations__)


@asynccontextmanager
async def open_cluster_mode(config: BrokerConfig, stop: trio.Event) -> AsyncIterator[ClusterMode]:
    """Begin a session with ZooKeeper, and end it on exit: the registration of this broker ends with it.

    There may be no session yet if *stop* is set.

    Raises:
        StartupError: there is no session in time.
    """
    zookeeper_config = ZooKeeperConfig(config.value)
    timeout_ms = zookeeper_config.zookeeper_connection_timeout_ms
    settings = ZooKeeperSettings(
        parse_connect_string(zookeeper_config.zookeeper_connect),
        zookeeper_config.zookeeper_session_timeout_ms / 1000,
        (zookeeper_config.zookeeper_session_timeout_ms if timeout_ms is None else timeout_ms) / 1000,
        zookeeper_config.zookeeper_max_in_flight_requests,
    )
    try:
        async with open_zookeeper(settings, stop) as session:
            yield ClusterMode(config, session)
    except* (ZooKeeperUnreachable, DuplicateBrokerId) as faults:
        raise StartupError(str(_first(faults))) from None


def _first(group: BaseExceptionGroup[Exception]) -> BaseException:
    """Return the first exception in *group* that is no group itself."""
    first: BaseException = group
    while isinstance(first, BaseExceptionGroup):
        first = first.exceptions[0]
    return first


class ClusterMode:
    """The mode of a broker with `zookeeper.connect`; see `composition.Mode`."""

    def __init__(self, config: BrokerConfig, session: Session, files: Files | None = None) -> None:
        """Nothing is read yet; *files* are how to reach the disk, the operating system's if None."""
        self.config = config
        self._session, self._files = session, files
        self._controller_watch = ControllerWatch(session, self._controller_changed)
        self._storage: MemberStorage | None = None
        self._member: Member | None = None
        self._rooms: MemberServices | None = None
        self._background: trio.Nursery | None = None

    @property
    def default_host(self) -> str:
        """The name under which other hosts reach a listener without a host."""
        return socket.getfqdn()

    @property
    def broker_epoch(self) -> int:
        """The czxid of this broker's registration, -1 before the first."""
        return -1 if self._member is None else self._member.broker_epoch()

    async def open_storage(self, should_stop: Callable[[], bool]) -> LogManager | None:
        """Find out who this broker is in which cluster, read the settings of ZooKeeper, and load every log."""
        storage = await open_storage(self.config, self._session, should_stop, self._files)
        if storage is None:
            return None
        self._storage, self.config = storage, storage.config
        return storage.log_manager

    async def build_services(self, endpoints: tuple[ListenerEndpoint, ...], on_failure: Callable[[], None]) -> Services:
        """Build what handlers use; no partition is served before the controller says so."""
        assert self._storage is not None
        member = Member(self.config, self._session, self._storage.metadata, self._controller_watch)
        self._member = member
        self._rooms = build_member_services(member, self._storage.log_manager, endpoints, on_failure)
        services = self._rooms.services
        topics = CoordinatorTopics(self._session, member.metadata, (services.groups, services.transactions))
        try:
            await topics.fix_partition_counts()
        except (CorruptZnode, ZooKeeperError) as fault:
            raise StartupError(str(fault)) from fault
        member.tasks.add_repeatable("topics of coordinators", topics.run)
        member.tasks.add_repeatable("controller watch", self._controller_watch.run)
        return services

    def _controller_changed(self, controller_id: int) -> None:
        if self._rooms is not None:
            self._rooms.controller.controller_changed(controller_id)

    def start_tasks(self, background: trio.Nursery) -> None:
        """Start fetchers, and the tasks that follow controller and settings."""
        assert self._member is not None
        self._background = background
        self._member.tasks.start(background)

    async def join(self) -> None:
        """Register this broker, upon which the controller sends its partitions, and mark its directories."""
        assert self._rooms is not None
        assert self._background is not None
        assert self._storage is not None
        try:
            await self._rooms.registration.register()
        except DuplicateBrokerId as fault:
            raise StartupError(str(fault)) from fault
        self._background.start_soon(self._rooms.registration.run)
        self._background.start_soon(self._rooms.controller.run)
        await trio.to_thread.run_sync(self._storage.mark_directories)

    async def leave(self) -> None:
        """Have the controller move the leaders away, if it knows this broker."""
        if self._rooms is not None and self._rooms.registration.registered.is_set():
            self._rooms.replica_states.is_shutting_down = True
            await self._rooms.shutdown.run()

    def close(self) -> None:
        """Close nothing: the session ends when the logs are closed."""
