"""``python -m tools.bench.message_codecs [--against CHECKOUT]``: time to decode requests and to encode responses.

CPU time of the generated functions, in ns.  With ``--against`` the functions of another checkout of wirebroker are
timed in the same process, in turns of 0.4 ms, and the fastest tenth of the turns counts: on a busy machine the two
figures of a row agree within 2 % when the code is the same.
"""

import argparse
import gc
import math
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple

from tools.codegen import codecs

TURN_NS: Final = 400_000
TURNS: Final = 100
TOPIC_ID: Final = bytes(range(16))
MEMBER_ID: Final = "consumer-1-00000000-1111-2222-3333-444444444444"
PACKAGE: Final = "wirebroker"


class Row(NamedTuple):
    """One message at one version; requests are decoded, responses are encoded."""

    text: str
    version: int
    message: Any


def _module(name: str) -> Any:
    return import_module(f"{PACKAGE}.protocol.messages.{name}")


def _produce(version: int, partitions: int) -> list[Any]:
    m = _module("produce")
    topic = {"name": "flights"} if version < 13 else {"topic_id": TOPIC_ID}
    data = [m.PartitionProduceData(index, memoryview(bytes(120))) for index in range(partitions)]
    answers = [m.PartitionProduceResponse(index, 0, 1_234_567) for index in range(partitions)]
    return [
        m.ProduceRequest(None, 1, 30_000, [m.TopicProduceData(partition_data=data, **topic)]),
        m.ProduceResponse([m.TopicProduceResponse(partition_responses=answers, **topic)]),
    ]


def _fetch(version: int, partitions: int) -> list[Any]:
    m = _module("fetch")
    topic = {"topic": "flights"} if version < 13 else {"topic_id": TOPIC_ID}
    wanted = [m.FetchPartition(index, fetch_offset=100, partition_max_bytes=1 << 20) for index in range(partitions)]
    found = [
        m.PartitionData(index, 0, 1000, aborted_transactions=None if version >= 4 else [], records=bytes(100))
        for index in range(partitions)
    ]
    return [
        m.FetchRequest(max_wait_ms=500, min_bytes=1, topics=[m.FetchTopic(partitions=wanted, **topic)]),
        m.FetchResponse(responses=[m.FetchableTopicResponse(partitions=found, **topic)]),
    ]


def _metadata(version: int, partitions: int) -> list[Any]:
    m = _module("metadata")
    nodes = {"leader_id": 1, "replica_nodes": [1, 2, 3], "isr_nodes": [1, 2, 3]}
    found = [m.MetadataResponsePartition(partition_index=index, **nodes) for index in range(partitions)]
    brokers = [m.MetadataResponseBroker(node_id, "localhost", 9092) for node_id in range(3)]
    topics = [m.MetadataResponseTopic(name="flights", partitions=found)]
    return [
        m.MetadataRequest(topics=[m.MetadataRequestTopic(name="flights")]),
        m.MetadataResponse(brokers=brokers, cluster_id="cluster", controller_id=1, topics=topics),
    ]


def _offset_commit(version: int, partitions: int) -> list[Any]:
    m = _module("offset_commit")
    topic = {"name": "flights"} if version < 10 else {"topic_id": TOPIC_ID}
    offsets = [m.OffsetCommitRequestPartition(index, 100, committed_metadata="") for index in range(partitions)]
    answers = [m.OffsetCommitResponsePartition(index, 0) for index in range(partitions)]
    return [
        m.OffsetCommitRequest("group", 5, MEMBER_ID, topics=[m.OffsetCommitRequestTopic(partitions=offsets, **topic)]),
        m.OffsetCommitResponse(topics=[m.OffsetCommitResponseTopic(partitions=answers, **topic)]),
    ]


def _heartbeat(version: int, partitions: int) -> list[Any]:
    m = _module("heartbeat")
    return [m.HeartbeatRequest("group", 5, MEMBER_ID), m.HeartbeatResponse()]


def _join_group(version: int, partitions: int) -> list[Any]:
    m = _module("join_group")
    protocols = [m.JoinGroupRequestProtocol("range", bytes(40)), m.JoinGroupRequestProtocol("sticky", bytes(60))]
    members = [m.JoinGroupResponseMember(MEMBER_ID, None, bytes(40))]
    return [
        m.JoinGroupRequest("group", 45_000, 300_000, MEMBER_ID, None, "consumer", protocols),
        m.JoinGroupResponse(generation_id=5, protocol_name="range", leader=MEMBER_ID, members=members),
    ]


CASES: Final[tuple[tuple[Callable[[int, int], list[Any]], tuple[tuple[int, int], ...]], ...]] = (
    (_produce, ((7, 1), (9, 1), (12, 1), (13, 1), (12, 20))),
    (_fetch, ((4, 1), (11, 1), (12, 1), (13, 1), (18, 1), (11, 100), (13, 100))),
    (_metadata, ((8, 10), (9, 10), (13, 10))),
    (_offset_commit, ((7, 1), (9, 1), (10, 1))),
    (_heartbeat, ((3, 1), (4, 1))),
    (_join_group, ((5, 1), (7, 1), (9, 1))),
)
"""Messages -> (version, partitions) to time."""


def rows() -> list[Row]:
    """The messages, of the classes of the checkout that is imported now."""
    return [
        Row(f"{type(message).__name__} v{version} x{partitions}", version, message)
        for build, variants in CASES
        for version, partitions in variants
        for message in build(version, partitions)
    ]


def rows_of(checkout: Path) -> list[Row]:
    """The same for another checkout; what is imported already stays as it is."""
    ours = {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] == PACKAGE}
    sys.path.insert(0, str(checkout))
    try:
        return rows()
    finally:
        sys.path.pop(0)
        for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
            del sys.modules[name]
        sys.modules.update(ours)


def work(row: Row, data: bytes) -> Callable[[int], None]:
    """A function that decodes or encodes the message of *row* so many times; *data* is the message at its version."""
    cls, version, message = type(row.message), row.version, row.message
    if cls.__name__.endswith("Request"):
        reader, buffer = cls.READERS[version], memoryview(data) if cls.HAS_RECORDS else data

        def decode(times: int) -> None:
            for _ in range(times):
                reader(buffer, 0, version)

        return decode
    writer = cls.WRITERS[version]

    def encode(times: int) -> None:
        out = bytearray()
        for _ in range(times):
            writer(message, out, version)
            out.clear()

    return encode


def measure(works: list[Callable[[int], None]]) -> list[float]:
    """CPU time of one call of each of *works*, in ns."""
    began = time.process_time_ns()
    works[0](100)
    times = max(5, TURN_NS * 100 // max(1, time.process_time_ns() - began))
    turns: list[list[float]] = [[] for _ in works]
    for number in range(TURNS):
        for position in range(len(works))[:: 1 if number % 2 else -1]:
            began = time.process_time_ns()
            works[position](times)
            turns[position].append((time.process_time_ns() - began) / times)
    return [sum(sorted(each)[: TURNS // 10]) / (TURNS // 10) for each in turns]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.bench.message_codecs", description=__doc__)
    parser.add_argument("--against", type=Path, help="another checkout of wirebroker")
    parser.add_argument("--only", default="", help="rows with this text")
    options = parser.parse_args(arguments)
    ours = rows()
    theirs = ours if options.against is None else rows_of(options.against)
    ratios = []
    gc.disable()
    for row, other in zip(ours, theirs, strict=True):
        if options.only not in row.text:
            continue
        data = codecs.encode(row.message, row.version)
        if options.against is None:
            print(f"{row.text:32} {measure([work(row, data)])[0]:9.0f} ns")
            continue
        before, now = measure([work(other, data), work(row, data)])
        ratios.append(now / before)
        print(f"{row.text:32} {before:9.0f} ns {now:9.0f} ns {100 * (now / before - 1):+6.1f} %")
    if ratios:
        print(f"{'geometric mean':54} {100 * (math.prod(ratios) ** (1 / len(ratios)) - 1):+6.1f} %")
    return 0


if __name__ == "__main__":
    sys.exit(main())
