"""Settings, quotas and credentials as requests alter them: what ZooKeeper has decides, and no change is lost."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
import trio
import trio.testing

from wirebroker.cluster.scram_credentials import ScramChange
from wirebroker.metadata.image import BROKER_RESOURCE, TOPIC_RESOURCE, ClusterImage, PartitionImage
from wirebroker.metadata.records import ClientQuotaRecord, ConfigsRecord, TopicRecord, apply
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.tests.cluster.test_configs import TOPIC, Configs, following
from wirebroker.tests.zookeeper.fake_client import LostAnswer, LostRequest
from wirebroker.tests.zookeeper.fake_zookeeper import FakeZooKeeper
from wirebroker.zookeeper.errors import BadVersion
from wirebroker.zookeeper.znodes import configs
from wirebroker.zookeeper.znodes.configs import ConfigEntity
from wirebroker.zookeeper.znodes.scram import ScramCredential, ScramMechanism

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from wirebroker.controller.administration import QuotaAlteration

ELSEWHERE = ConfigEntity(configs.TOPICS, "elsewhere")
"""A topic that was created after the start, without a replica on this broker: its settings are not in the image."""
DEFAULT_BROKER = ConfigEntity(configs.BROKERS, configs.DEFAULT_ENTITY)
QUOTA = (("client-id", "c"),)
CLIENT = ConfigEntity(configs.CLIENTS, "c")


def put(zookeeper: FakeZooKeeper, entity: ConfigEntity, settings: Mapping[str, str]) -> None:
    zookeeper.put(entity.path, configs.encode_config(settings))


def settings_of(zookeeper: FakeZooKeeper, entity: ConfigEntity) -> dict[str, str]:
    found: dict[str, str] = json.loads(zookeeper.read(entity.path) or b"")["config"]
    return found


def add_topic(found: Configs, name: str) -> None:
    """Have the image show a topic of which this broker has no replica."""
    record = TopicRecord(name, bytes([2] * 16), (PartitionImage(2, 0, (2,), (2,)),))
    found.metadata.publish(apply(found.metadata.image, record), [record])


async def set_config(
    found: Configs, kind: int, name: str, key: str, value: str, before_write: Callable[[], None] = lambda: None
) -> None:
    """Set one key, as IncrementalAlterConfigs does."""

    async def alter(image: ClusterImage) -> list[ConfigsRecord]:
        await trio.lowlevel.checkpoint()
        before_write()
        return [ConfigsRecord(kind, name, {**image.config(kind, name), key: value})]

    await found.administration.alter_configs([(kind, name)], alter)


async def test_settings_of_a_topic_without_a_replica_here_are_kept(autojump_clock: trio.abc.Clock) -> None:
    zookeeper = FakeZooKeeper()
    async with following(zookeeper) as found:
        add_topic(found, ELSEWHERE.name)
        put(zookeeper, ELSEWHERE, {"cleanup.policy": "compact"})
        await set_config(found, TOPIC_RESOURCE, ELSEWHERE.name, "segment.bytes", "100000")
        assert settings_of(zookeeper, ELSEWHERE) == {"cleanup.policy": "compact", "segment.bytes": "100000"}
        assert found.metadata.image.topic_config(ELSEWHERE.name) == settings_of(zookeeper, ELSEWHERE)


def to(record: ClientQuotaRecord) -> QuotaAlteration:
    """Return the alteration that makes the quotas of an entity those of *record*."""

    async def alter(_: ClusterImage) -> list[ClientQuotaRecord]:
        await trio.lowlevel.checkpoint()
        return [record]

    return alter


async def test_altered_settings_are_written_announced_and_in_effect(autojump_clock: trio.abc.Clock) -> None:
    zookeeper = FakeZooKeeper()
    async with following(zookeeper) as found:
        await set_config(found, TOPIC_RESOURCE, "t", "retention.ms", "5")
        assert found.replicas.configs["t"].retention_ms == 5
        assert settings_of(zookeeper, TOPIC) == {"retention.ms": "5"}
        assert len(zookeeper.children(configs.CONFIG_CHANGES_PATH)) == 1
        quota = ClientQuotaRecord((("user", "u"), ("client-id", "c")), {"producer_byte_rate": 5.0})
        await found.administration.alter_client_quotas([quota.entity], to(quota))
        assert found.metadata.image.client_quotas[quota.entity] == {"producer_byte_rate": 5.0}
        assert settings_of(zookeeper, ConfigEntity(configs.USERS, "u", "c")) == {"producer_byte_rate": "5"}


async def test_settings_for_a_description_are_read(autojump_clock: trio.abc.Clock) -> None:
    zookeeper = FakeZooKeeper()
    async with following(zookeeper) as found:
        add_topic(found, ELSEWHERE.name)
        put(zookeeper, ELSEWHERE, {"cleanup.policy": "compact"})
        resources = [(TOPIC_RESOURCE, ELSEWHERE.name), (TOPIC_RESOURCE, "missing/"), (99, "x"), (BROKER_RESOURCE, "7")]
        image = await found.administration.image_with_configs(resources)
        assert image.topic_config(ELSEWHERE.name) == {"cleanup.policy": "compact"}
        zookeeper.down()
        with pytest.raises(ApiError) as failure:
            await found.administration.image_with_configs(resources)
        assert failure.value.code == ErrorCode.REQUEST_TIMED_OUT


async def test_changes_at_two_brokers_by_turns_are_all_kept(autojump_clock: trio.abc.Clock) -> None:
    """Neither follows the other's changes in time."""
    zookeeper = FakeZooKeeper()
    async with following(zookeeper) as one, following(zookeeper) as other:

        async def ignore(entities: Sequence[ConfigEntity]) -> None:
            await trio.lowlevel.checkpoint()

        for each in (one, other):
            each.publisher.refresh = ignore  # type: ignore[method-assign]
        for round_ in range(3):
            for broker, key in ((one, "retention.ms"), (other, "max.message.bytes")):
                await set_config(broker, TOPIC_RESOURCE, "t", key, str(100 + round_))
                await set_config(broker, BROKER_RESOURCE, "", f"log.{key}", str(100 + round_))
            for broker, quota in ((one, "producer_byte_rate"), (other, "consumer_byte_rate")):

                async def alter(
                    image: ClusterImage, quota: str = quota, limit: int = round_
                ) -> list[ClientQuotaRecord]:
                    await trio.lowlevel.checkpoint()
                    return [ClientQuotaRecord(QUOTA, {**image.client_quotas.get(QUOTA, {}), quota: 100.0 + limit})]

                await broker.administration.alter_client_quotas([QUOTA], alter)
            wanted = str(100 + round_)
            assert settings_of(zookeeper, TOPIC) == {"retention.ms": wanted, "max.message.bytes": wanted}
            assert settings_of(zookeeper, DEFAULT_BROKER) == {
                "log.retention.ms": wanted,
                "log.max.message.bytes": wanted,
            }
            assert settings_of(zookeeper, CLIENT) == {"producer_byte_rate": wanted, "consumer_byte_rate": wanted}


@pytest.mark.parametrize("is_there", [False, True])
async def test_a_change_between_read_and_write_is_kept(autojump_clock: trio.abc.Clock, is_there: bool) -> None:
    zookeeper = FakeZooKeeper()
    async with following(zookeeper) as found:
        other = ConfigEntity(configs.TOPICS, "other")
        add_topic(found, other.name)
        if is_there:
            put(zookeeper, TOPIC, {"retention.ms": "1"})
        calls: list[dict[str, str]] = []

        async def alter(image: ClusterImage) -> list[ConfigsRecord]:
            await trio.lowlevel.checkpoint()
            calls.append(dict(image.topic_config("t")))
            if len(calls) == 1:
                put(zookeeper, TOPIC, {"retention.ms": "2"})
            names = ("other", "t")
            return [
                ConfigsRecord(TOPIC_RESOURCE, name, {**image.topic_config(name), "segment.bytes": "100000"})
                for name in names
            ]

        await found.administration.alter_configs([(TOPIC_RESOURCE, "t"), (TOPIC_RESOURCE, "other")], alter)
        assert calls == [{"retention.ms": "1"} if is_there else {}, {"retention.ms": "2"}]
        assert settings_of(zookeeper, TOPIC) == {"retention.ms": "2", "segment.bytes": "100000"}
        assert zookeeper.nodes[other.path].version == 0  # written once
        assert found.metadata.image.topic_config("t") == settings_of(zookeeper, TOPIC)
        assert found.metadata.image.topic_config("other") == {"segment.bytes": "100000"}


async def test_a_change_of_quotas_between_read_and_write_of_credentials_is_kept(
    autojump_clock: trio.abc.Clock,
) -> None:
    zookeeper = FakeZooKeeper()
    user = ConfigEntity(configs.USERS, "u")
    async with following(zookeeper) as found:
        write_in_time = found.store.write_in_time

        async def write_late(entity: ConfigEntity, settings: Mapping[str, str], version: int | None) -> None:
            if user.path not in zookeeper.nodes:
                put(zookeeper, user, {"producer_byte_rate": "5"})
            await write_in_time(entity, settings, version)

        found.store.write_in_time = write_late  # type: ignore[method-assign]
        mechanism = ScramMechanism.SCRAM_SHA_256
        credential = ScramCredential.of_salted_password(mechanism, b"salt", b"p" * 32, 4096)
        await found.administration.scram_credentials.alter("u", ScramChange({mechanism: credential}, []))
        assert settings_of(zookeeper, user).keys() == {"producer_byte_rate", "SCRAM-SHA-256"}


@pytest.mark.parametrize("fault", [LostRequest, LostAnswer])
@pytest.mark.parametrize("version", [None, 0])
async def test_a_write_without_an_answer_is_made_again_or_found(
    autojump_clock: trio.abc.Clock, fault: type[LostRequest], version: int | None
) -> None:
    zookeeper = FakeZooKeeper()
    async with following(zookeeper) as found:
        if version is not None:
            put(zookeeper, TOPIC, {})
        found.member.client.faults.append(fault(TOPIC.path, "create" if version is None else "set"))
        await found.store.write(TOPIC, {"retention.ms": "5"}, version)
        assert settings_of(zookeeper, TOPIC) == {"retention.ms": "5"}
        assert zookeeper.nodes[TOPIC.path].version == (0 if version is None else 1)
        assert len(zookeeper.children(configs.CONFIG_CHANGES_PATH)) == 1


@pytest.mark.parametrize("version", [None, 1, 7])
async def test_settings_of_another_version_are_not_replaced(
    autojump_clock: trio.abc.Clock, version: int | None
) -> None:
    zookeeper = FakeZooKeeper()
    async with following(zookeeper) as found:
        if version != 7:
            put(zookeeper, TOPIC, {"retention.ms": "1"})
        with pytest.raises(BadVersion):
            await found.store.write_in_time(TOPIC, {"retention.ms": "5"}, version)
        assert zookeeper.children(configs.CONFIG_CHANGES_PATH) == []
        if version != 7:
            assert settings_of(zookeeper, TOPIC) == {"retention.ms": "1"}


async def test_settings_that_may_not_have_been_written_are_an_error(autojump_clock: trio.abc.Clock) -> None:
    zookeeper = FakeZooKeeper()
    async with following(zookeeper) as found:
        for before_write in (zookeeper.down, lambda: None):  # the second one cannot even read
            with pytest.raises(ApiError) as failure:
                await set_config(found, TOPIC_RESOURCE, "t", "retention.ms", "5", before_write)
            assert failure.value.code == ErrorCode.REQUEST_TIMED_OUT
            assert found.metadata.image.topic_config("t") == {}


async def test_quotas_that_were_written_but_not_announced_are_announced_by_the_next_attempt(
    autojump_clock: trio.abc.Clock,
) -> None:
    """An attempt whose announcement was lost has left the znode as the next one wants it."""
    zookeeper = FakeZooKeeper()
    async with following(zookeeper) as found:
        put(zookeeper, CLIENT, {"producer_byte_rate": "5"})
        record = ClientQuotaRecord(QUOTA, {"producer_byte_rate": 5.0})
        await found.administration.alter_client_quotas([QUOTA], to(record))
        assert found.metadata.image.client_quotas[QUOTA] == {"producer_byte_rate": 5.0}
        assert len(zookeeper.children(configs.CONFIG_CHANGES_PATH)) == 1
