"""ConfigStore: reads, writes and follows the settings of topics, brokers and clients in ZooKeeper.

A change is written to the bearer's znode, and announced by a sequential child of /config/changes, which every broker
follows.  New topics are not announced: their settings are there before the topic is.  A change begins with a read, and
is written only if the znode still has the version that was read, so that no change of another broker is lost.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final, NamedTuple

import trio

from wirebroker.clock import now_ms
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.zookeeper.cluster_znodes import create_with_parents
from wirebroker.zookeeper.errors import BadVersion, CorruptZnode, NoNode, ZooKeeperError
from wirebroker.zookeeper.operations import CreateMode, SessionState
from wirebroker.zookeeper.watches import follow_children
from wirebroker.zookeeper.znodes import configs
from wirebroker.zookeeper.znodes.configs import ConfigEntity

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from wirebroker.zookeeper.operations import SessionEvent
    from wirebroker.zookeeper.session import Session

log = logging.getLogger(__name__)

_READS_AT_ONCE: Final = 100
_LONGEST_READ_S: Final = 10.0
_LONGEST_WRITE_S: Final = 10.0
_CHANGE_EXPIRATION_MS: Final = 15 * 60 * 1000
"""How long an announcement is kept, as in Kafka: brokers that were away for longer read everything."""


class VersionedConfig(NamedTuple):
    """The settings of an entity, and the version of its znode."""

    settings: dict[str, str]
    version: int | None
    """None without a znode."""


class ConfigStore:
    """The settings in ZooKeeper.

    Args:
        session: connected or not; everything here waits for a connection.
        broker_id: this broker; of brokers only its settings, and those of all of them, are read.
    """

    def __init__(self, session: Session, broker_id: int) -> None:
        self._session = session
        self._broker_id = broker_id
        self._last_change = -1
        self._was_away = False
        session.subscribe(self._on_session)

    async def read(self, entity: ConfigEntity) -> dict[str, str]:
        """Return the settings of *entity*; none if its znode does not exist, or is corrupt, which is logged."""
        return (await self.read_versioned(entity)).settings

    async def read_versioned(self, entity: ConfigEntity) -> VersionedConfig:
        """Return the settings of *entity* as `read` does, with the version of the znode."""
        try:
            znode = await self._session.retry(lambda: self._session.client.get(entity.path))
        except NoNode:
            return VersionedConfig({}, None)
        try:
            return VersionedConfig(configs.decode_config(entity.path, znode.data), znode.stat.version)
        except CorruptZnode as fault:
            log.error("%s; its settings are ignored, set them again with kafka-configs", fault)
            return VersionedConfig({}, znode.stat.version)

    async def read_many(self, entities: Sequence[ConfigEntity]) -> list[dict[str, str]]:
        """Return the settings of each of *entities*, in order."""
        found: list[dict[str, str]] = []
        for first in range(0, len(entities), _READS_AT_ONCE):
            some = await self._read_at_once(entities[first : first + _READS_AT_ONCE])
            found += [each.settings for each in some]
        return found

    async def read_in_time(self, entities: Sequence[ConfigEntity]) -> dict[ConfigEntity, VersionedConfig]:
        """Return the settings of each of *entities*; for a client that waits for them.

        Raises:
            ApiError: REQUEST_TIMED_OUT, as ZooKeeper does not answer.
        """
        found: dict[ConfigEntity, VersionedConfig] = {}
        for first in range(0, len(entities), _READS_AT_ONCE):
            some = entities[first : first + _READS_AT_ONCE]
            with trio.move_on_after(_LONGEST_READ_S) as reading:
                found |= zip(some, await self._read_at_once(some), strict=True)
            if reading.cancelled_caught:
                raise ApiError(ErrorCode.REQUEST_TIMED_OUT, "ZooKeeper does not answer")
        return found

    async def _read_at_once(self, entities: Sequence[ConfigEntity]) -> list[VersionedConfig]:
        found = [VersionedConfig({}, None)] * len(entities)

        async def read_one(at: int) -> None:
            found[at] = await self.read_versioned(entities[at])

        async with trio.open_nursery() as nursery:
            for at in range(len(entities)):
                nursery.start_soon(read_one, at)
        return found

    async def entities(self) -> list[ConfigEntity]:
        """Return every bearer of settings that matters to this broker."""
        brokers = [ConfigEntity(configs.BROKERS, name) for name in (str(self._broker_id), configs.DEFAULT_ENTITY)]
        found = [*brokers, *await self.entities_of(configs.TOPICS)]
        found += [*await self.entities_of(configs.CLIENTS), *await self.entities_of(configs.IPS)]
        for user in await self.entities_of(configs.USERS):
            clients = await self._children(f"{user.path}/{configs.CLIENTS}")
            found += [user, *(user._replace(client=client) for client in clients)]
        return found

    async def entities_of(self, entity_type: str) -> list[ConfigEntity]:
        """Return every bearer of settings of a type, by name; pairs of user and client id are left out."""
        return [ConfigEntity(entity_type, name) for name in await self._children(configs.entity_type_path(entity_type))]

    async def _children(self, path: str) -> list[str]:
        try:
            return sorted(await self._session.retry(lambda: self._session.client.children(path)))
        except NoNode:
            return []

    async def write(self, entity: ConfigEntity, settings: Mapping[str, str], version: int | None) -> None:
        """Replace the settings of *entity*, and announce that; waits for a connection.

        Args:
            entity: The bearer of the settings.
            settings: All its settings.
            version: The version of the znode that is replaced; None if there must be none.

        Raises:
            BadVersion: the znode has another version, and nothing was written.
        """
        data = configs.encode_config(settings)
        # an attempt whose answer was lost may have written it
        if not await self._replace(entity.path, data, version) and not await self._has(entity.path, data):
            raise BadVersion(entity.path)
        client, change = self._session.client, configs.encode_config_change(entity)
        prefix, mode = configs.CONFIG_CHANGE_PREFIX, CreateMode.PERSISTENT_SEQUENTIAL
        await self._session.retry(lambda: client.create(prefix, change, mode))

    async def _replace(self, path: str, data: bytes, version: int | None) -> bool:
        """Write *data* if the znode has *version*; False if not."""
        if version is None:
            return await create_with_parents(self._session, path, data)
        try:
            await self._session.retry(lambda: self._session.client.set(path, data, version))
        except (BadVersion, NoNode):
            return False
        return True

    async def _has(self, path: str, data: bytes) -> bool:
        try:
            return (await self._session.retry(lambda: self._session.client.get(path))).data == data
        except NoNode:
            return False

    async def write_in_time(self, entity: ConfigEntity, settings: Mapping[str, str], version: int | None) -> None:
        """Replace the settings of *entity* as `write` does; for a client that waits for it.

        Raises:
            BadVersion: the znode has another version, and nothing was written.
            ApiError: ZooKeeper refuses the settings, or does not answer.
        """
        reason = "ZooKeeper does not answer"
        try:
            with trio.move_on_after(_LONGEST_WRITE_S):
                await self.write(entity, settings, version)
                return
        except BadVersion:
            raise
        except ZooKeeperError as error:
            reason = str(error)
        log.warning("settings may not have been written: %s; the client has to try again", reason)
        raise ApiError(ErrorCode.REQUEST_TIMED_OUT, f"the settings may not have been written: {reason}")

    async def follow(
        self,
        changed: Callable[[Sequence[ConfigEntity]], Awaitable[None]],
        task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        """Call *changed* with the bearers of changed settings until cancelled; some may not have changed."""

        async def handle(names: list[str]) -> None:
            if self._was_away:
                self._was_away = False
                await changed(await self.entities())
            new = [name for name in names if _number(name) > self._last_change]
            entities: list[ConfigEntity] = []
            for name in new:
                entity = await self._announced(f"{configs.CONFIG_CHANGES_PATH}/{name}")
                if entity is not None and entity not in entities:
                    entities.append(entity)
            if entities:
                await changed(entities)
            if new:
                self._last_change = max(map(_number, new))
                await self._purge(names)

        await follow_children(self._session, configs.CONFIG_CHANGES_PATH, handle, task_status)

    async def _announced(self, path: str) -> ConfigEntity | None:
        try:
            znode = await self._session.retry(lambda: self._session.client.get(path))
            return configs.decode_config_change(path, znode.data)
        except NoNode:  # expired
            return None
        except CorruptZnode as fault:
            log.error("%s; the change that it announces is ignored until this broker starts again", fault)
            return None

    async def _purge(self, names: Sequence[str]) -> None:
        """Delete announcements that are older than any broker needs."""
        for name in sorted(names, key=_number):
            path = f"{configs.CONFIG_CHANGES_PATH}/{name}"
            try:
                stat = await self._session.client.exists(path)
                if stat is not None and now_ms() - stat.ctime_ms < _CHANGE_EXPIRATION_MS:
                    return
                await self._session.client.delete(path)
            except NoNode:
                continue  # another broker was faster
            except ZooKeeperError:
                return  # the next change is followed by another attempt

    def _on_session(self, event: SessionEvent) -> None:
        if event.state is SessionState.EXPIRED:
            self._was_away = True


def _number(name: str) -> int:
    """Return the number that ZooKeeper has given a sequential znode; -1 for a name without one."""
    digits = name[-10:]
    return int(digits) if digits.isdecimal() else -1
