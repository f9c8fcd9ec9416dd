"""The same scripted requests to Apache Kafka and to wirebroker, their answers compared field by field.

    answers = both.ask(ListOffsetsRequest(...), version)       # equal, or noted for verify()
    answers = both.ask(lambda side: fetch(side.topic_ids[name]), version)

What differs by nature is named before comparing: topic ids by topic, producer, member and session ids by order of
appearance, the time of now by "now", a broker's port by "own port".  Record data is compared batch by batch
with the checksum verified.  A closed connection and silence are answers too.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from compat_tests.differences import ALWAYS, Difference
from compat_tests.wire import Closed, Wire
from wirebroker.protocol.message import Data, Message
from wirebroker.protocol.messages.create_topics import CreatableTopic, CreatableTopicConfig, CreateTopicsRequest
from wirebroker.protocol.messages.fetch import PartitionData
from wirebroker.protocol.messages.init_producer_id import InitProducerIdRequest
from wirebroker.protocol.messages.list_offsets import ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic
from wirebroker.protocol.messages.produce import PartitionProduceResponse
from wirebroker.record.record_batch import CONTROL, LOG_APPEND_TIME, RecordBatch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from compat_tests.broker import Broker

NEAR_MS = 120_000
ANSWER_S = 120
UNREAD = (3, 100)
SHOWN = 6  # differing fields that are shown of an answer
CLOSED, SILENT = "connection closed", "no answer"
_TIMES = frozenset({"base_timestamp", "last_timestamp", "log_append_time_ms", "max_timestamp", "timestamp"})
_NAMED = _TIMES | {"leader", "member_id", "port", "producer_id", "session_id", "topic_id", "transaction_start_time_ms"}
_GENERATED = re.compile(r"-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
"""The end of a member id that a coordinator has made."""


@dataclass
class Side:
    """One of the two brokers, and names for the ids that it has generated."""

    name: str
    broker: Broker
    topic_ids: dict[str, bytes] = field(default_factory=dict)
    names: dict[tuple[str, object], str] = field(default_factory=dict)
    wire: Wire | None = None
    ordered: bool = True
    """Whether the order of lists is compared."""

    def ask(self, request: Message, version: int, client_id: str = "compat", wait_s: float = ANSWER_S) -> Any:
        if self.wire is None:
            self.wire = Wire(self.broker.host, self.broker.port)
        self.wire.socket.settimeout(wait_s)
        try:
            return self.wire.ask(request, version, client_id)
        except Closed:
            self.close()
            return CLOSED
        except TimeoutError:
            self.close()
            return SILENT

    def close(self) -> None:
        if self.wire is not None:
            self.wire.close()
            self.wire = None

    def named(self, kind: str, value: object) -> str:
        """The same name for the same value; the order of first sight is the same on both sides."""
        known = sum(each == kind for each, _ in self.names)
        return self.names.setdefault((kind, value), f"{kind} {known + 1}")


@dataclass
class Answers:
    """Both answers to one request."""

    kafka: Any
    wirebroker: Any

    def of(self, side: Side) -> Any:
        return self.kafka if side.name == "kafka" else self.wirebroker


class SideBySide:
    """Two brokers that get the same requests.

    Args:
        kafka: Apache Kafka.
        wirebroker: The other one.
        ordered: Whether the order of lists is compared; Apache Kafka's is often that of a hash map.
        always: Fields that are not compared in any answer.
    """

    def __init__(
        self, kafka: Broker, wirebroker: Broker, *, ordered: bool = True, always: tuple[Difference, ...] = ALWAYS
    ) -> None:
        self.sides = (Side("kafka", kafka, ordered=ordered), Side("wirebroker", wirebroker, ordered=ordered))
        self._always = always
        self.mismatches: list[str] = []
        self._asked = 0

    def ask(
        self,
        request: Message | Callable[[Side], Message],
        version: int,
        *,
        but: Difference | None = None,
        client_id: str = "compat",
        wait_s: float = ANSWER_S,
        label: str = "",
    ) -> Answers:
        """Ask both; differences beyond ALWAYS and *but* are noted for `verify`.

        An Apache Kafka that has given no answer after *wait_s* gives none; wirebroker is waited for longer.
        """
        self._asked += 1
        raw, trees = [], []
        for side in self.sides:
            message = request if isinstance(request, Message) else request(side)
            answer = side.ask(message, version, client_id, wait_s if side.name == "kafka" else max(wait_s, ANSWER_S))
            raw.append(answer)
            trees.append({"": answer} if isinstance(answer, str) else dict(_flatten(answer, "", side)))
        kafka, ours = trees
        paths = [path for path in {**kafka, **ours} if kafka.get(path, "absent") != ours.get(path, "absent")]
        paths = [path for path in paths if not any(each.covers(path) for each in self._always)]
        what = type(raw[1]).__name__ if not isinstance(raw[1], str) else "request"
        where = f"#{self._asked} {label or what} v{version}"
        if but is not None:
            if not any(but.covers(path) for path in paths):
                self.mismatches.append(f"{where}: no longer different, though differences.py says: {but.why}")
            paths = [path for path in paths if not but.covers(path)]
        for path in paths[:SHOWN]:
            theirs, mine = kafka.get(path, "absent"), ours.get(path, "absent")
            self.mismatches.append(f"{where} {path or 'outcome'}: Kafka {theirs!r:.300}, wirebroker {mine!r:.300}")
        return Answers(*raw)

    def create_topic(self, name: str, partitions: int = 1, **configs: str) -> str:
        """Create a topic on both sides, wait until it can be used, and learn its ids."""
        settings = [CreatableTopicConfig(key.replace("_", "."), value) for key, value in configs.items()]
        for side in self.sides:
            topic = CreatableTopic(name, partitions, 1, [], settings)
            answer = side.ask(CreateTopicsRequest([topic], 50_000), 7)
            assert answer.topics[0].error_code == 0, (side.name, answer.topics[0])
            side.topic_ids[name] = answer.topics[0].topic_id
            side.names["topic", answer.topics[0].topic_id] = f"id of {name}"
            self._wait_for_leaders(side, name, partitions)
        return name

    def _wait_for_leaders(self, side: Side, name: str, partitions: int) -> None:
        deadline = time.monotonic() + ANSWER_S
        while time.monotonic() < deadline:
            # Kafka's metadata names a leader before that leader takes requests, so ask the leader itself
            wanted = [ListOffsetsPartition(number, -1, -1) for number in range(partitions)]
            answer = side.ask(ListOffsetsRequest(-1, 0, [ListOffsetsTopic(name, wanted)]), 4)
            if all(each.error_code == 0 for each in answer.topics[0].partitions):
                return
            time.sleep(0.02)
        raise AssertionError(f"{name} got no leaders on {side.name}")

    def new_producer(self) -> Answers:
        """A producer id from each; Kafka hands none out in its first moments."""
        answers = []
        for side in self.sides:
            for _ in range(600):
                answer = side.ask(InitProducerIdRequest(None, 60_000), 4)
                if answer.error_code == 0:
                    break
                time.sleep(0.1)
            assert answer.error_code == 0, (side.name, answer)
            side.named("producer", answer.producer_id)
            answers.append(answer)
        return Answers(*answers)

    def begin(self) -> None:
        """Forget the differences, producers and sessions of an earlier test."""
        self.mismatches.clear()
        for side in self.sides:
            side.names = {key: name for key, name in side.names.items() if key[0] == "topic"}

    def verify(self) -> None:
        assert not self.mismatches, "\n".join(self.mismatches)

    def close(self) -> None:
        for side in self.sides:
            side.close()


def _flatten(value: object, path: str, side: Side) -> Iterator[tuple[str, object]]:
    """(path, comparable value) of everything in an answer."""
    name = path.rsplit(".", 1)[-1]
    if isinstance(value, Data):
        for part in value.FIELDS:
            yield from _flatten(getattr(value, part), f"{path}.{part}".lstrip("."), side)
    elif isinstance(value, list):
        yield f"{path}.length", len(value)
        if value and isinstance(value[0], PartitionProduceResponse):
            value = sorted(value, key=lambda each: int(each.index))  # Kafka's come in the order of a hash map
        if value and isinstance(value[0], PartitionData):
            value = sorted(value, key=lambda each: each.error_code in UNREAD)  # Kafka adds those that it cannot find
        if not side.ordered:
            value = sorted(value, key=lambda each: _order(each, side))
        for number, item in enumerate(value):
            yield from _flatten(item, f"{path}[{number}]", side)
    elif name == "records":
        yield from _flatten_records(value, path, side)
    else:
        yield path, _comparable(name, value, side)


def _order(value: object, side: Side) -> str:
    """A text by which both sides sort a list alike: what the value says, ids by their names, without what is masked."""
    if not isinstance(value, Data):
        return repr(value)
    names = [side.names.get((kind, getattr(value, f"{kind}_id", None)), "") for kind in ("member", "producer")]
    return repr([*(_order(getattr(value, name), side) for name in value.FIELDS if name not in _NAMED), *names])


def _comparable(name: str, value: object, side: Side) -> object:
    if name == "topic_id":
        return side.named("topic", value) if value != bytes(16) else "none"
    if name == "producer_id" and isinstance(value, int) and value >= 0:
        return side.named("producer", value)
    if name in {"member_id", "leader"} and isinstance(value, str) and _GENERATED.search(value):
        return side.named("member", value)
    if name == "session_id" and value:
        return side.named("session", value)
    if name == "port" and value == side.broker.port:
        return "own port"
    if name in _TIMES and isinstance(value, int):
        return "now" if abs(value - time.time() * 1000) < NEAR_MS else value
    return value


_HEADER = (
    "base_offset", "partition_leader_epoch", "magic", "attributes", "last_offset_delta", "base_timestamp",
    "max_timestamp", "producer_id", "producer_epoch", "base_sequence", "record_count",
)  # fmt: skip


def _flatten_records(value: Any, path: str, side: Side) -> Iterator[tuple[str, object]]:
    if value is None:
        yield path, None
        return
    data, at, number = bytes(value), 0, 0
    while at + 61 <= len(data):
        if at + 12 + int.from_bytes(data[at + 8 : at + 12], "big") > len(data):
            break
        batch = RecordBatch.parse(data, at)
        where = f"{path}.batch[{number}]"
        for name in _HEADER:
            yield f"{where}.{name}", _comparable(name, getattr(batch, name), side)
        yield f"{where}.crc", "right" if batch.is_valid() else "wrong"
        stamped = bool(batch.attributes & (LOG_APPEND_TIME | CONTROL))
        yield (
            f"{where}.records",
            [tuple(record._replace(timestamp=-1) if stamped else record) for record in batch.records()],
        )
        at, number = at + batch.size_bytes, number + 1
    yield f"{path}.batches", number
    yield f"{path}.rest", data[at:] if side.ordered else bool(data[at:])
