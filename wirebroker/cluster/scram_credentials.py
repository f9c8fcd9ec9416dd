"""UserScramCredentials: the SCRAM credentials of users in ZooKeeper, by which Apache Kafka's brokers check clients.

No listener of wirebroker authenticates clients, so they are read and written for requests about them only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import trio

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.zookeeper.errors import BadVersion
from wirebroker.zookeeper.znodes.configs import USERS, ConfigEntity, desanitize, sanitize
from wirebroker.zookeeper.znodes.scram import ScramCredential, ScramMechanism

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from wirebroker.cluster.config_store import ConfigStore
    from wirebroker.controller.event_queue import EventQueue

_LONGEST_READ_S: Final = 10.0


class ScramChange(NamedTuple):
    """The credentials of one user to set and to delete."""

    upserted: Mapping[ScramMechanism, ScramCredential]
    deleted: Collection[ScramMechanism]


class UserScramCredentials:
    """Reads and writes credentials.

    Args:
        store: Where the settings of users are.
        queue: Runs the changes of these settings, of which quotas are others, one after the other.
    """

    def __init__(self, store: ConfigStore, queue: EventQueue) -> None:
        self._store = store
        self._queue = queue

    async def read(self, users: Collection[str] | None) -> dict[str, dict[ScramMechanism, str]]:
        """Return user -> mechanism -> encoded credential of *users*, or of all users if it is None.

        Raises:
            ApiError: REQUEST_TIMED_OUT, as ZooKeeper does not answer.
        """
        with trio.move_on_after(_LONGEST_READ_S):
            if users is None:
                entities = await self._store.entities_of(USERS)
                users = [desanitize(each.name) for each in entities]
            else:
                entities = [ConfigEntity(USERS, sanitize(user)) for user in users]
            found = await self._store.read_many(entities)
            return {user: _credentials(settings) for user, settings in zip(users, found, strict=True)}
        raise ApiError(ErrorCode.REQUEST_TIMED_OUT, "ZooKeeper does not answer")

    async def alter(self, user: str, change: ScramChange) -> None:
        """Make *change*, and announce it to all brokers.

        Raises:
            ApiError: RESOURCE_NOT_FOUND, and nothing is changed, if a credential to delete does not exist;
                REQUEST_TIMED_OUT if ZooKeeper does not answer.
        """
        await self._queue.run_and_wait(lambda: self._alter(user, change))

    async def _alter(self, user: str, change: ScramChange) -> None:
        entity = ConfigEntity(USERS, sanitize(user))
        encoded = {mechanism.setting: each.encode() for mechanism, each in change.upserted.items()}
        while True:
            settings, version = (await self._store.read_in_time([entity]))[entity]
            for mechanism in change.deleted:
                if settings.pop(mechanism.setting, None) is None:
                    what = "Attempt to delete a user credential that does not exist"
                    raise ApiError(ErrorCode.RESOURCE_NOT_FOUND, what)
            try:
                await self._store.write_in_time(entity, settings | encoded, version)
                return
            except BadVersion:  # another broker has changed credentials or quotas of the user
                continue


def _credentials(settings: Mapping[str, str]) -> dict[ScramMechanism, str]:
    return {each: settings[each.setting] for each in ScramMechanism if each.setting in settings}
