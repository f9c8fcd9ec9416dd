"""Persistent paths, the cluster's id and generated broker ids on the fake ZooKeeper."""

from __future__ import annotations

from wirebroker.tests.zookeeper.fake_client import LostAnswer, LostRequest
from wirebroker.tests.zookeeper.fake_zookeeper import FakeZooKeeper
from wirebroker.tests.zookeeper.harness import member
from wirebroker.zookeeper.cluster_znodes import create_with_parents, generate_broker_id, get_or_create_cluster_id
from wirebroker.zookeeper.znodes.cluster import CLUSTER_ID_PATH, PERSISTENT_PATHS, decode_cluster_id


async def test_persistent_paths_are_created_without_data() -> None:
    zookeeper = FakeZooKeeper()
    async with member(zookeeper):
        assert {path: zookeeper.read(path) for path in PERSISTENT_PATHS} == dict.fromkeys(PERSISTENT_PATHS)


async def test_existing_znodes_are_left_alone() -> None:
    zookeeper = FakeZooKeeper()
    zookeeper.put("/latest_producer_id_block", b"x")
    async with member(zookeeper) as this:
        assert not await create_with_parents(this.session, "/latest_producer_id_block")
        assert zookeeper.read("/latest_producer_id_block") == b"x"


async def test_the_first_broker_names_the_cluster() -> None:
    zookeeper = FakeZooKeeper()
    async with member(zookeeper) as this:
        this.client.faults += [LostAnswer(CLUSTER_ID_PATH), LostRequest(CLUSTER_ID_PATH)]
        assert await get_or_create_cluster_id(this.session, lambda: "first") == "first"
        assert await get_or_create_cluster_id(this.session, lambda: "second") == "first"
        assert decode_cluster_id(zookeeper.read(CLUSTER_ID_PATH)) == "first"


async def test_generated_broker_ids_are_above_the_reserved_ones_and_never_repeat() -> None:
    zookeeper = FakeZooKeeper()
    async with member(zookeeper) as this:
        assert await generate_broker_id(this.session, 1000) == 1001
        this.client.faults.append(LostAnswer("/brokers/seqid"))
        assert await generate_broker_id(this.session, 1000) == 1003
        await this.client.delete("/brokers/seqid")
        assert await generate_broker_id(this.session, 0) == 1
