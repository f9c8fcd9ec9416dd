"""Member: settings, session, metadata, address of the controller, and tasks that the parts of a member share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.composition import keep_running
from wirebroker.config.section import Section
from wirebroker.model import BrokerEndpoint

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    import trio

    from wirebroker.config.server import BrokerConfig
    from wirebroker.metadata.cache import MetadataCache
    from wirebroker.zookeeper.controller_watch import ControllerWatch
    from wirebroker.zookeeper.registration import BrokerRegistration
    from wirebroker.zookeeper.session import Session


class MemberConfig(Section):
    """The config keys of generated broker ids, and of followers that lag."""

    broker_id_generation_enable: bool
    replica_lag_time_max_ms: int
    replica_selector_class: str | None
    replication_quota_window_num: int
    replication_quota_window_size_seconds: int
    request_timeout_ms: int
    reserved_broker_max_id: int

    FIELDS = __slots__ = tuple(__annotations__)


class MemberTasks:
    """The background tasks of a member, to be started together."""

    def __init__(self) -> None:
        self._tasks: list[Callable[[], Awaitable[None]]] = []
        self._repeatable: dict[str, Callable[[], Awaitable[None]]] = {}

    def add(self, *tasks: Callable[[], Awaitable[None]]) -> None:
        """Add tasks whose errors end the broker."""
        self._tasks += tasks

    def add_repeatable(self, name: str, task: Callable[[], Awaitable[None]]) -> None:
        """Add a task that starts again after an error."""
        self._repeatable[name] = task

    def start(self, background: trio.Nursery) -> None:
        """Start all of them in *background*."""
        for task in self._tasks:
            background.start_soon(task)
        for name, repeatable in self._repeatable.items():
            background.start_soon(keep_running, name, repeatable)


class Member:
    """One broker of the cluster.

    Args:
        config: Its settings, with its broker id.
        session: Its session with ZooKeeper.
        metadata: The image that the controller tells it.
        controller_watch: Follows the id of the active controller.
    """

    def __init__(
        self, config: BrokerConfig, session: Session, metadata: MetadataCache, controller_watch: ControllerWatch
    ) -> None:
        self.config, self.session, self.metadata = config, session, metadata
        self.member_config = MemberConfig(config.value)
        self.tasks = MemberTasks()
        self.registration: BrokerRegistration | None = None
        self._controller_watch = controller_watch

    @property
    def node_id(self) -> int:
        """The id of this broker."""
        return self.config.node_id

    def broker_epoch(self) -> int:
        """Return the czxid of this broker's registration, -1 before the first."""
        return -1 if self.registration is None else self.registration.broker_epoch

    def find_controller(self) -> BrokerEndpoint | None:
        """Return the address of the controller for other brokers, None if there is none now."""
        return self._controller_endpoint(self.config.inter_broker_listener)

    def find_control_plane(self) -> BrokerEndpoint | None:
        """Return the address of the controller on the listener that it serves such requests on, as Kafka does."""
        return self._controller_endpoint(self.config.control_plane_listener or self.config.inter_broker_listener)

    def _controller_endpoint(self, listener: str) -> BrokerEndpoint | None:
        broker = self.metadata.image.brokers.get(self._controller_watch.controller_id)
        endpoint = None if broker is None else broker.endpoint(listener)
        if broker is None or endpoint is None:
            return None
        return BrokerEndpoint(broker.node_id, endpoint.host, endpoint.port)
