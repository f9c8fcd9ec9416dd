"""Work for the log cleaner: keyed logs of known size, one cleaning of them watched from outside, commits to reload.

A topic is filled while its cleanup policy is "delete"; from the change to "compact" on the broker's cleaner is watched
until its checkpoint says that all but the active segment is clean.
"""

import os
import random
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from tools.bench import group_wire, raw_client, wire
from tools.bench.broker_session import BrokerSession, now_ms
from tools.bench.brokers import TICKS_PER_S, ApacheKafka, Broker
from tools.bench.group_loads import LOADING
from tools.bench.loop_probe import Lag, LoopProbe

IN_FLIGHT: Final = 4
POLL_S: Final = 0.01
SAMPLE_S: Final = 0.02
CLEANING_TIMEOUT_S: Final = 300
IDLE_S: Final = 6.0
_MARKED_OFFSET: Final = 0x0102030405060708
_OFFSET_BYTES: Final = 8
_CLEANER_LOGGERS: Final = (
    "kafka.log.LogCleaner",
    "kafka.coordinator.group.GroupMetadataManager",
    "org.apache.kafka.coordinator.group.runtime.CoordinatorRuntime",
)
_LOADED: Final = re.compile(
    r"__consumer_offsets-0: loaded (?P<records>\d+) records in (?P<ours>\d+) ms"
    r"|Finished loading offsets and group metadata from __consumer_offsets-0 in (?P<theirs>\d+) milliseconds"
)


class CleaningKafka(ApacheKafka):
    """Apache Kafka that logs when it cleans and how long it takes to load offsets."""

    def command(self) -> list[str]:
        """The command of the base class, with another configuration of log4j."""
        given = next(each for each in super().command() if each.startswith("-Dlog4j.configuration="))
        text = Path(given.partition("file:")[2]).read_text()
        own = self.directory / "log4j.properties"
        own.write_text(text + "".join(f"log4j.logger.{each}=INFO\n" for each in _CLEANER_LOGGERS))
        return [f"-Dlog4j.configuration=file:{own}" if each == given else each for each in super().command()]


class KeyedLog(NamedTuple):
    """Records for one partition: *records* of *value_bytes*, each with one of *keys* keys at random."""

    records: int
    keys: int
    value_bytes: int
    batch_records: int
    segment_bytes: int

    def batches(self) -> Iterator[bytes]:
        """The batches, the same each time."""
        chance = random.Random(self.keys)
        values = chance.randbytes(4096 + self.value_bytes)
        timestamp = now_ms()
        for _ in range(self.records // self.batch_records):
            picked = [(chance.randrange(self.keys), chance.randrange(4096)) for _ in range(self.batch_records)]
            pairs = [(b"user-%08d" % key, values[at : at + self.value_bytes]) for key, at in picked]
            yield wire.keyed_batch(pairs, timestamp)


@dataclass(slots=True)
class Cleaning:
    """One cleaning as seen from outside; sizes in bytes."""

    wait_s: float
    """From the change of the policy until the cleaner began: up to log.cleaner.backoff.ms."""
    seconds: float
    """From there until the checkpoint was written."""
    cpu_s: float
    """Of the broker and the processes that it started."""
    cleaned_bytes: int
    before_bytes: int
    after_bytes: int
    memory_mb: float
    """The highest resident memory of all processes of the broker, less that before."""
    idle: Lag
    busy: Lag
    """Of a client that fetches from another topic, before the cleaning and during it."""

    @property
    def mb_per_s(self) -> float:
        """The speed, counted in bytes of the segments that were cleaned."""
        return self.cleaned_bytes / self.seconds / 1e6


def fill(session: BrokerSession, topic: str, batches: Iterable[bytes]) -> None:
    """Produce *batches*, which are of one topic with one partition."""
    first = raw_client.Prepared.of(topic, [(0, b"")])
    with raw_client.connect(session.broker.address) as sock:
        counter = raw_client.ResponseCounter(sock, first)
        open_requests = 0
        for batch in batches:
            sock.sendall(wire.produce(topic, [(0, batch)]))
            open_requests += 1
            while open_requests >= IN_FLIGHT:
                open_requests -= counter.take()
        while open_requests:
            open_requests -= counter.take()


def clean(session: BrokerSession, keyed: KeyedLog, batches: Iterable[bytes], other_topic: str) -> Cleaning:
    """Fill a new topic, have it compacted, and remove it."""
    settings = {"cleanup.policy": "delete", "retention.ms": "-1", "segment.bytes": str(keyed.segment_bytes)}
    topic = session.create_topic(1, settings)
    fill(session, topic, batches)
    broker = session.broker
    directory = broker.data / f"{topic}-0"
    logs = sorted(directory.glob("*.log"))
    sizes = [path.stat().st_size for path in logs]
    request = wire.fetch(other_topic, [(0, 0)], 4096)
    with LoopProbe(*broker.address, request) as probe:
        time.sleep(1)
        memory_before = resident_mb(broker.pid)
        with _highest_memory(broker) as highest:
            # what this process does meanwhile takes its part of the processors before the cleaning, too
            idle_end = time.monotonic() + IDLE_S
            probe.read()
            _await(lambda: (_clean_up_to(broker.data, topic), time.monotonic())[1] >= idle_end)
            idle = probe.read()
            cpu = cpu_seconds(broker)
            changed = time.perf_counter()
            alter_topic(broker, topic, {"cleanup.policy": "compact"})
            _await(lambda: _is_cleaning(broker, topic))
            began = time.perf_counter()
            probe.read()
            _await(lambda: _clean_up_to(broker.data, topic) == int(logs[-1].stem))
            ended = time.perf_counter()
        busy = probe.read()
    _await(lambda: not children(broker.pid))  # only then their CPU time is the broker's
    cpu_s = cpu_seconds(broker) - cpu
    _await(lambda: not list(directory.glob("*.deleted")))
    after = sum(path.stat().st_size for path in directory.glob("*.log"))
    session.delete_topic(topic)
    return Cleaning(
        wait_s=began - changed,
        seconds=ended - began,
        cpu_s=cpu_s,
        cleaned_bytes=sum(sizes[:-1]),
        before_bytes=sum(sizes),
        after_bytes=after,
        memory_mb=max(highest) - memory_before,
        idle=idle,
        busy=busy,
    )


def alter_topic(broker: Broker, topic: str, settings: dict[str, str]) -> None:
    """Set keys of a topic (IncrementalAlterConfigs)."""
    _alter(broker, "TOPIC", topic, settings)


def alter_broker(broker: Broker, settings: dict[str, str]) -> None:
    """Set keys of a broker (IncrementalAlterConfigs)."""
    admin = _admin(broker)  # results die with it
    (broker_id,) = admin.list_topics(timeout=CLEANING_TIMEOUT_S).brokers
    _alter(broker, "BROKER", str(broker_id), settings)


def _alter(broker: Broker, kind: str, name: str, settings: dict[str, str]) -> None:
    from confluent_kafka.admin import AlterConfigOpType, ConfigEntry, ConfigResource, ResourceType

    entries = [ConfigEntry(key, value, incremental_operation=AlterConfigOpType.SET) for key, value in settings.items()]
    resource = ConfigResource(ResourceType[kind], name, incremental_configs=entries)
    admin = _admin(broker)
    admin.incremental_alter_configs([resource])[resource].result()


def _admin(broker: Broker) -> Any:
    from confluent_kafka.admin import AdminClient

    return AdminClient({"bootstrap.servers": broker.bootstrap, "log_level": 0})


def _await(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + CLEANING_TIMEOUT_S
    while not condition():
        if time.monotonic() > deadline:
            raise raw_client.BenchError(f"the log is not clean after {CLEANING_TIMEOUT_S} s")
        time.sleep(POLL_S)


def _is_cleaning(broker: Broker, topic: str) -> bool:
    """Whether the cleaner has begun with a topic; wirebroker starts a process for that."""
    if isinstance(broker, ApacheKafka):
        return f"Beginning cleaning of log {topic}-0" in broker.log.read_text(errors="replace")
    return bool(children(broker.pid))


def _clean_up_to(data: Path, topic: str) -> int:
    """The offset below which a topic's one partition is clean, -1 if it never was cleaned."""
    found = re.search(rf"^{topic} 0 (\d+)$", (data / "cleaner-offset-checkpoint").read_text(), re.MULTILINE)
    return int(found[1]) if found else -1


# -- processes


def children(pid: int) -> list[int]:
    """The processes that *pid* has started and that have not ended.

    The kernel lists them for each thread, which takes a hundredth of the time that reading all of /proc does.
    """
    found: list[int] = []
    for task in os.scandir(f"/proc/{pid}/task"):
        try:
            found += map(int, Path(task.path, "children").read_text().split())
        except FileNotFoundError:
            pass  # the thread has ended
    return found


def cpu_seconds(broker: Broker) -> float:
    """User and system time of the broker and of its processes that have ended."""
    fields = Path(f"/proc/{broker.pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / TICKS_PER_S


def resident_mb(pid: int) -> float:
    """Resident memory of a process and of those that it has started, in 10**6 bytes."""
    return (_resident(pid) + sum(map(_resident, children(pid)))) / 1e6


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096
    except OSError:
        return 0


@contextmanager
def _highest_memory(broker: Broker) -> Iterator[list[float]]:
    """A list that grows by the resident memory of all processes, every few milliseconds."""
    found = [resident_mb(broker.pid)]
    ended = threading.Event()

    def sample() -> None:
        while not ended.wait(SAMPLE_S):
            found.append(resident_mb(broker.pid))

    thread = threading.Thread(target=sample, name="memory")
    thread.start()
    try:
        yield found
    finally:
        ended.set()
        thread.join()


# -- committed offsets


def fill_offsets(address: raw_client.Address, topic: str, groups: int, partitions: int, times: int) -> None:
    """Commit *times* for all *partitions* of *topic* in each group, one request a group each time."""
    marked = [
        group_wire.frame(group_wire.commit(f"reload-{number}", topic, 0, partitions, _MARKED_OFFSET))
        for number in range(groups)
    ]
    mark = _MARKED_OFFSET.to_bytes(_OFFSET_BYTES, "big")
    with raw_client.connect(address) as sock:
        for repeat in range(times):
            offset = repeat.to_bytes(_OFFSET_BYTES, "big")
            for first in range(0, groups, 10):
                frames = marked[first : first + 10]
                sock.sendall(b"".join(frames).replace(mark, offset))
                for _ in frames:
                    raw_client.receive(sock, int.from_bytes(raw_client.receive(sock, 4), "big"))


def await_clean_offsets(broker: Broker) -> None:
    """Wait until all but the active segment of __consumer_offsets-0 is clean."""
    directory = broker.data / "__consumer_offsets-0"

    def is_clean() -> bool:
        return _clean_up_to(broker.data, "__consumer_offsets") == max(
            int(each.stem) for each in directory.glob("*.log")
        )

    _await(is_clean)


class Load(NamedTuple):
    """One load of __consumer_offsets-0, as the broker has logged it."""

    seconds: float
    records: int
    """-1 if it does not say."""


def last_load(broker: Broker) -> Load:
    """Return the last load that the broker has logged."""
    *_, found = _LOADED.finditer(broker.log.read_text(errors="replace"))
    return Load(int(found["ours"] or found["theirs"]) / 1000, int(found["records"] or -1))


def offsets_segments(broker: Broker) -> list[Path]:
    """The log files of __consumer_offsets-0."""
    return sorted((broker.data / "__consumer_offsets-0").glob("*.log"))


def verify_offsets(address: raw_client.Address, topic: str, groups: int, partitions: int, offset: int) -> None:
    """Ask every group for the offset of the last partition; wait while a broker loads."""
    with raw_client.connect(address) as sock:
        for number in range(groups):
            request = group_wire.fetch_offset(f"reload-{number}", topic, partitions - 1)
            while (response := group_wire.ask(sock, request)).error_code in LOADING:
                time.sleep(POLL_S)
            found = response.topics[0].partitions[0]
            if response.error_code or found.committed_offset != offset:
                raise raw_client.BenchError(f"group {number} answers {response.error_code}, {found}")
