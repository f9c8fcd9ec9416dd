"""OffsetsClient: a consumer without a group's membership that commits offsets, and finds none of them lost."""

from __future__ import annotations

from typing import Final

from wirebroker.client.broker_channel import ChannelError
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.find_coordinator import FindCoordinatorRequest
from wirebroker.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from wirebroker.protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestTopic
from wirebroker.tests.simulation.clients import Client, ClusterClient
from wirebroker.tests.simulation.trace import Violation

_TOPIC: Final = "events"


class OffsetsClient(Client):
    """Commits the numbers 0, 1, 2... as offsets of one partition, and reads back what the coordinator has."""

    committed = 0
    """The count of commits that were acknowledged."""

    async def run(self) -> None:
        """Commit and read until told to stop."""
        client = self.client("coordinator")
        number, acknowledged = 0, -1
        while not self.is_stopping:
            await client.pause()
            try:
                coordinator = await client.send_to_any(FindCoordinatorRequest(self.name), 3)
                if coordinator.error_code:
                    continue
                while not self.is_stopping:
                    if not await self._commit(client, coordinator.node_id, number):
                        break
                    self.committed += 1
                    acknowledged, number = number, number + 1
                    found = await self._fetch(client, coordinator.node_id)
                    if found is not None and found != acknowledged:
                        self.observer.fail(
                            Violation(f"{self.name}: offset {acknowledged} was committed, the coordinator has {found}")
                        )
                    await self.pace.pause(client.random.uniform(0.05, 0.3), client.random)
            except ChannelError:
                pass
            number = max(number, acknowledged + 1)

    async def _commit(self, client: ClusterClient, broker_id: int, number: int) -> bool:
        partition = OffsetCommitRequestPartition(0, number)
        request = OffsetCommitRequest(self.name, topics=[OffsetCommitRequestTopic(_TOPIC, partitions=[partition])])
        response = await client.send(broker_id, request, 8)
        code = response.topics[0].partitions[0].error_code
        return bool(code == ErrorCode.NONE)

    async def _fetch(self, client: ClusterClient, broker_id: int) -> int | None:
        request = OffsetFetchRequest(self.name, [OffsetFetchRequestTopic(_TOPIC, [0])])
        response = await client.send(broker_id, request, 7)
        if response.error_code or response.topics[0].partitions[0].error_code:
            return None
        offset: int = response.topics[0].partitions[0].committed_offset
        return offset
