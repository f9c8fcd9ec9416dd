"""LeadershipGuard: requests wait while this broker knows no cluster, or may not lead its partitions any more.

A broker that has started serves nobody before its registration, as Apache Kafka's, and clients not before the first
UpdateMetadata of the controller either: the empty Metadata that Apache Kafka answers in these moments makes librdkafka
2.16 forget every broker.  A request that a controller sends before the registration is for the process before this one,
whose session has not expired: when it goes on, its broker epoch is an old one.

After a pause of the process, or the end of its session with ZooKeeper, other brokers may lead them, and coordinate the
groups and transactions.  A session that lives settles that: the registration is still there, with its epoch.  After a
new registration the controller has to speak first, as it takes the broker for one that was restarted: its LeaderAndIsr
says what this broker leads from now on.  `zookeeper/doubt.py` notices pauses.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import trio

from wirebroker.protocol.api import ApiKey
from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.zookeeper.doubt import LeadershipDoubt
from wirebroker.zookeeper.operations import SessionState
from wirebroker.zookeeper.registration import NO_EPOCH

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from wirebroker.zookeeper.operations import SessionEvent
    from wirebroker.zookeeper.registration import BrokerRegistration
    from wirebroker.zookeeper.session import Session

    Handler = Callable[[Any, Any], Awaitable[Any]]

_OF_THE_CONTROLLER: Final = frozenset({ApiKey.LEADER_AND_ISR, ApiKey.STOP_REPLICA, ApiKey.UPDATE_METADATA})
_LONGEST_WAIT_S: Final = 10.0
"""After that the connection is closed, and the client asks another broker."""


class LeadershipGuard:
    """Wraps handlers for `RouteTable.guard`; `run` is to be started.

    Args:
        session: that of the registration.
        registration: of this broker.
        leads_any: whether this broker believes to lead a partition.
    """

    def __init__(self, session: Session, registration: BrokerRegistration, leads_any: Callable[[], bool]) -> None:
        self._registration, self._leads_any = registration, leads_any
        self._obeyed_epoch = NO_EPOCH
        """The newest broker epoch for which the controller has sent LeaderAndIsr."""
        self._knows_cluster = trio.Event()
        self._is_told = False
        """Whether that event has come, which each request asks for."""
        self._doubt = LeadershipDoubt(lambda: session.timeout_s / 2, self._confirm)
        session.subscribe(self._on_session)

    async def run(self) -> None:
        """Notice pauses, and confirm leadership after each, until cancelled."""
        await self._doubt.run()

    def is_settled(self) -> bool:
        """Return whether requests, but for those of the controller, have nothing to wait for."""
        return self._is_told and not self._doubt.is_in_doubt

    def __call__(self, api_key: int, handler: Handler) -> Handler:
        """Return *handler* as it is to be called: behind what it has to wait for."""
        if api_key in _OF_THE_CONTROLLER:
            return partial(self._obey, api_key, handler)
        doubt, knows_cluster = self._doubt, self._knows_cluster

        async def handle_if_settled(context: Any, request: Any) -> Any:
            if doubt.is_in_doubt or not knows_cluster.is_set():
                await self._wait_settled()
            return await handler(context, request)

        return handle_if_settled

    async def _obey(self, api_key: int, handler: Handler, context: Any, request: Any) -> Any:
        """Handle a request of the controller once this broker is registered, and note what it has settled."""
        if not self._registration.registered.is_set():
            with _time_limit("this broker was not registered"):
                await self._registration.registered.wait()
        response = await handler(context, request)
        if response.error_code:
            return response
        if api_key == ApiKey.UPDATE_METADATA:
            self._knows_cluster.set()
            self._is_told = True
        elif api_key == ApiKey.LEADER_AND_ISR:
            # the controller may know of the registration before this broker has the answer
            named = request.broker_epoch != NO_EPOCH
            self._obeyed_epoch = request.broker_epoch if named else self._registration.broker_epoch
        return response

    async def _wait_settled(self) -> None:
        with _time_limit("the controller has said nothing to this broker"):
            await self._knows_cluster.wait()
        with _time_limit("leadership is in doubt, and was not confirmed"):
            await self._doubt.wait_settled()

    async def _confirm(self) -> bool:
        """Return whether the registration is there, and the controller has spoken since it was made anew."""
        registration = self._registration
        if not await registration.is_still_there():
            return False
        has_spoken = self._obeyed_epoch == registration.broker_epoch
        return has_spoken or not registration.is_renewed or not self._leads_any()

    def _on_session(self, event: SessionEvent) -> None:
        if event.state is SessionState.EXPIRED:
            self._doubt.begin("the session with ZooKeeper has expired")


@contextmanager
def _time_limit(reason: str) -> Iterator[None]:
    """Limit a wait; raises ProtocolError with *reason* when it is over."""
    with trio.move_on_after(_LONGEST_WAIT_S) as scope:
        yield
    if scope.cancelled_caught:
        raise ProtocolError(f"{reason} in {_LONGEST_WAIT_S:.0f} s")
