"""FindCoordinator: the leader of a key's partition, and errors while there is none."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from wirebroker.handlers.coordinators import handle_find_coordinator
from wirebroker.loop_budget import LoopBudget
from wirebroker.metadata.partitioning import partition_for
from wirebroker.model import BrokerEndpoint
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.find_coordinator import FindCoordinatorRequest

E = ErrorCode
NOBODY = -1
GROUP, TRANSACTION = 0, 1
TOPICS = {GROUP: "__consumer_offsets", TRANSACTION: "__transaction_state"}
versions = pytest.mark.parametrize("version", range(7))
kinds = pytest.mark.parametrize("kind", TOPICS)


class Cluster:
    """One image, the controller that may change it, and two coordinators that follow it."""

    def __init__(self, *leaders: int, brokers: tuple[int, ...] = (7,), makes: tuple[int, ...] = ()) -> None:
        self.topics = {name: self._topic(leaders) for name in TOPICS.values()} if leaders else {}
        self.brokers = {
            number: SimpleNamespace(endpoint=lambda name: BrokerEndpoint(7, "host", 9092) if name == "L" else None)
            for number in brokers
        }
        self.makes = makes
        self.partition_count: int | None = None
        self.made: list[str] = []
        self.awaited: list[int] = []
        self.image = SimpleNamespace(topic=self.topics.get, brokers=self.brokers)

    def _topic(self, leaders: tuple[int, ...]) -> Any:
        return SimpleNamespace(partitions=[SimpleNamespace(leader=leader) for leader in leaders])

    async def create_internal(self, name: str) -> None:
        self.made.append(name)
        if self.makes:
            self.topics[name] = self._topic(self.makes)

    def _coordinator(self, kind: int) -> Any:
        async def import_shards() -> None:
            assert not self.made, "before the topic is there, and with it the first shard"

        async def caught_up() -> None:
            self.awaited.append(kind)

        count = self.partition_count
        return SimpleNamespace(import_shards=import_shards, caught_up=caught_up, partition_count=count)

    async def find(self, version: int, kind: int, key: str = "key", listener: str = "L") -> tuple[Any, ...]:
        services = SimpleNamespace(
            metadata=self,
            administration=self,
            groups=self._coordinator(GROUP),
            transactions=self._coordinator(TRANSACTION),
        )
        context: Any = SimpleNamespace(
            version=version,
            services=services,
            listener=listener,
            advertised=lambda at: (at.host, at.port),
            start_budget=LoopBudget,
        )
        if version >= 4:
            request = FindCoordinatorRequest(key_type=kind, coordinator_keys=[key])
            found: Any = (await handle_find_coordinator(context, request)).coordinators[0]
            assert found.key == key
        else:
            found = await handle_find_coordinator(context, FindCoordinatorRequest(key, kind))
        return found.error_code, found.node_id, found.host, found.port


MISSING = (E.COORDINATOR_NOT_AVAILABLE, -1, "", -1)
FOUND = (E.NONE, 7, "host", 9092)


@kinds
@versions
async def test_the_leader_of_the_keys_partition(version: int, kind: int) -> None:
    leaders = [NOBODY] * 5
    leaders[partition_for("key", 5)] = 7
    cluster = Cluster(*leaders)
    expected = kind if version else GROUP
    assert await cluster.find(version, kind) == FOUND
    other = next(f"{n}" for n in range(99) if partition_for(f"{n}", 5) != partition_for("key", 5))
    assert await cluster.find(version, kind, other) == MISSING, f"a partition of {TOPICS[expected]} without a leader"
    assert not cluster.made


@kinds
async def test_all_brokers_name_the_partition_of_the_count_that_was_fixed_at_the_start(kind: int) -> None:
    leaders = [NOBODY] * 5
    leaders[partition_for("key", 3)] = 7
    cluster = Cluster(*leaders)
    cluster.partition_count = 3
    assert await cluster.find(6, kind) == FOUND
    cluster.partition_count = 50
    missing = next(f"{n}" for n in range(99) if partition_for(f"{n}", 50) >= 5)
    assert await cluster.find(6, kind, missing) == MISSING


@kinds
@versions
async def test_the_first_request_creates_the_topic(version: int, kind: int) -> None:
    cluster = Cluster(makes=(7, 7))
    kind_asked = kind if version else GROUP
    assert await cluster.find(version, kind) == FOUND
    assert cluster.made == [TOPICS[kind_asked]]
    assert cluster.awaited == [kind_asked], "and the coordinator is there when its address is told"


@kinds
@versions
async def test_a_topic_that_cannot_be_created(version: int, kind: int) -> None:
    assert await Cluster().find(version, kind) == MISSING


@versions
async def test_a_leader_that_is_gone(version: int) -> None:
    assert await Cluster(8).find(version, GROUP) == MISSING


@versions
async def test_a_leader_that_this_listener_does_not_reach(version: int) -> None:
    assert await Cluster(7).find(version, GROUP, listener="another") == MISSING


async def test_several_keys_in_one_request() -> None:
    cluster = Cluster(7)
    keys = ["a", "", "a"]
    services = SimpleNamespace(metadata=cluster, administration=cluster, groups=SimpleNamespace(partition_count=None))
    context: Any = SimpleNamespace(
        version=4,
        services=services,
        listener="L",
        advertised=lambda at: (at.host, at.port),
        start_budget=LoopBudget,
    )
    answer = await handle_find_coordinator(context, FindCoordinatorRequest(coordinator_keys=keys))
    assert [each.key for each in answer.coordinators] == keys
