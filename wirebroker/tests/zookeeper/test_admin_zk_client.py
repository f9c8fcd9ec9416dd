"""AdminZkClient on the fake ZooKeeper: topics created, extended and deleted, with lost requests and answers."""

from __future__ import annotations

import json

import pytest
from trio.testing import wait_all_tasks_blocked

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.tests.zookeeper.fake_client import LostAnswer, LostRequest
from wirebroker.tests.zookeeper.fake_zookeeper import FakeZooKeeper
from wirebroker.tests.zookeeper.harness import member
from wirebroker.zookeeper.admin_zk_client import AdminZkClient
from wirebroker.zookeeper.znodes.topics import ReplicaAssignment, TopicAssignment

TOPIC_ID = bytes(range(16))
PATH = "/brokers/topics/t"


@pytest.mark.parametrize("topic_id", [None, TOPIC_ID])
@pytest.mark.parametrize(
    "faults", [[], [LostRequest(PATH, "create")], [LostAnswer(PATH, "create")], [LostAnswer("/config/topics/t")]]
)
async def test_a_topic_is_created_with_its_settings(topic_id: bytes | None, faults: list[LostRequest]) -> None:
    zookeeper = FakeZooKeeper()
    async with member(zookeeper) as this:
        admin = AdminZkClient(this.session)
        await admin.create_topic("other", {0: (1,)}, {}, None)
        this.client.faults += faults
        await admin.create_topic("t", {0: (1, 2), 1: (2, 1)}, {"retention.ms": "1"}, topic_id)
        assert TopicAssignment.decode("t", zookeeper.read(PATH)) == (
            "t",
            topic_id,
            {0: ReplicaAssignment((1, 2)), 1: ReplicaAssignment((2, 1))},
        )
        assert json.loads(zookeeper.read("/config/topics/t") or b"") == {"version": 1, "config": {"retention.ms": "1"}}
        written = [path for name, path in zookeeper.operations if name in ("create", "set") and path.endswith("/t")]
        assert written[0] == "/config/topics/t"
        assert zookeeper.children("/config/changes") == []
        assert sorted(await admin.topics()) == ["other", "t"]


async def test_a_topic_that_exists_or_is_being_deleted_is_refused() -> None:
    zookeeper = FakeZooKeeper()
    async with member(zookeeper) as this:
        admin = AdminZkClient(this.session)
        await admin.create_topic("t", {0: (1,)}, {}, TOPIC_ID)
        before = zookeeper.read("/config/topics/t")
        for detail in ("already exists", "is marked for deletion"):
            with pytest.raises(ApiError, match=detail) as caught:
                await admin.create_topic("t", {0: (2,)}, {"a": "b"}, TOPIC_ID)
            assert caught.value.code is ErrorCode.TOPIC_ALREADY_EXISTS
            await admin.delete_topic("t")
        assert zookeeper.read("/config/topics/t") == before


async def test_a_topic_of_another_client_is_not_taken_for_ours() -> None:
    zookeeper = FakeZooKeeper()
    async with member(zookeeper) as this:
        admin = AdminZkClient(this.session)
        this.client.faults.append(LostRequest("/config/topics/t"))
        zookeeper.down()
        errors: list[ErrorCode] = []

        async def create() -> None:
            try:
                await admin.create_topic("t", {0: (1,)}, {}, TOPIC_ID)
            except ApiError as error:
                errors.append(error.code)

        this.nursery.start_soon(create)
        await wait_all_tasks_blocked()
        zookeeper.put(PATH, TopicAssignment("t", bytes(16), {}).encode())
        zookeeper.up()
        await wait_all_tasks_blocked()
        assert errors == [ErrorCode.TOPIC_ALREADY_EXISTS]


@pytest.mark.parametrize("faults", [[], [LostAnswer(PATH, "set")], [LostRequest(PATH, "set"), LostAnswer(PATH, "get")]])
async def test_partitions_are_added_and_a_reassignment_is_kept(faults: list[LostRequest]) -> None:
    zookeeper = FakeZooKeeper()
    async with member(zookeeper) as this:
        admin = AdminZkClient(this.session)
        moving = ReplicaAssignment((1, 2), (2,), (1,))
        zookeeper.put(PATH, TopicAssignment("t", TOPIC_ID, {0: moving}).encode())
        this.client.faults += faults
        await admin.create_partitions("t", {1: (3, 1)})
        found = await admin.assignment("t")
        assert found is not None
        assert found.assignment == ("t", TOPIC_ID, {0: moving, 1: ReplicaAssignment((3, 1))})
        with pytest.raises(ApiError) as caught:
            await admin.create_partitions("t", {1: (4,)})
        assert caught.value.code is ErrorCode.INVALID_PARTITIONS
        with pytest.raises(ApiError) as caught:
            await admin.create_partitions("missing", {1: (4,)})
        assert caught.value.code is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


async def test_a_deletion_is_a_request_to_the_controller() -> None:
    zookeeper = FakeZooKeeper()
    async with member(zookeeper) as this:
        admin = AdminZkClient(this.session)
        with pytest.raises(ApiError) as caught:
            await admin.delete_topic("t")
        assert caught.value.code is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        zookeeper.put(PATH, TopicAssignment("t", None, {0: ReplicaAssignment((1,))}).encode())
        this.client.faults.append(LostAnswer("/admin/delete_topics/t"))
        await admin.delete_topic("t")
        assert zookeeper.read("/admin/delete_topics/t") is None
        assert await admin.assignment("t") is not None
        assert await admin.assignment("u") is None
