"""Settings in ZooKeeper: as records of the image, read, followed, and written by the administration."""

from __future__ import annotations

from contextlib import asynccontextmanager
from math import inf
from typing import TYPE_CHECKING, NamedTuple, cast

import pytest
import trio
import trio.testing

from wirebroker.cluster.administration import ZooKeeperAdministration
from wirebroker.cluster.config_publisher import ConfigPublisher
from wirebroker.cluster.config_store import ConfigStore
from wirebroker.cluster.config_znodes import config_entity, quota_entity, record_of, with_quotas
from wirebroker.config.dynamic_config import DynamicConfig
from wirebroker.controller.topic_rules import NewTopic
from wirebroker.metadata.cache import MetadataCache
from wirebroker.metadata.dynamic_config_publisher import follow_broker_configs
from wirebroker.metadata.image import BROKER_RESOURCE, TOPIC_RESOURCE, BrokerImage, ClusterImage, PartitionImage
from wirebroker.metadata.records import ClientQuotaRecord, ConfigsRecord, TopicRecord, apply
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.replication.replica_manager import ReplicaManager
from wirebroker.tests.controller.fakes import FakeReplicas, broker_config
from wirebroker.tests.zookeeper.fake_zookeeper import FakeZooKeeper
from wirebroker.tests.zookeeper.harness import Member, member
from wirebroker.zookeeper.admin_zk_client import AdminZkClient
from wirebroker.zookeeper.znodes import configs
from wirebroker.zookeeper.znodes.configs import ConfigEntity

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence


ME = 1
TOPIC = ConfigEntity(configs.TOPICS, "t")


@pytest.mark.parametrize(
    ("entity", "settings", "record"),
    [
        (TOPIC, {"retention.ms": "5"}, ConfigsRecord(TOPIC_RESOURCE, "t", {"retention.ms": "5"})),
        (ConfigEntity("brokers", "1"), {"a": "b"}, ConfigsRecord(BROKER_RESOURCE, "1", {"a": "b"})),
        (ConfigEntity("brokers", "<default>"), {"a": "b"}, ConfigsRecord(BROKER_RESOURCE, "", {"a": "b"})),
        (
            ConfigEntity("users", "a%40b", "<default>"),
            {"producer_byte_rate": "1024"},
            ClientQuotaRecord((("user", "a@b"), ("client-id", None)), {"producer_byte_rate": 1024.0}),
        ),
        (
            ConfigEntity("users", "<default>"),
            {"consumer_byte_rate": "1.5", "SCRAM-SHA-256": "salt=abc"},
            ClientQuotaRecord((("user", None),), {"consumer_byte_rate": 1.5}),
        ),
        (ConfigEntity("clients", "c"), {}, ClientQuotaRecord((("client-id", "c"),), {})),
        (ConfigEntity("ips", "1.2.3.4"), {}, ClientQuotaRecord((("ip", "1.2.3.4"),), {})),
    ],
)
def test_a_znode_is_a_record_and_back(
    entity: ConfigEntity, settings: dict[str, str], record: ConfigsRecord | ClientQuotaRecord
) -> None:
    assert record_of(entity, settings) == record
    if isinstance(record, ConfigsRecord):
        assert config_entity(record.resource_type, record.name) == entity
    else:
        assert quota_entity(record.entity) == entity


def test_quotas_replace_quotas_and_leave_credentials_alone() -> None:
    settings = {"SCRAM-SHA-256": "salt=abc", "producer_byte_rate": "10", "consumer_byte_rate": "20"}
    assert with_quotas(settings, {"producer_byte_rate": 1024.0}) == {
        "SCRAM-SHA-256": "salt=abc",
        "producer_byte_rate": "1024",
    }
    assert with_quotas(settings, None) == {"SCRAM-SHA-256": "salt=abc"}


@pytest.mark.parametrize(
    ("quota", "limit", "text"),
    [
        ("producer_byte_rate", 1024.0, "1024"),
        ("consumer_byte_rate", 1e18, "1000000000000000000"),
        ("consumer_byte_rate", 1e6 - 1e-8, "1000000"),
        ("connection_creation_rate", 5.0, "5"),
        ("request_percentage", 50.0, "50.0"),
        ("request_percentage", inf, "Infinity"),
        ("controller_mutation_rate", 0.5, "0.5"),
    ],
)
def test_quotas_are_written_as_apache_kafka_reads_them(quota: str, limit: float, text: str) -> None:
    """It does not understand a byte rate of 1024.0."""
    assert with_quotas({}, {quota: limit}) == {quota: text}


class Configs(NamedTuple):
    """One broker that follows the settings of a fake ZooKeeper."""

    member: Member
    store: ConfigStore
    metadata: MetadataCache
    config: DynamicConfig
    replicas: FakeReplicas
    publisher: ConfigPublisher
    administration: ZooKeeperAdministration


@asynccontextmanager
async def following(zookeeper: FakeZooKeeper) -> AsyncIterator[Configs]:
    async with member(zookeeper) as found:
        image = apply(ClusterImage(), TopicRecord("t", bytes([1] * 16), (PartitionImage(ME, 0, (ME,), (ME,)),)))
        metadata = MetadataCache(image._replace(brokers={ME: BrokerImage(ME, 0, ())}))
        config = DynamicConfig(broker_config(zookeeper_connect="fake:1", broker_id=ME))
        follow_broker_configs(metadata, config)
        store, replicas = ConfigStore(found.session, ME), FakeReplicas()
        publisher = ConfigPublisher(store, metadata, config, cast(ReplicaManager, replicas))

        async def allocate() -> range:
            await trio.lowlevel.checkpoint()
            return range(1000)

        administration = ZooKeeperAdministration(
            config, metadata, AdminZkClient(found.session), store, publisher, allocate
        )
        await found.nursery.start(publisher.run)
        found.nursery.start_soon(administration.run)
        yield Configs(found, store, metadata, config, replicas, publisher, administration)


async def test_a_written_setting_reaches_the_logs_of_another_broker(autojump_clock: trio.abc.Clock) -> None:
    zookeeper = FakeZooKeeper()
    async with following(zookeeper) as one, following(zookeeper) as other:
        await one.store.write(TOPIC, {"retention.ms": "5"}, None)
        await trio.testing.wait_all_tasks_blocked()
        for each in (one, other):
            assert each.metadata.image.topic_config("t") == {"retention.ms": "5"}
            assert each.replicas.configs["t"].retention_ms == 5
        await one.store.write(ConfigEntity(configs.BROKERS, "<default>"), {"log.retention.ms": "7"}, None)
        await trio.testing.wait_all_tasks_blocked()
        assert other.config.current.topic_defaults.retention_ms == 7
        assert other.replicas.configs["t"].retention_ms == 5


async def test_what_changed_while_this_broker_had_no_session_is_read_afterwards(
    autojump_clock: trio.abc.Clock,
) -> None:
    zookeeper = FakeZooKeeper()
    async with following(zookeeper) as away, member(zookeeper) as other:
        zookeeper.expire(away.member.client)
        store = ConfigStore(other.session, 2)
        await store.write(TOPIC, {"retention.ms": "5"}, None)
        name = f"{configs.CONFIG_CHANGES_PATH}/config_change_0000000000"
        await other.client.delete(name)  # as if 15 minutes had passed
        await trio.sleep(30)
        assert away.metadata.image.topic_config("t") == {"retention.ms": "5"}


async def test_corrupt_settings_and_announcements_are_ignored(
    autojump_clock: trio.abc.Clock, caplog: pytest.LogCaptureFixture
) -> None:
    zookeeper = FakeZooKeeper()
    async with following(zookeeper) as found:
        await found.member.client.create(TOPIC.path, b"{")
        assert await found.store.read(TOPIC) == {}
        await found.member.client.create(f"{configs.CONFIG_CHANGE_PREFIX}0000000007", b"nonsense")
        await trio.testing.wait_all_tasks_blocked()
        assert "set them again with kafka-configs" in caplog.text
        assert "config_change_0000000007" in caplog.text


def errors(caplog: pytest.LogCaptureFixture) -> list[str]:
    found = [each.getMessage() for each in caplog.records if each.levelname == "ERROR"]
    caplog.clear()
    return found


async def test_a_topic_with_an_invalid_setting_keeps_those_in_force(
    autojump_clock: trio.abc.Clock, caplog: pytest.LogCaptureFixture
) -> None:
    zookeeper = FakeZooKeeper()
    async with following(zookeeper) as found:

        async def written(**settings: str) -> tuple[dict[str, str], list[str]]:
            version = (await found.store.read_versioned(TOPIC)).version
            await found.store.write(TOPIC, {name.replace("_", "."): text for name, text in settings.items()}, version)
            await trio.testing.wait_all_tasks_blocked()
            return dict(found.metadata.image.topic_config("t")), errors(caplog)

        reason = (
            "/config/topics/t: Invalid value nonsense for configuration retention.ms: Not a number of type LONG; "
            "the topic keeps the settings that are in force: set it again with kafka-configs"
        )
        assert await written(retention_ms="nonsense", segment_ms="9") == ({}, [reason])
        assert "t" not in found.replicas.configs
        in_force = {"retention.ms": "5"}
        assert await written(retention_ms="5") == (in_force, [])
        assert await written(retention_ms="nonsense", segment_ms="9") == (in_force, [reason])
        assert found.replicas.configs["t"].retention_ms == 5
        after = {"segment.ms": "9", "nope": "x"}
        assert await written(segment_ms="9", nope="x") == (after, [])


async def test_of_a_new_topic_the_invalid_settings_alone_are_ignored(
    autojump_clock: trio.abc.Clock, caplog: pytest.LogCaptureFixture
) -> None:
    zookeeper = FakeZooKeeper()
    async with following(zookeeper) as found:
        written = {"retention.ms": "nonsense", "segment.ms": "9"}
        await found.member.client.create(TOPIC.path, configs.encode_config(written))
        await found.publisher.read_topics(["t"])
        assert found.metadata.image.topic_config("t") == {"segment.ms": "9"}
        (line,) = errors(caplog)
        assert line.endswith("Not a number of type LONG; this setting is ignored: set it again with kafka-configs")


@pytest.mark.parametrize("name", ["1", "<default>"])
async def test_of_a_broker_the_invalid_settings_alone_are_ignored(
    name: str, autojump_clock: trio.abc.Clock, caplog: pytest.LogCaptureFixture
) -> None:
    zookeeper = FakeZooKeeper()
    async with following(zookeeper) as found:
        entity = ConfigEntity(configs.BROKERS, name)
        await found.store.write(entity, {"log.retention.ms": "7", "log.segment.bytes": "2000"}, None)
        await trio.testing.wait_all_tasks_blocked()
        written = {
            "log.retention.ms": "nonsense",
            "log.segment.bytes": "3000",
            "leader.replication.throttled.rate": "-1",
            "process.roles": "no dynamic setting",
        }
        await found.store.write(entity, written, 0)
        await trio.testing.wait_all_tasks_blocked()
        defaults = found.config.current.topic_defaults
        assert (defaults.retention_ms, defaults.segment_bytes) == (7 * 24 * 60 * 60 * 1000, 3000)
        assert [line.split(";")[0] for line in errors(caplog)] == [
            f"/config/brokers/{name}: Invalid value {text} for configuration {key}: {reason}"
            for key, text, reason in (
                ("leader.replication.throttled.rate", "-1", "Value must be at least 0"),
                ("log.retention.ms", "nonsense", "Not a number of type LONG"),
            )
        ]


async def test_settings_of_a_new_topic_are_read_without_an_announcement(autojump_clock: trio.abc.Clock) -> None:
    zookeeper = FakeZooKeeper()
    async with following(zookeeper) as found:
        new = ConfigEntity(configs.TOPICS, "new")
        await found.member.client.create(new.path, configs.encode_config({"cleanup.policy": "compact"}))
        await found.publisher.read_topics(["new"])
        assert found.metadata.image.topic_config("new") == {"cleanup.policy": "compact"}


async def test_settings_of_a_new_topic_are_waited_for_while_zookeeper_is_silent(
    autojump_clock: trio.abc.Clock, caplog: pytest.LogCaptureFixture
) -> None:
    zookeeper = FakeZooKeeper()
    async with following(zookeeper) as found, trio.open_nursery() as nursery:
        zookeeper.put("/config/topics/new", configs.encode_config({"retention.ms": "-1"}))
        zookeeper.down()
        nursery.start_soon(found.publisher.read_topics, ["new", "other"])
        await trio.sleep(3600)
        assert nursery.child_tasks
        assert found.metadata.image.topic_config("new") == {}
        assert [line for line in caplog.messages if line.startswith("topic=new: ")] == [
            "topic=new: ZooKeeper has not told the settings of this and 1 other topics in 2 s; their new partitions, "
            "and all later requests of the controller, wait until it does"
        ]
        zookeeper.up()
        await trio.testing.wait_all_tasks_blocked()
        assert not nursery.child_tasks
        assert found.metadata.image.topic_config("new") == {"retention.ms": "-1"}


async def test_a_read_that_was_overtaken_by_a_change_is_made_again(autojump_clock: trio.abc.Clock) -> None:
    zookeeper = FakeZooKeeper()
    async with following(zookeeper) as found:
        await found.store.write(TOPIC, {"retention.ms": "1"}, None)
        read_many, is_overtaken = found.store.read_many, False

        async def read_slowly(entities: Sequence[ConfigEntity]) -> list[dict[str, str]]:
            nonlocal is_overtaken
            settings = await read_many(entities)
            if not is_overtaken:
                is_overtaken = True
                await found.store.write(TOPIC, {"retention.ms": "2"}, 0)
                await trio.testing.wait_all_tasks_blocked()  # followed meanwhile
            return settings

        found.store.read_many = read_slowly  # type: ignore[method-assign]
        await found.publisher.refresh([TOPIC])
        assert is_overtaken
        assert found.metadata.image.topic_config("t") == {"retention.ms": "2"}
        assert found.replicas.configs["t"].retention_ms == 2


async def test_automatic_creation_returns_when_topics_are_in_zookeeper_and_which_are_refused(
    autojump_clock: trio.abc.Clock,
) -> None:
    """As Apache Kafka's brokers do; metrics take the names of two of the topics for the same."""
    zookeeper = FakeZooKeeper()
    async with following(zookeeper) as found:
        names = ["a.b", "a_b", "__consumer_offsets", "c"]
        assert await found.administration.auto_create(names) == {
            "a_b": ErrorCode.INVALID_TOPIC_EXCEPTION,
            "__consumer_offsets": ErrorCode.INVALID_REPLICATION_FACTOR,
        }
        assert sorted(await AdminZkClient(found.member.session).topics()) == ["a.b", "c"]
        assert await found.administration.auto_create(["c"]) == {}  # the controller has not told of it yet


async def test_automatic_creation_is_not_waited_for_while_zookeeper_is_silent(autojump_clock: trio.abc.Clock) -> None:
    zookeeper = FakeZooKeeper()
    async with following(zookeeper) as found:
        found.member.client.is_silent = True
        began = trio.current_time()
        assert await found.administration.auto_create(["a"]) == {}
        assert trio.current_time() - began == 2.0
        assert await found.administration.auto_create(["a"]) == {}  # under way
        assert trio.current_time() - began == 2.0


async def test_a_topic_is_asked_of_the_controller_and_changes_of_topics_are_refused(
    autojump_clock: trio.abc.Clock, caplog: pytest.LogCaptureFixture
) -> None:
    zookeeper = FakeZooKeeper()
    async with following(zookeeper) as found:
        assert not found.administration.is_active
        await found.administration.auto_create(["new", "t"])
        for _ in range(2):
            await found.administration.create_internal("__consumer_offsets")
            await trio.testing.wait_all_tasks_blocked()
        topics = AdminZkClient(found.member.session)
        assert await topics.topics() == ["new"]
        assert [line for line in caplog.messages if "automatic creation failed" in line] == [
            "topic=__consumer_offsets: automatic creation failed: 3 replicas of a partition need as many brokers, and "
            "there are 1; tried again when clients ask again"
        ]
        created = await topics.assignment("new")
        assert created is not None
        assert created.assignment.topic_id is not None
        assert [each.replicas for each in created.assignment.partitions.values()] == [(ME,)]
        for change in (
            found.administration.create_topics([NewTopic("x")]),
            found.administration.create_partitions([]),
            found.administration.delete_topics([]),
        ):
            with pytest.raises(ApiError) as refused:
                await change
            assert refused.value.code == ErrorCode.NOT_CONTROLLER
