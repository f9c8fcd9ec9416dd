"""LeadershipGuard: requests wait while it is in doubt whether this broker still leads its partitions.

After a pause of the process, or the end of its session with ZooKeeper, other brokers may lead them, and coordinate the
groups and transactions.  A session that lives settles that: the registration is still there, with its epoch.  After a
new registration the controller has to speak first, as it takes the broker for one that was restarted: its LeaderAndIsr
says what this broker leads from now on.  `zookeeper/doubt.py` notices pauses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import trio

from wirebroker.protocol.api import ApiKey
from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.zookeeper.doubt import LeadershipDoubt
from wirebroker.zookeeper.operations import SessionState
from wirebroker.zookeeper.registration import NO_EPOCH

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

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
        self._doubt = LeadershipDoubt(lambda: session.timeout_s / 2, self._confirm)
        session.subscribe(self._on_session)

    async def run(self) -> None:
        """Notice pauses, and confirm leadership after each, until cancelled."""
        await self._doubt.run()

    def __call__(self, api_key: int, handler: Handler) -> Handler:
        """Return *handler* as it is to be called: behind the end of the doubt, unless the controller asks."""
        if api_key == ApiKey.LEADER_AND_ISR:

            async def handle_and_note(context: Any, request: Any) -> Any:
                response = await handler(context, request)
                if not response.error_code:
                    # the controller may know of the registration before this broker has the answer
                    named = request.broker_epoch != NO_EPOCH
                    self._obeyed_epoch = request.broker_epoch if named else self._registration.broker_epoch
                return response

            return handle_and_note
        if api_key in _OF_THE_CONTROLLER:
            return handler
        doubt = self._doubt

        async def handle_if_settled(context: Any, request: Any) -> Any:
            if doubt.is_in_doubt:
                await self._wait_settled()
            return await handler(context, request)

        return handle_if_settled

    async def _wait_settled(self) -> None:
        with trio.move_on_after(_LONGEST_WAIT_S):
            await self._doubt.wait_settled()
            return
        raise ProtocolError(f"leadership is in doubt, and was not confirmed in {_LONGEST_WAIT_S:.0f} s")

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
