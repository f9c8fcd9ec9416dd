"""Members of a group, one class per published Python client, behind the same few methods."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import TYPE_CHECKING, Any, Protocol, Self

from compat_tests.limits import join

if TYPE_CHECKING:
    from collections.abc import Coroutine

PATIENCE_S = 120
SESSION_MS = 10_000
"""For members that are killed, and are to be missed soon."""
LONG_SESSION_MS = 30_000
"""For the others, which a busy machine may keep from their heartbeats."""
METADATA_REFRESH_MS = 2000


class GroupMember(Protocol):
    """A consumer that subscribes; nothing is committed but by `commit`."""

    def __init__(self, bootstrap: str, group: str, topic: str, instance: str | None = None) -> None: ...

    def poll(self, timeout_s: float) -> list[tuple[int, int, bytes]]:
        """(partition, offset, value) of what came."""

    def owned(self) -> set[int]:
        """Partitions that are assigned now."""

    def commit(self) -> None:
        """Commit the position and wait for it."""

    def close(self) -> None: ...


class ConfluentMember:
    """librdkafka, cooperative-sticky or range."""

    def __init__(
        self,
        bootstrap: str,
        group: str,
        topic: str,
        instance: str | None = None,
        strategy: str = "range",
        **more: str | int,
    ) -> None:
        from confluent_kafka import Consumer

        settings: dict[str, Any] = {
            "bootstrap.servers": bootstrap,
            "group.id": group,
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            "log_level": 0,
            "session.timeout.ms": LONG_SESSION_MS,
            "heartbeat.interval.ms": 500,
            "partition.assignment.strategy": strategy,
            # librdkafka 2.16 loses the Metadata request of a join if the connection breaks and it goes back to its
            # bootstrap servers (KIP-899): it joins after the next refresh, with its default 5 minutes later
            "topic.metadata.refresh.interval.ms": METADATA_REFRESH_MS,
            **{name.replace("_", "."): value for name, value in more.items()},
        }
        if instance is not None:
            settings["group.instance.id"] = instance
        self._consumer = Consumer(settings)
        # With a callback, librdkafka gives up partitions in `poll` only, never between a look at them and their commit.
        self._consumer.subscribe([topic], on_revoke=lambda _consumer, _partitions: None)

    def poll(self, timeout_s: float) -> list[tuple[int, int, bytes]]:
        found = []
        for message in self._consumer.consume(500, timeout_s):
            assert message.error() is None, message.error()
            found.append((message.partition(), message.offset(), message.value()))
        return found

    def owned(self) -> set[int]:
        return {each.partition for each in self._consumer.assignment()}

    def commit(self) -> None:
        self._consumer.commit(asynchronous=False)

    def member_id(self) -> str:
        """The member id; empty before the member has joined."""
        return str(self._consumer.memberid() or "")

    def commit_as(self, metadata: str) -> list[tuple[int, int, str]]:
        """Commit the positions with *metadata*: (partition, offset, metadata) that the broker acknowledged."""
        from confluent_kafka import TopicPartition

        read = [each for each in self._consumer.position(self._consumer.assignment()) if each.offset >= 0]
        if not read:
            return []
        wanted = [TopicPartition(each.topic, each.partition, each.offset, metadata) for each in read]
        done = self._consumer.commit(offsets=wanted, asynchronous=False)
        return [(each.partition, each.offset, metadata) for each in done if each.error is None]

    def close(self) -> None:
        self._consumer.close()


class CooperativeMember(ConfluentMember):
    """librdkafka with the cooperative-sticky assignor, which revokes only partitions that move."""

    def __init__(self, bootstrap: str, group: str, topic: str, instance: str | None = None) -> None:
        super().__init__(bootstrap, group, topic, instance, "cooperative-sticky")


class KafkaPythonMember:
    """kafka-python."""

    def __init__(self, bootstrap: str, group: str, topic: str, instance: str | None = None) -> None:
        from kafka import KafkaConsumer

        self._consumer = KafkaConsumer(
            topic,
            bootstrap_servers=bootstrap,
            group_id=group,
            group_instance_id=instance,
            auto_offset_reset="earliest",
            enable_auto_commit=False,
            session_timeout_ms=LONG_SESSION_MS,
            heartbeat_interval_ms=500,
        )

    def poll(self, timeout_s: float) -> list[tuple[int, int, bytes]]:
        # kafka-python 3.0 forgets an assignment that comes after a poll has timed out: never be that short
        found = self._consumer.poll(timeout_ms=int(max(timeout_s, 0.5) * 1000), max_records=500)
        return [(each.partition, each.offset, each.value) for records in found.values() for each in records]

    def owned(self) -> set[int]:
        return {each.partition for each in self._consumer.assignment()}

    def commit(self) -> None:
        self._consumer.commit(timeout_ms=PATIENCE_S * 1000)

    def close(self) -> None:
        self._consumer.close(autocommit=False)


class AioKafkaMember:
    """aiokafka on an event loop and thread of its own."""

    def __init__(self, bootstrap: str, group: str, topic: str, instance: str | None = None) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._consumer: Any = None
        self._run(self._start(bootstrap, group, topic, instance))

    def _run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(2 * PATIENCE_S)

    async def _start(self, bootstrap: str, group: str, topic: str, instance: str | None) -> None:
        from aiokafka import AIOKafkaConsumer

        self._consumer = AIOKafkaConsumer(
            topic,
            bootstrap_servers=bootstrap,
            group_id=group,
            group_instance_id=instance,
            auto_offset_reset="earliest",
            enable_auto_commit=False,
            session_timeout_ms=LONG_SESSION_MS,
            heartbeat_interval_ms=500,
        )
        await asyncio.wait_for(self._consumer.start(), PATIENCE_S)

    async def _poll(self, timeout_s: float) -> list[tuple[int, int, bytes]]:
        found = await self._consumer.getmany(timeout_ms=int(timeout_s * 1000), max_records=500)
        return [(each.partition, each.offset, each.value) for records in found.values() for each in records]

    def poll(self, timeout_s: float) -> list[tuple[int, int, bytes]]:
        found: list[tuple[int, int, bytes]] = self._run(self._poll(timeout_s))
        return found

    def owned(self) -> set[int]:
        return {each.partition for each in self._consumer.assignment()}

    def commit(self) -> None:
        self._run(self._consumer.commit())

    def close(self) -> None:
        self._run(self._consumer.stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        join(self._thread)
        self._loop.close()


MEMBERS: dict[str, type[GroupMember]] = {
    "confluent-kafka": ConfluentMember,
    "confluent-kafka cooperative": CooperativeMember,
    "kafka-python": KafkaPythonMember,
    "aiokafka": AioKafkaMember,
}


class MemberPool:
    """Members that are polled in turn by one thread, and what each has read."""

    def __init__(self) -> None:
        self.members: list[GroupMember] = []
        self.read: list[tuple[int, int, bytes]] = []

    def add(self, member: GroupMember) -> GroupMember:
        self.members.append(member)
        return member

    def leave(self, member: GroupMember) -> None:
        self.members.remove(member)
        member.close()

    def poll_until(self, done: Any, timeout_s: float = PATIENCE_S) -> None:
        deadline = time.monotonic() + timeout_s
        while not done():
            assert time.monotonic() < deadline, f"still not so: {[each.owned() for each in self.members]}"
            for member in self.members:
                self.read += member.poll(0.05)

    def shares(self, partitions: int) -> bool:
        """Whether every partition has one owner and every member some partition."""
        owned = [each.owned() for each in self.members]
        return all(owned) and sorted(p for each in owned for p in each) == list(range(partitions))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for member in self.members:
            member.close()
