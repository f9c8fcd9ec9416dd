"""EpochCheckedWrites: writes that take effect only while this broker is the controller.

Every write is a multi whose first operation checks the version of /controller_epoch, which the election of another
controller changes (KAFKA-5642).  So a controller that was replaced, and does not know that yet, changes nothing.

A request whose answer was lost is made again.  It then fails if the first one took effect, and each method finds out
by a read whether what is there was its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.kafka_controller.errors import ControllerMoved
from wirebroker.zookeeper.errors import ConnectionLoss, NodeExists, NoNode, SessionExpired, ZooKeeperError
from wirebroker.zookeeper.operations import ANY_VERSION, Check, Create, Delete, SetData
from wirebroker.zookeeper.znodes.cluster import CONTROLLER_EPOCH_PATH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wirebroker.zookeeper.operations import Operation, OperationResult
    from wirebroker.zookeeper.session import Session


class EpochCheckedWrites:
    """Operations on znodes by the controller; every method raises ControllerMoved if it is another one by now.

    Args:
        session: the broker's session.

    `epoch_zk_version` is the version of /controller_epoch as the election left it.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self.elected_session_id: int | None = None
        """The session in which this broker was elected: /controller ends with it."""

    async def multi(self, operations: Sequence[Operation], epoch_zk_version: int) -> list[OperationResult]:
        """Do all *operations* or none, and return their results.

        Raises:
            ConnectionLoss: nobody knows whether they took effect.
            ZooKeeperError: the error of the first one that fails, with its index among *operations*.
        """
        await self._session.wait_connected()
        self._check_session()
        check = Check(CONTROLLER_EPOCH_PATH, epoch_zk_version)
        try:
            _, *results = await self._session.client.multi([check, *operations])
        except SessionExpired:
            raise ControllerMoved("the session with ZooKeeper has expired, and /controller with it") from None
        except ZooKeeperError as error:
            if error.operation is None:
                raise
            if error.operation == 0:
                raise ControllerMoved(
                    f"{CONTROLLER_EPOCH_PATH} is not at version {epoch_zk_version}: another controller was elected"
                ) from error
            raise type(error)(error.path, operation=error.operation - 1) from None
        return results

    def _check_session(self) -> None:
        """Raise ControllerMoved if /controller is gone with the session that had it."""
        if self.elected_session_id not in (None, self._session.session_id):
            raise ControllerMoved("the session in which this broker was elected is over")

    async def create(self, path: str, data: bytes | None, epoch_zk_version: int) -> bool:
        """Create a persistent znode; False if it existed before."""
        is_repeated = False
        while True:
            try:
                await self.multi([Create(path, data)], epoch_zk_version)
            except ConnectionLoss:
                is_repeated = True
            except NodeExists:
                return is_repeated and (await self._session.retry(lambda: self._session.client.get(path))).data == data
            else:
                return True

    async def set(self, path: str, data: bytes | None, epoch_zk_version: int) -> int:
        """Replace the data of any version; return the new version."""
        while True:
            try:
                (stat,) = await self.multi([SetData(path, data, ANY_VERSION)], epoch_zk_version)
            except ConnectionLoss:
                continue
            assert stat is not None
            assert not isinstance(stat, str)
            return stat.version

    async def delete_all(self, paths: Sequence[str], epoch_zk_version: int) -> None:
        """Delete znodes in one multi, in order; those that do not exist are left out.

        Raises:
            NotEmpty: one has children; none of those that existed was deleted.
        """
        pending = list(paths)
        while pending:
            try:
                await self.multi([Delete(path) for path in pending], epoch_zk_version)
                return
            except ConnectionLoss:
                continue
            except NoNode as error:
                del pending[error.operation or 0]
