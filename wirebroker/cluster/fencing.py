"""ControllerFence: the epochs of controller and broker that a request of the controller must have; pure.

Facts: KIP-380 (broker epochs) and the checks of Apache Kafka's KafkaApis and ReplicaManager.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.protocol.errors import ErrorCode

if TYPE_CHECKING:
    from collections.abc import Callable

UNKNOWN_BROKER_EPOCH: Final = -1
"""In requests of an inter.broker.protocol.version before 2.2."""


class ControllerFence:
    """Refuses requests of a controller that was replaced, and requests for an earlier registration of this broker.

    Args:
        broker_epoch: Returns the czxid of this broker's present registration.
    """

    def __init__(self, broker_epoch: Callable[[], int]) -> None:
        self.controller_epoch = 0
        """The highest controller epoch of any request; 0 before the first."""
        self._broker_epoch = broker_epoch

    @property
    def broker_epoch(self) -> int:
        """The czxid of this broker's present registration."""
        return self._broker_epoch()

    def check(self, controller_epoch: int, broker_epoch: int) -> ErrorCode:
        """Return STALE_BROKER_EPOCH, STALE_CONTROLLER_EPOCH, or NONE for a request with these epochs.

        A broker epoch above ours is accepted: the controller may see a new registration before this broker does.
        """
        if broker_epoch != UNKNOWN_BROKER_EPOCH and broker_epoch < self._broker_epoch():
            return ErrorCode.STALE_BROKER_EPOCH
        if controller_epoch < self.controller_epoch:
            return ErrorCode.STALE_CONTROLLER_EPOCH
        self.controller_epoch = controller_epoch
        return ErrorCode.NONE
