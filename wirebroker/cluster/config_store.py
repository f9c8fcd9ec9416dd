"""ConfigStore: reads, writes and follows the settings of topics, brokers and clients in ZooKeeper.

A change is written to the bearer's znode, and announced by a sequential child of /config/changes, which every broker
follows.  New topics are not announced: their settings are there before the topic is.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

import trio

from wirebroker.clock import now_ms
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.zookeeper.cluster_znodes import create_with_parents
from wirebroker.zookeeper.errors import CorruptZnode, NoNode, ZooKeeperError
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
_LONGEST_WRITE_S: Final = 10.0
_CHANGE_EXPIRATION_MS: Final = 15 * 60 * 1000
"""How long an announcement is kept, as in Kafka: brokers that were away for longer read everything."""


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
        try:
            znode = await self._session.retry(lambda: self._session.client.get(entity.path))
            return configs.decode_config(entity.path, znode.data)
        except NoNode:
            return {}
        except CorruptZnode as fault:
            log.error("%s; its settings are ignored, set them again with kafka-configs", fault)
            return {}

    async def read_many(self, entities: Sequence[ConfigEntity]) -> list[dict[str, str]]:
        """Return the settings of each of *entities*, in order."""
        found: list[dict[str, str]] = [{} for _ in entities]

        async def read_one(at: int) -> None:
            found[at] = await self.read(entities[at])

        for first in range(0, len(entities), _READS_AT_ONCE):
            async with trio.open_nursery() as nursery:
                for at in range(first, min(first + _READS_AT_ONCE, len(entities))):
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

    async def write(self, entity: ConfigEntity, settings: Mapping[str, str]) -> None:
        """Replace the settings of *entity*, and announce that; waits for a connection."""
        client, data = self._session.client, configs.encode_config(settings)
        try:
            await self._session.retry(lambda: client.set(entity.path, data))
        except NoNode:
            await create_with_parents(self._session, entity.path)
            await self._session.retry(lambda: client.set(entity.path, data))
        change = configs.encode_config_change(entity)
        prefix, mode = configs.CONFIG_CHANGE_PREFIX, CreateMode.PERSISTENT_SEQUENTIAL
        await self._session.retry(lambda: client.create(prefix, change, mode))

    async def write_in_time(self, entity: ConfigEntity, settings: Mapping[str, str]) -> None:
        """Replace the settings of *entity*, and announce that; for a client that waits for it.

        Raises:
            ApiError: ZooKeeper refuses the settings, or does not answer.
        """
        reason = "ZooKeeper does not answer"
        try:
            with trio.move_on_after(_LONGEST_WRITE_S):
                await self.write(entity, settings)
                return
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
