"""Dynamic broker settings: each key that has an effect and may change at run time, from the request to its effect."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, cast

import pytest
import trio

from wirebroker.cluster.follower_settings import follow_fetcher_count
from wirebroker.config.keys import READ_ONLY
from wirebroker.config.registry import BROKER_KEYS, TOPIC_KEYS
from wirebroker.config.topic import field
from wirebroker.controller.topic_rules import NewTopic
from wirebroker.handlers.config_changes import OpType
from wirebroker.handlers.configs import handle_incremental_alter_configs
from wirebroker.log_cleaner import LogCleaner
from wirebroker.log_cleaner import _limits as cleaner_limits
from wirebroker.metadata.image import BROKER_RESOURCE
from wirebroker.model import BrokerEndpoint
from wirebroker.protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from wirebroker.protocol.messages.metadata import MetadataRequest
from wirebroker.replication.replica_manager import ReplicaManager
from wirebroker.scheduler import Scheduler
from wirebroker.server.connection_quotas import ConnectionQuotas
from wirebroker.startup import configure_logs
from wirebroker.storage.log_manager import LogManager
from wirebroker.tests.controller.fakes import controller_harness
from wirebroker.tests.handlers.txn_harness import TxnHarness

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from wirebroker.tests.controller.fakes import ControllerHarness

TOPIC_DEFAULTS: Final = {
    "compression.gzip.level": "5",
    "compression.lz4.level": "5",
    "compression.type": "zstd",
    "compression.zstd.level": "5",
    "log.cleaner.delete.retention.ms": "9",
    "log.cleaner.max.compaction.lag.ms": "1000000",
    "log.cleaner.min.cleanable.ratio": "0.25",
    "log.cleaner.min.compaction.lag.ms": "9",
    "log.cleanup.policy": "compact",
    "log.flush.interval.messages": "7",
    "log.flush.interval.ms": "8",
    "log.index.interval.bytes": "99",
    "log.index.size.max.bytes": "1000",
    "log.message.downconversion.enable": "false",
    "log.message.timestamp.after.max.ms": "5",
    "log.message.timestamp.before.max.ms": "5",
    "log.message.timestamp.difference.max.ms": "5",
    "log.message.timestamp.type": "LogAppendTime",
    "log.preallocate": "true",
    "log.retention.bytes": "55",
    "log.retention.ms": "66",
    "log.roll.jitter.ms": "7",
    "log.roll.ms": "8",
    "log.segment.bytes": "5000",
    "log.segment.delete.delay.ms": "9",
    "message.max.bytes": "12345",
    "min.insync.replicas": "2",
    "unclean.leader.election.enable": "true",
}
"""Keys that give the defaults of topics, with values that are no defaults."""

OF_THE_START: Final = {
    "listeners": "sockets are opened before the journal",
    "listener.security.protocol.map": "it belongs to listeners",
}
"""Keys that may be changed at run time in Kafka, and must be in the file to have an effect here, with the reason."""


async def change(harness: ControllerHarness, key: str, text: str, broker: str = "") -> None:
    """Send IncrementalAlterConfigs for one key."""
    config = AlterableConfig(name=key, config_operation=OpType.SET, value=text)
    resource = AlterConfigsResource(resource_type=BROKER_RESOURCE, resource_name=broker, configs=[config])
    context = harness.context(IncrementalAlterConfigsRequest, 1)
    request = IncrementalAlterConfigsRequest(resources=[resource], validate_only=False)
    (response,) = (await handle_incremental_alter_configs(context, request)).responses
    assert response.error_code == 0, response.error_message


@pytest.mark.parametrize("name", TOPIC_DEFAULTS)
async def test_a_topic_default_reaches_the_logs(tmp_path: Path, name: str) -> None:
    topic_key = next(key for key in TOPIC_KEYS.values() if name in key.synonyms)
    async with controller_harness(tmp_path) as harness:
        await harness.controller.create_topics([NewTopic("t")])
        before = getattr(harness.replicas.configs["t"], field(topic_key.name))
        await change(harness, name, TOPIC_DEFAULTS[name])
        after = getattr(harness.replicas.configs["t"], field(topic_key.name))
        assert after == topic_key.parse(TOPIC_DEFAULTS[name]) != before


async def _max_connections(harness: ControllerHarness) -> None:
    quota = ConnectionQuotas(harness.config, 1000)
    quota.enter("a")
    assert quota.has_room()
    await change(harness, "max.connections", "1")
    assert not quota.has_room()


async def _max_connections_per_ip(harness: ControllerHarness) -> None:
    quota = ConnectionQuotas(harness.config, 1000)
    assert quota.enter("a")
    await change(harness, "max.connections.per.ip", "1")
    assert not quota.enter("a")


async def _max_connections_per_ip_overrides(harness: ControllerHarness) -> None:
    quota = ConnectionQuotas(harness.config, 1000)
    assert quota.enter("a")
    await change(harness, "max.connections.per.ip.overrides", "a:1")
    assert not quota.enter("a")
    assert quota.enter("b")


async def _max_connection_creation_rate(harness: ControllerHarness) -> None:
    quota = ConnectionQuotas(harness.config, 1000)
    for _ in range(100):
        quota.enter("a")
    assert quota.delay_s() == 0
    await change(harness, "max.connection.creation.rate", "1")
    for _ in range(100):
        quota.enter("a")
    assert quota.delay_s() > 0


async def _advertised_listeners(harness: ControllerHarness) -> None:
    context = harness.context(MetadataRequest, 12, local_host="h", local_port=1)
    endpoint = BrokerEndpoint(0, "x", 2)
    assert context.advertised(endpoint) == ("h", 1)
    await change(harness, "advertised.listeners", "PLAINTEXT://elsewhere:9", "0")
    assert context.advertised(endpoint) == ("elsewhere", 9)


async def _producer_id_expiration_ms(harness: ControllerHarness) -> None:
    used: list[int] = []

    async def run_in_order(expire: Callable[[], None]) -> None:
        expire()

    producers = SimpleNamespace(
        is_empty=False, entries={}, remove_expired_producers=lambda _, expiration_ms: used.append(expiration_ms)
    )
    partition = SimpleNamespace(log=SimpleNamespace(producer_state_manager=producers), run_in_order=run_in_order)
    replicas: Any = SimpleNamespace(log_manager=None, partitions=lambda: [partition])
    scheduler = Scheduler(harness.config, cast(ReplicaManager, replicas))
    await change(harness, "producer.id.expiration.ms", "77")
    await scheduler._expire_producers()
    assert used == [77]


async def _num_recovery_threads_per_data_dir(harness: ControllerHarness) -> None:
    log_manager = LogManager([], harness.config.current.topic_defaults)
    harness.config.subscribe(partial(configure_logs, log_manager))
    await change(harness, "num.recovery.threads.per.data.dir", "2")
    assert log_manager._recovery_threads == 2


async def _transaction_partition_verification_enable(harness: ControllerHarness) -> None:
    data_plane = await TxnHarness.open()
    data_plane.services.config = harness.config
    await data_plane.produce(0)
    assert len(data_plane.coordinator.asked) == 1
    await change(harness, "transaction.partition.verification.enable", "false")
    await data_plane.produce(1)
    assert len(data_plane.coordinator.asked) == 1


async def _log_cleaner_backoff_ms(harness: ControllerHarness) -> None:
    rounds = 0
    third = trio.Event()

    def partitions() -> list[object]:
        nonlocal rounds
        rounds += 1
        if rounds == 3:
            trio.from_thread.run_sync(third.set)
        return []

    replicas: Any = SimpleNamespace(log_manager=SimpleNamespace(log_dirs=None), partitions=partitions)
    worker: Any = SimpleNamespace(close=lambda: None)
    cleaner = LogCleaner(harness.config, replicas, make_worker=lambda: worker)
    await change(harness, "log.cleaner.backoff.ms", "1")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(cleaner.run)
        with trio.fail_after(5):  # less than the default of 15 s
            await third.wait()
        nursery.cancel_scope.cancel()


async def _num_replica_fetchers(harness: ControllerHarness) -> None:
    sizes: list[int] = []
    follow_fetcher_count(harness.config, sizes.append)
    await change(harness, "num.replica.fetchers", "2")
    assert sizes == [1, 2]


async def _log_cleaner_threads(harness: ControllerHarness) -> None:
    size = cleaner_limits(harness.config.current).dedupe_buffer_bytes
    await change(harness, "log.cleaner.threads", "2")
    assert cleaner_limits(harness.config.current).dedupe_buffer_bytes == size // 2


async def _log_cleaner_dedupe_buffer_size(harness: ControllerHarness) -> None:
    await change(harness, "log.cleaner.dedupe.buffer.size", "5000000")
    assert cleaner_limits(harness.config.current).dedupe_buffer_bytes == 5_000_000


async def _log_cleaner_io_buffer_load_factor(harness: ControllerHarness) -> None:
    await change(harness, "log.cleaner.io.buffer.load.factor", "0.5")
    assert cleaner_limits(harness.config.current).load_factor == 0.5


async def _log_cleaner_io_buffer_size(harness: ControllerHarness) -> None:
    await change(harness, "log.cleaner.io.buffer.size", "1000000")
    assert cleaner_limits(harness.config.current).io_buffer_bytes == 500_000


async def _log_cleaner_io_max_bytes_per_second(harness: ControllerHarness) -> None:
    await change(harness, "log.cleaner.io.max.bytes.per.second", "1000000")
    assert cleaner_limits(harness.config.current).max_bytes_per_second == 1_000_000


EFFECTS: Final[dict[str, Callable[[ControllerHarness], Awaitable[None]]]] = {
    "advertised.listeners": _advertised_listeners,
    "log.cleaner.backoff.ms": _log_cleaner_backoff_ms,
    "log.cleaner.dedupe.buffer.size": _log_cleaner_dedupe_buffer_size,
    "log.cleaner.io.buffer.load.factor": _log_cleaner_io_buffer_load_factor,
    "log.cleaner.io.buffer.size": _log_cleaner_io_buffer_size,
    "log.cleaner.io.max.bytes.per.second": _log_cleaner_io_max_bytes_per_second,
    "log.cleaner.threads": _log_cleaner_threads,
    "max.connection.creation.rate": _max_connection_creation_rate,
    "max.connections": _max_connections,
    "max.connections.per.ip": _max_connections_per_ip,
    "max.connections.per.ip.overrides": _max_connections_per_ip_overrides,
    "num.recovery.threads.per.data.dir": _num_recovery_threads_per_data_dir,
    "num.replica.fetchers": _num_replica_fetchers,
    "producer.id.expiration.ms": _producer_id_expiration_ms,
    "transaction.partition.verification.enable": _transaction_partition_verification_enable,
}
"""Key -> a function that changes the key and checks its effect."""


@pytest.mark.parametrize("name", EFFECTS)
async def test_a_change_has_its_effect_when_it_is_answered(tmp_path: Path, name: str) -> None:
    async with controller_harness(tmp_path) as harness:
        await EFFECTS[name](harness)


def test_every_dynamic_key_with_an_effect_is_tested() -> None:
    dynamic = {name for name, key in BROKER_KEYS.items() if key.scope is not READ_ONLY and key.effect.since is not None}
    assert TOPIC_DEFAULTS.keys() | EFFECTS.keys() | OF_THE_START.keys() == dynamic
