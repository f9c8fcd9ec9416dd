"""ControllerWatches: what the active controller watches in ZooKeeper, and the event that each change calls for."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import trio

from wirebroker.kafka_controller.data_watches import DataWatches
from wirebroker.zookeeper.watches import follow_children, follow_data
from wirebroker.zookeeper.znodes.admin import DELETE_TOPICS_PATH, PREFERRED_ELECTION_PATH, REASSIGN_PARTITIONS_PATH
from wirebroker.zookeeper.znodes.brokers import BROKER_IDS_PATH, broker_path
from wirebroker.zookeeper.znodes.notifications import ISR_CHANGES_PATH, LOG_DIR_EVENTS_PATH
from wirebroker.zookeeper.znodes.topics import TOPICS_PATH, topic_path

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.kafka_controller.kafka_controller import KafkaController
    from wirebroker.zookeeper.operations import Znode
    from wirebroker.zookeeper.session import Session


class ControllerWatches:
    """The watches of one term after the other.

    Args:
        session: The broker's session.
        controller: Gets the events.
    """

    def __init__(self, session: Session, controller: KafkaController) -> None:
        self._session = session
        self._children: dict[str, Callable[[], None]] = {
            BROKER_IDS_PATH: controller.brokers_changed,
            TOPICS_PATH: controller.topics_changed,
            DELETE_TOPICS_PATH: controller.deletions_changed,
            ISR_CHANGES_PATH: controller.isrs_changed,
            LOG_DIR_EVENTS_PATH: controller.log_dirs_failed,
        }
        self._data: dict[str, Callable[[], None]] = {
            REASSIGN_PARTITIONS_PATH: controller.reassignment_requested,
            PREFERRED_ELECTION_PATH: controller.preferred_election_requested,
        }
        self.topics = DataWatches(session, topic_path, lambda topic: controller.partitions_modified(topic))
        self.brokers = DataWatches(
            session, lambda name: broker_path(int(name)), lambda name: controller.broker_modified(int(name))
        )
        self._is_ready = False
        """Whether the failover is done; before, it reads what has changed."""

    def clear(self) -> None:
        """Forget topics and brokers at the end of a term."""
        self.topics.clear()
        self.brokers.clear()
        self._is_ready = False

    def put_all(self) -> None:
        """Put an event for all that may have changed during the failover, and from now on for each change."""
        self._is_ready = True
        for put in (*self._children.values(), *self._data.values()):
            put()

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Watch until cancelled; started when all watches are set."""
        async with trio.open_nursery() as nursery:
            await nursery.start(self.topics.run)
            await nursery.start(self.brokers.run)
            for path, put in self._children.items():
                await nursery.start(follow_children, self._session, path, partial(self._children_changed, put))
            for path, put in self._data.items():
                await nursery.start(follow_data, self._session, path, partial(self._data_changed, put))
            task_status.started()

    async def _children_changed(self, put: Callable[[], None], _: list[str]) -> None:
        if self._is_ready:
            put()

    async def _data_changed(self, put: Callable[[], None], znode: Znode | None) -> None:
        if self._is_ready and znode is not None:
            put()
