"""Operations that a controller is asked for by znodes, as the tools of 2.x write them, and the sign that they are done.

Each operation is on a topic of its own, whose replicas are on two brokers of which neither is the controller that is
killed.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Final

from kazoo.exceptions import NoNodeError

from compat_tests.conftest import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from kazoo.client import KazooClient

    from compat_tests.cluster.mixed_cluster import MixedCluster

FIRST, SECOND = 1, 2
"""The brokers that have replicas."""
WITHIN_S: Final = 120


class Operation(ABC):
    """One operation on one topic."""

    def __init__(self, cluster: MixedCluster, client: KazooClient, topic: str) -> None:
        self._cluster, self._client, self.topic = cluster, client, topic

    def note_kill(self) -> None:  # noqa: B027 - most operations need no note
        """Note what only the controller knew that has just been killed."""

    @abstractmethod
    def prepare(self) -> None:
        """Create what the operation is about, with a controller that lives."""

    @abstractmethod
    def ask(self) -> None:
        """Write the znode upon which the controller begins."""

    @abstractmethod
    def is_done(self) -> bool:
        """Whether ZooKeeper and the brokers are as they must be at the end."""

    def await_done(self, timeout_s: float = WITHIN_S) -> None:
        """Wait for the end.  Raises AssertionError with what ZooKeeper has, if it does not come."""
        try:
            wait_until(self.is_done, timeout_s)
        except AssertionError:
            raise AssertionError(f"{self.topic} is not done: {self.dump()}") from None

    # -- ZooKeeper

    def put(self, path: str, value: Any) -> None:
        """Create a znode, or replace its data."""
        data = json.dumps(value).encode()
        if self._client.exists(path):
            self._client.set(path, data)
        else:
            self._client.create(path, data)

    def read(self, path: str) -> Any:
        """The JSON of a znode, None if it does not exist."""
        try:
            return json.loads(self._client.get(path)[0])
        except NoNodeError:
            return None

    def exists(self, path: str) -> bool:
        return self._client.exists(path) is not None

    def dump(self) -> dict[str, Any]:
        """The znodes of the topic."""
        topic = self.read(f"/brokers/topics/{self.topic}")
        states = {at: self.state(int(at)) for at in (topic or {"partitions": {}})["partitions"]}
        requests = [
            path for path in ("/admin/reassign_partitions", f"/admin/delete_topics/{self.topic}") if self.exists(path)
        ]
        return {"topic": topic, "states": states, "requests": requests}

    def state(self, partition: int) -> Any:
        """The leader and ISR of a partition, None if they do not exist."""
        return self.read(f"/brokers/topics/{self.topic}/partitions/{partition}/state")

    # -- topics

    def put_topic(self, replicas: Mapping[int, tuple[int, ...]]) -> None:
        """Write the znodes with which a tool creates a topic."""
        self.put(f"/config/topics/{self.topic}", {"version": 1, "config": {}})
        self.put(f"/brokers/topics/{self.topic}", {"version": 1, "partitions": replicas})

    def is_online(self, replicas: Mapping[int, tuple[int, ...]]) -> bool:
        """Whether the topic has these replicas, all in sync, in ZooKeeper and in the Metadata of both brokers."""
        topic = self.read(f"/brokers/topics/{self.topic}")
        if topic is None or {int(at): tuple(each) for at, each in topic["partitions"].items()} != replicas:
            return False
        if topic.get("adding_replicas") or topic.get("removing_replicas"):
            return False
        states = {at: self.state(at) for at in replicas}
        if any(each is None or set(each["isr"]) != set(replicas[at]) for at, each in states.items()):
            return False
        wanted = {at: (each["leader"], set(each["isr"])) for at, each in states.items()}
        return all(self._cluster.states(self.topic, each) == wanted for each in (FIRST, SECOND))

    def leaders(self) -> dict[int, int]:
        """Partition -> leader, in ZooKeeper."""
        topic = self.read(f"/brokers/topics/{self.topic}")
        return {int(at): self.state(int(at))["leader"] for at in topic["partitions"]}

    def directories(self, broker_id: int) -> list[Path]:
        """The directories of the topic's partitions on a broker, without those that are renamed to be deleted."""
        found = self._cluster.brokers[broker_id].data_directory.glob(f"{self.topic}-*")
        return [each for each in found if each.name.rpartition("-")[2].isdigit()]


class Create(Operation):
    """Leaders of two new partitions."""

    _REPLICAS: Final = {0: (FIRST, SECOND), 1: (SECOND, FIRST)}

    def prepare(self) -> None:
        """Do nothing."""

    def ask(self) -> None:
        self.put_topic(self._REPLICAS)

    def is_done(self) -> bool:
        return self.is_online(self._REPLICAS) and self.leaders() == {0: FIRST, 1: SECOND}


class Grow(Operation):
    """Leaders of a partition that is added."""

    def prepare(self) -> None:
        self.put_topic({0: (FIRST, SECOND)})
        wait_until(lambda: self.is_online({0: (FIRST, SECOND)}), WITHIN_S)

    def ask(self) -> None:
        path = f"/brokers/topics/{self.topic}"
        topic = self.read(path)
        self.put(path, topic | {"partitions": {"0": [FIRST, SECOND], "1": [SECOND, FIRST]}})

    def is_done(self) -> bool:
        return self.is_online({0: (FIRST, SECOND), 1: (SECOND, FIRST)}) and self.leaders() == {0: FIRST, 1: SECOND}


class Delete(Grow):
    """A topic that has been used is deleted from brokers and from ZooKeeper."""

    def ask(self) -> None:
        self._client.create(f"/admin/delete_topics/{self.topic}")

    def is_done(self) -> bool:
        paths = ("/brokers/topics", "/config/topics", "/admin/delete_topics")
        if any(self.exists(f"{path}/{self.topic}") for path in paths):
            return False
        return not any(self.directories(each) for each in (FIRST, SECOND))


class Reassign(Operation):
    """One partition moves to the other broker, one gets a second replica."""

    _TARGET: Final = {0: (SECOND,), 1: (SECOND, FIRST)}
    _may_stay = False
    """Whether the log of the removed replica may be left behind."""

    def prepare(self) -> None:
        self.put_topic({0: (FIRST,), 1: (FIRST,)})
        wait_until(lambda: self.is_online({0: (FIRST,), 1: (FIRST,)}), WITHIN_S)

    def ask(self) -> None:
        moves = [{"topic": self.topic, "partition": at, "replicas": each} for at, each in self._TARGET.items()]
        self.put("/admin/reassign_partitions", {"version": 1, "partitions": moves})

    def note_kill(self) -> None:
        """A controller writes the final assignment without a wait for the answer to its StopReplica.

        If it dies then with the request unsent, no controller knows of the replica any more.  Apache Kafka has the same
        order (`stopRemovedReplicasOfReassignedPartition`, which says that a retry is to be added).
        """
        assigned = self.read(f"/brokers/topics/{self.topic}")["partitions"]
        self._may_stay = assigned["0"] == list(self._TARGET[0])

    def is_done(self) -> bool:
        if self.exists("/admin/reassign_partitions") or not self.is_online(self._TARGET):
            return False
        found = [{each.name for each in self.directories(broker_id)} for broker_id in (FIRST, SECOND)]
        if self._may_stay:
            found[0].discard(f"{self.topic}-0")
        return found == [{f"{self.topic}-1"}, {f"{self.topic}-0", f"{self.topic}-1"}]


class Elect(Operation):
    """The preferred leader leads again."""

    def prepare(self) -> None:
        self.put_topic({0: (SECOND, FIRST)})
        wait_until(lambda: self.is_online({0: (SECOND, FIRST)}), WITHIN_S)
        moves = [{"topic": self.topic, "partition": 0, "replicas": [FIRST, SECOND]}]
        self.put("/admin/reassign_partitions", {"version": 1, "partitions": moves})  # in another order, which is all
        wait_until(lambda: self.is_online({0: (FIRST, SECOND)}) and self.leaders() == {0: SECOND}, WITHIN_S)
        wait_until(lambda: not self.exists("/admin/reassign_partitions"), WITHIN_S)

    def ask(self) -> None:
        partitions = [{"topic": self.topic, "partition": 0}]
        self.put("/admin/preferred_replica_election", {"version": 1, "partitions": partitions})

    def is_done(self) -> bool:
        if self.exists("/admin/preferred_replica_election"):
            return False
        return self.is_online({0: (FIRST, SECOND)}) and self.leaders() == {0: FIRST}


OPERATIONS: Final[Mapping[str, Callable[[MixedCluster, KazooClient, str], Operation]]] = {
    "create": Create,
    "grow": Grow,
    "delete": Delete,
    "reassign": Reassign,
    "elect": Elect,
}
