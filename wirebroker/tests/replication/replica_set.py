"""Three brokers with one partition in memory, and a controller that is a part of the test."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from wirebroker.metadata.cache import MetadataCache
from wirebroker.metadata.image import BrokerImage, ClusterImage
from wirebroker.model import LeaderAndIsr, LeaderRecoveryState, TopicPartition
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.fetch import FetchPartition, FetchTopic
from wirebroker.record.record_batch import batches
from wirebroker.replication.fetch_messages import fetch_messages
from wirebroker.replication.fetch_params import FetchParams
from wirebroker.replication.fetch_session import requested_partitions
from wirebroker.replication.follower_append import FetchedRecords
from wirebroker.replication.leader_state import IsrRules
from wirebroker.replication.replica_manager import ReplicaManager
from wirebroker.storage.log_slice import LogSlice
from wirebroker.tests.storage.fakes.disk import FakeDisk
from wirebroker.tests.storage.fakes.logs import LARGE, batch, manager

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wirebroker.config.log import LogConfig
    from wirebroker.protocol.messages.fetch import PartitionData
    from wirebroker.replication.alter_partition_manager import AlterPartitionItem
    from wirebroker.replication.partition import Partition
    from wirebroker.storage.log import Log

BROKERS: Final = (1, 2, 3)
AT: Final = TopicPartition("t", 0)
TOPIC_ID: Final = bytes(15) + b"1"
STATE: Final = LeaderAndIsr(1, 1, BROKERS, 1, BROKERS, controller_epoch=1)
"""Broker 1 leads, and the others are in sync."""
RULES: Final = IsrRules(max_lag_s=10.0)
_BY_NAME: Final = 12
"""The last version of Fetch that names topics by name, and the first one with diverging epochs."""


class Broker:
    """One broker, whose proposals of an ISR wait until the test answers them."""

    def __init__(self, broker_id: int, rules: IsrRules, config: LogConfig) -> None:
        self.broker_id = broker_id
        self.logs = manager(FakeDisk(), config)
        image = ClusterImage(brokers={each: BrokerImage(each, 0, ()) for each in BROKERS})
        self.submitted: list[AlterPartitionItem] = []
        self.replicas = ReplicaManager(self.logs, MetadataCache(image), lambda: None, rules, self)
        self.log: Log = self.logs.get_or_create(*AT, TOPIC_ID, config, is_new=True)
        self.partition: Partition = self.replicas.host(AT, TOPIC_ID, self.log, 0)

    def submit(self, item: AlterPartitionItem) -> None:
        """Keep a proposal, as the AlterPartitionManager of this broker."""
        self.submitted.append(item)

    def restart(self, high_watermark: int) -> None:
        """Lose the role and everything but the log and the checkpoint with *high_watermark*."""
        self.submitted.clear()
        self.partition = self.replicas.host(AT, TOPIC_ID, self.log, high_watermark)

    async def obey(self, state: LeaderAndIsr) -> None:
        """Carry out the part of a LeaderAndIsr request, unless it is older than a known one."""
        if state.leader_epoch >= self.partition.leader_epoch:
            if state.leader == self.broker_id:
                await self.partition.make_leader(state)
            else:
                self.partition.make_follower(state)

    async def append(self, *values: bytes, acks: int = 1) -> int:
        """Append one batch as the leader, and return the offset behind it."""
        data = batch(*values, timestamp=1).buffer
        result = await self.partition.append(memoryview(bytearray(data)), None, 1, acks=acks)
        return result.last_offset + 1

    def records(self) -> list[tuple[int, bytes]]:
        """(leader epoch, value) of every record, by offset."""
        log = self.log
        data = log.read(0, 1 << 20, log.log_end_offset, True).tobytes()
        return [
            (each.partition_leader_epoch, record.value or b"") for each in batches(data) for record in each.records()
        ]


@dataclass
class Fetched:
    """The response to a follower, on its way."""

    follower: Broker
    leader_epoch: int
    fetch_offset: int
    data: PartitionData


@dataclass
class ReplicaSet:
    """The brokers, and the state of the partition as the controller has it."""

    state: LeaderAndIsr = STATE
    rules: IsrRules = RULES
    config: LogConfig = LARGE
    brokers: dict[int, Broker] = field(init=False)

    def __post_init__(self) -> None:
        self.brokers = {each: Broker(each, self.rules, self.config) for each in BROKERS}

    @property
    def leader(self) -> Broker:
        """The broker that the controller has elected."""
        return self.brokers[self.state.leader]

    async def send(self, brokers: Iterable[int] = BROKERS) -> None:
        """Send the present state to *brokers*."""
        for each in brokers:
            await self.brokers[each].obey(self.state)

    async def elect(self, leader: int, isr: tuple[int, ...] | None = None, to: Iterable[int] = BROKERS) -> None:
        """Elect *leader*, with a new *isr*, and send LeaderAndIsr *to* brokers."""
        self.state = self.state._replace(
            leader=leader,
            leader_epoch=self.state.leader_epoch + 1,
            partition_epoch=self.state.partition_epoch + 1,
            isr=self.state.isr if isr is None else isr,
        )
        await self.send(to)

    def alter_partition(self, item: AlterPartitionItem) -> LeaderAndIsr | ErrorCode:
        """Apply a proposal as a controller does, and return the outcome."""
        proposed = item.leader_and_isr
        if proposed.leader_epoch != self.state.leader_epoch:
            return ErrorCode.FENCED_LEADER_EPOCH
        if proposed.isr == self.state.isr:
            return self.state
        if proposed.partition_epoch != self.state.partition_epoch:
            return ErrorCode.INVALID_UPDATE_VERSION
        recovery = proposed.leader_recovery_state
        if recovery is LeaderRecoveryState.RECOVERING and len(proposed.isr) > 1:
            return ErrorCode.INVALID_REQUEST
        self.state = self.state._replace(
            isr=proposed.isr, leader_recovery_state=recovery, partition_epoch=self.state.partition_epoch + 1
        )
        return self.state

    def answer_all(self) -> None:
        """Apply and answer the proposals of all brokers."""
        for broker in self.brokers.values():
            while broker.submitted:
                item = broker.submitted.pop(0)
                item.completed(self.alter_partition(item))

    # -- fetches

    async def request(self, follower: int, max_bytes: int = 1 << 20, max_wait_ms: int = 0) -> Fetched | None:
        """Send a Fetch of a follower to its leader; return the response, None if the broker follows nobody."""
        broker = self.brokers[follower]
        partition, log = broker.partition, broker.log
        role = partition.follower
        if role is None or role.leader < 0:
            return None
        requested = FetchPartition(
            partition=0,
            current_leader_epoch=role.leader_epoch,
            fetch_offset=log.log_end_offset,
            last_fetched_epoch=log.leader_epoch_cache.latest_epoch,
            log_start_offset=log.log_start_offset,
            partition_max_bytes=max_bytes,
        )
        params = FetchParams(_BY_NAME, follower, 0, max_wait_ms, 1, 1 << 20)
        (entry,) = requested_partitions([FetchTopic(AT.topic, bytes(16), [requested])])
        results = await fetch_messages(self.brokers[role.leader].replicas, params, [entry])
        data = results.by_partition[entry]
        if isinstance(data.records, LogSlice):
            data.records = data.records.tobytes()
        return Fetched(broker, role.leader_epoch, requested.fetch_offset, data)

    async def deliver(self, fetched: Fetched) -> ErrorCode:
        """Have the follower process a response, as its fetcher does; return the error code in it."""
        data, partition = fetched.data, fetched.follower.partition
        if data.error_code:
            return ErrorCode(data.error_code)
        if data.diverging_epoch.epoch >= 0:
            _, end = fetched.follower.log.end_offset_for_epoch(data.diverging_epoch.epoch)
            offset = min(data.diverging_epoch.end_offset, end if end >= 0 else data.diverging_epoch.end_offset)
            await partition.truncate_to(offset, fetched.leader_epoch)
            return ErrorCode.NONE
        records = memoryview(bytearray(data.records or b""))  # type: ignore[arg-type]
        appended = partition.append_records_at_once(
            records, fetched.leader_epoch, fetched.fetch_offset, data.high_watermark, data.log_start_offset
        )
        if isinstance(appended, FetchedRecords):
            await partition.append_fetched_records(appended)
        return ErrorCode.NONE

    async def fetch(self, *followers: int) -> None:
        """Let followers fetch once, one after the other."""
        for each in followers:
            fetched = await self.request(each)
            if fetched is not None:
                await self.deliver(fetched)

    async def catch_up(self, *followers: int) -> None:
        """Let followers fetch until they have all records and the high watermark."""
        for _ in range(4):
            await self.fetch(*followers)


async def started(**options: object) -> ReplicaSet:
    """Return a ReplicaSet whose brokers have their roles."""
    cluster = ReplicaSet(**options)  # type: ignore[arg-type]
    await cluster.send()
    return cluster


async def append_each(cluster: ReplicaSet, count: int) -> None:
    """Append so many records at the leader, a batch each."""
    for number in range(count):
        await cluster.leader.append(b"%d" % number)


async def at_log_ends(cluster: ReplicaSet, second: int, third: int, leader: int) -> None:
    """Followers 2 and 3 have as many records, and have told the leader so."""
    await append_each(cluster, min(second, third))
    await cluster.catch_up(2, 3)
    ahead = 2 if second > third else 3
    await append_each(cluster, abs(second - third))
    await cluster.catch_up(ahead)
    await append_each(cluster, leader - max(second, third))
