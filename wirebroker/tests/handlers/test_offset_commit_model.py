"""Random commits, members, topics and reloads: both paths of OffsetCommit answer and write the same."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from wirebroker.coordinator.loader import replay_log
from wirebroker.metadata.image import PartitionImage, TopicImage
from wirebroker.protocol.primitives import WireBuffer
from wirebroker.tests.handlers.commit_harness import (
    NOW_MS,
    Committer,
    commit,
    frame,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wirebroker.handlers.offset_commit_fast_path import (
        KnownDelayedCommit,
    )
    from wirebroker.server.dispatch import DelayedResponse


@pytest.fixture(autouse=True)
def wall_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("runtime", "partition_writer"):
        monkeypatch.setattr(f"wirebroker.coordinator.{module}.now_ms", lambda: NOW_MS)


async def bytes_of(answer: bytes | KnownDelayedCommit | DelayedResponse) -> bytes:
    """Return the bytes of an answer when it is complete."""
    if isinstance(answer, bytes):
        return answer
    done, out = trio.Event(), WireBuffer()
    answer.operation.on_response = done.set
    await done.wait()
    answer.encode(out)
    return bytes(out)


def steps(seed: int) -> Iterator[tuple[str, Any]]:
    """Yield steps of clients, and changes of the topics."""
    random = Random(seed)
    shapes: list[tuple[tuple[tuple[str, int], ...], str | None, bool]] = [
        ((("t", 0),), "", True),
        ((("t", 0), ("t", 1), ("u", 0)), "ab", True),
        ((("t", 2), ("missing", 0)), "", True),
        ((("t", 0),), None, False),
        ((("u", 0), ("t", 3)), "x" * 9, False),
    ]
    for _ in range(60):
        if random.random() < 0.12:
            yield random.choice([("join", None), ("leave", None), ("create", None), ("delete", None), ("reload", None)])
            continue
        partitions, metadata, is_member = random.choice(shapes)
        for _ in range(random.randrange(1, 5)):
            text = metadata and "".join(random.choice("abc") for _ in metadata)
            offsets = [(topic, index, random.randrange(1 << 48)) for topic, index in partitions]
            yield "commit", (offsets, text, is_member, random.choice([7, 7, 8]))


@pytest.mark.parametrize("seed", range(40))
async def test_whatever_happens_both_paths_answer_and_write_the_same_and_the_log_has_the_state(
    seed: int, monkeypatch: pytest.MonkeyPatch, nursery: trio.Nursery
) -> None:
    members: list[tuple[str, int] | None] = [None, None]
    brokers = [await Committer.new(offset_metadata_max_bytes=8) for _ in range(2)]
    for broker in brokers:  # a segment whose index is full is rolled in a thread
        nursery.start_soon(broker.partition.executor.run)
        nursery.start_soon(broker.groups.runtime.run)
    await wait_all_tasks_blocked()
    served = 0
    for number, (what, details) in enumerate(steps(seed)):
        answers = []
        for at, broker in enumerate(brokers):
            if what == "commit":
                offsets, metadata, is_member, version = details
                member_id, generation = members[at] or ("", -1) if is_member else ("", -1)
                asked = commit(*offsets, metadata=metadata, member=member_id, generation=generation, epoch=number)
                received = frame(asked, version, number)
                answer = broker.fast(received) if at else None
                served += answer is not None
                answers.append(await bytes_of(await broker.general(received) if answer is None else answer))
                if not at:
                    broker.connect()
            elif what == "join":
                if members[at] is None:
                    monkeypatch.setattr("wirebroker.coordinator.group.join_group.uuid4", lambda: f"u{number}")  # noqa: B023
                    members[at] = await broker.join()
            elif what == "leave":
                if (member := members[at]) is not None:
                    await broker.leave(member[0])
                    members[at] = None
            elif what == "reload":
                await broker.groups.runtime.load(0, broker.partition)
            else:
                topics = dict(broker.harness.metadata.image.topics)
                if what == "create" and "missing" not in topics:
                    topics["missing"] = TopicImage("missing", b"m" * 16, (PartitionImage(0, 0, (0,), (0,)),))
                elif what == "delete":
                    topics.pop("missing", None)
                broker.harness.publish(topics)
        if what == "commit":
            assert answers[0] == answers[1]
    assert served > 10
    general, fast = brokers
    assert fast.log_bytes() == general.log_bytes()
    live, twin = fast.manager, general.manager
    assert live.offsets.all_groups() == twin.offsets.all_groups()
    shard: Any = fast.groups._new_shard(0)
    await replay_log(fast.partition, shard)
    for _ in shard.finish_replay():
        pass
    assert dict(shard.manager.offsets.all_groups()) == dict(live.offsets.all_groups())
    assert shard.manager.groups.keys() == live.groups.keys()
    nursery.cancel_scope.cancel()
