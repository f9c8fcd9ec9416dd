"""AdminZkClient: topics as a broker that is not the controller changes them; the controller does the rest.

A new topic is the znode with its assignment: the controller elects leaders and tells all brokers.  A deletion is a
request, /admin/delete_topics/T.  More partitions are a changed assignment.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.zookeeper.errors import BadVersion, ConnectionLoss, NodeExists, NoNode, SessionExpired
from wirebroker.zookeeper.znodes.admin import delete_topic_path
from wirebroker.zookeeper.znodes.configs import TOPICS, ConfigEntity, encode_config
from wirebroker.zookeeper.znodes.topics import TOPICS_PATH, ReplicaAssignment, TopicAssignment, topic_path

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wirebroker.zookeeper.session import Session


class VersionedAssignment(NamedTuple):
    """The assignment of a topic, and the version of its znode."""

    assignment: TopicAssignment
    version: int


class AdminZkClient:
    """Creates, extends and deletes topics through their znodes.

    Arguments are checked by the caller: names, assignments and settings are valid.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    async def topics(self) -> list[str]:
        """Return the names of all topics, those that are being deleted among them."""
        return await self._session.retry(lambda: self._session.client.children(TOPICS_PATH))

    async def assignment(self, topic: str) -> VersionedAssignment | None:
        """Return the assignment of *topic*, None without such a topic.  Raises CorruptZnode."""
        try:
            znode = await self._session.retry(lambda: self._session.client.get(topic_path(topic)))
        except NoNode:
            return None
        return VersionedAssignment(TopicAssignment.decode(topic, znode.data), znode.stat.version)

    async def create_topic(
        self,
        topic: str,
        replicas: Mapping[int, tuple[int, ...]],
        settings: Mapping[str, str],
        topic_id: bytes | None,
    ) -> None:
        """Create a topic with the *replicas* of each partition; *topic_id* from inter-broker protocol 2.8 on.

        The settings are written first, so that every broker that hears of the topic finds them.

        Raises:
            ApiError: TOPIC_ALREADY_EXISTS, also for a topic that is being deleted.
        """
        client = self._session.client
        if await self.is_to_be_deleted(topic):
            raise ApiError(ErrorCode.TOPIC_ALREADY_EXISTS, f"Topic '{topic}' is marked for deletion.")
        if await self._session.retry(lambda: client.exists(topic_path(topic))) is not None:
            raise ApiError(ErrorCode.TOPIC_ALREADY_EXISTS, f"Topic '{topic}' already exists.")
        await self._write_settings(topic, settings)
        partitions = {number: ReplicaAssignment(each) for number, each in replicas.items()}
        data = TopicAssignment(topic, topic_id, partitions).encode()
        is_retried = False
        while True:
            try:
                await self._session.wait_connected()
                await client.create(topic_path(topic), data)
                return
            except (ConnectionLoss, SessionExpired):
                is_retried = True
            except NodeExists:
                # the first attempt may have created it, whose answer was lost
                if is_retried and await self._has(topic_path(topic), data):
                    return
                raise ApiError(ErrorCode.TOPIC_ALREADY_EXISTS, f"Topic '{topic}' already exists.") from None

    async def create_partitions(self, topic: str, replicas: Mapping[int, tuple[int, ...]]) -> None:
        """Add partitions to a topic, with the *replicas* of each new one; those that it has stay as they are.

        Raises:
            ApiError: UNKNOWN_TOPIC_OR_PARTITION; INVALID_PARTITIONS, if another client has added partitions meanwhile.
            CorruptZnode: the topic's znode is not what Kafka writes.
        """
        added = {number: ReplicaAssignment(each) for number, each in replicas.items()}
        while True:
            found = await self.assignment(topic)
            if found is None:
                raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"Topic '{topic}' does not exist.")
            present = found.assignment.partitions
            if all(present.get(number) == each for number, each in added.items()):
                return  # by an attempt whose answer was lost
            if min(added) != len(present):
                raise ApiError(ErrorCode.INVALID_PARTITIONS, f"Topic '{topic}' has {len(present)} partitions by now.")
            data = found.assignment._replace(partitions={**present, **added}).encode()
            try:
                # of that version only: a reassignment changes the znode, too
                await self._session.client.set(topic_path(topic), data, found.version)
                return
            except (BadVersion, ConnectionLoss, SessionExpired, NoNode):
                continue

    async def is_to_be_deleted(self, topic: str) -> bool:
        """Return whether the controller is asked to delete *topic*."""
        return await self._session.retry(lambda: self._session.client.exists(delete_topic_path(topic))) is not None

    async def delete_topic(self, topic: str) -> None:
        """Ask the controller to delete a topic; returns before it is deleted, also if that was asked before.

        Raises:
            ApiError: UNKNOWN_TOPIC_OR_PARTITION.
        """
        client = self._session.client
        if await self._session.retry(lambda: client.exists(topic_path(topic))) is None:
            raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"Topic '{topic}' to delete does not exist.")
        try:
            await self._session.retry(lambda: client.create(delete_topic_path(topic)))
        except NodeExists:
            pass

    async def _write_settings(self, topic: str, settings: Mapping[str, str]) -> None:
        client, path, data = self._session.client, ConfigEntity(TOPICS, topic).path, encode_config(settings)
        try:
            await self._session.retry(lambda: client.create(path, data))
        except NodeExists:
            await self._session.retry(lambda: client.set(path, data))

    async def _has(self, path: str, data: bytes) -> bool:
        try:
            return (await self._session.retry(lambda: self._session.client.get(path))).data == data
        except NoNode:
            return False
