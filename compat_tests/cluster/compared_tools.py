"""ComparedTools: a tool of Apache Kafka on three wirebrokers and on three brokers of Apache Kafka, with one output.

with ComparedTools(directory, kafka_dist("2.8.2")) as tools:
    assert "exit code 0" in tools.same("kafka-topics", "--create", "--topic", "t", "--replica-assignment", "0:1,1:2")
    tools.await_states("t", {0: (0, {0, 1}), 1: (1, {1, 2})})
    tools.compare("kafka-topics", "--describe", "--topic", "t", settles=True)
    tools.verify()  # raises if an output differed
"""

from __future__ import annotations

import difflib
import json
import re
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Final, Self, TypeAlias, TypeVar

from compat_tests.cluster.mixed_cluster import MixedCluster
from tools.jvm.tool_runner import ToolRunner

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from tools.jvm.kafka import KafkaDist

BROKERS: Final = (0, 1, 2)
_WITHIN_S: Final = 180
_SETTLES_WITHIN_S: Final = 120
_SETTINGS: Final = {"zookeeper.session.timeout.ms": "24000"}
_MASKS: Final[tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...]] = (
    (re.compile(r"TopicId: ?[\w-]{22}"), "TopicId: ID"),
    (re.compile(r'"(topic_id|id)": ?"[\w-]{22}"'), r'"\1":"ID"'),
    (re.compile(r"\b1\d{12}\b"), "TIME"),
    (re.compile(r"[^\s\"]*/(?:wirebroker|kafka)-(\d)/data"), r"DIRECTORY-\1"),
    (re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), "UUID"),
    (re.compile(r"(?<=Isr: )[\d,]+"), lambda found: ",".join(sorted(found.group().split(",")))),
    (re.compile(r"tries=\d+|after \d+ attempt"), "ATTEMPTS"),
    (re.compile(r"\[\d{4}-\d\d-\d\d [\d:,]+\]"), "[TIME]"),
    (re.compile(r"\[I@[0-9a-f]+"), "[I@HASH"),
    (re.compile(r"Cluster ID: [\w-]{22}"), "Cluster ID: ID"),
    (re.compile(r"[ \t]+"), " "),
    (re.compile(r" *\n"), "\n"),
)
"""Applied in turn: what differs from run to run."""
_MESSAGE: Final = re.compile(r"^(.*(?:Error(?: while executing [^:\n]*)?|Exception)) ?: .*", re.MULTILINE)
_EXCEPTION: Final = re.compile(r"[\w.]+\.\w+Exception")
_LOGGING: Final = re.compile(r"\[[\d: ,-]+\] |SLF4J:|OpenJDK|\tat |Caused by:")


_Result = TypeVar("_Result")
Argument: TypeAlias = "str | Callable[[MixedCluster], str]"
"""An argument of a tool, or a function that returns it for a cluster."""


class ComparedTools:
    """Two clusters of three brokers, and the tools of one release; a context manager that ends all processes.

    Args:
        directory: Where all of them have their files.
        dist: The release of the brokers, and of the tools.
        tools: The release of the tools, if it is another one.
    """

    def __init__(self, directory: Path, dist: KafkaDist, tools: KafkaDist | None = None) -> None:
        self.directory, self.dist = directory, tools or dist
        self.theirs, self.ours = (MixedCluster(directory / name, dist) for name in ("apache-kafka", "wirebroker"))
        self._runners: dict[MixedCluster, ToolRunner] = {}
        self._stack = ExitStack()
        self._pool = ThreadPoolExecutor(2)
        self._differences: list[str] = []

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            stack.callback(self._pool.shutdown)
            for cluster in (self.theirs, self.ours):
                stack.enter_context(cluster)
                self._runners[cluster] = stack.enter_context(ToolRunner(self.dist))
            for broker_id in BROKERS:
                self.start(broker_id)
            self.on_both(lambda cluster: cluster.await_brokers(*BROKERS, timeout_s=_WITHIN_S))
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def start(self, broker_id: int) -> None:
        """Start a broker of each cluster, for the first time or again."""
        self.theirs.kafka(broker_id, settings=_SETTINGS)
        self.ours.wirebroker(broker_id, _SETTINGS)

    def on_both(self, act: Callable[[MixedCluster], _Result]) -> tuple[_Result, _Result]:
        """Do something to both clusters at once; return the results, Apache Kafka's first."""
        theirs, ours = self._pool.map(act, (self.theirs, self.ours))
        return theirs, ours

    # -- tools

    def same(self, tool: str, *arguments: Argument, zookeeper: bool = False, where: str | None = None) -> str:
        """Run a tool on both clusters; return what it prints, which must be the same but for what is masked.

        Args:
            tool: The tool.
            arguments: Its options, without the cluster's address.
            zookeeper: Whether it is asked to use ZooKeeper instead of the brokers.
            where: The option that takes the address, if it is not the usual one.
        """
        theirs, ours = self.both(tool, *arguments, zookeeper=zookeeper, where=where)
        assert ours == theirs, f"{tool} {shown(arguments)}: Apache Kafka's output and ours:\n{theirs}\n{ours}"
        return ours

    def both(
        self, tool: str, *arguments: Argument, zookeeper: bool = False, where: str | None = None
    ) -> tuple[str, str]:
        """Run a tool on both clusters; return the exit code and masked output, Apache Kafka's first."""

        def run(cluster: MixedCluster) -> str:
            option = where or ("--zookeeper" if zookeeper else "--bootstrap-server")
            address = cluster.zookeeper.connect if zookeeper else cluster.bootstrap()
            words = [each if isinstance(each, str) else each(cluster) for each in arguments]
            if option != "none":
                at = len(words) if tool == "kafka-cluster" else 0  # whose subcommand comes first
                words[at:at] = [option, address]
            done = self._runners[cluster].run(tool, *words)
            return f"exit code {done.returncode}\n{masked(cluster, done.stdout + done.stderr)}"

        return self.on_both(run)

    def compare(
        self,
        tool: str,
        *arguments: Argument,
        zookeeper: bool = False,
        where: str | None = None,
        ordered: bool = True,
        settles: bool = False,
        only: Callable[[str], str] = str,
    ) -> str:
        """Run a tool on both clusters; note a difference for `verify`; return the exit code and our masked output.

        Args:
            tool: The tool.
            arguments: Its options, without the cluster's address.
            zookeeper: Whether it is asked to use ZooKeeper instead of the brokers.
            where: The option that takes the address, if it is not the usual one; "none" if there is none.
            ordered: Whether the order of lines counts.
            settles: Whether the tool only reads and runs again while a difference may be one of time.
            only: Returns the part of an output to compare.
        """
        deadline = time.monotonic() + (_SETTLES_WITHIN_S if settles else 0)
        while True:
            outputs = self.both(tool, *arguments, zookeeper=zookeeper, where=where)
            theirs, ours = (only(each if ordered else in_order(each)) for each in outputs)
            if theirs == ours or without_messages(theirs) == without_messages(ours):
                return outputs[1]
            if time.monotonic() > deadline:
                self.differs(f"{tool} {shown(arguments)}", without_messages(theirs), without_messages(ours))
                return outputs[1]
            time.sleep(0.5)

    def differs(self, what: str, theirs: str, ours: str) -> None:
        """Note a difference for `verify`."""
        lines = difflib.unified_diff(theirs.splitlines(), ours.splitlines(), "Apache Kafka", "wirebroker", lineterm="")
        self._differences.append("\n".join([what, *lines]))

    def verify(self) -> None:
        """Forget the noted differences, and raise if there are any.

        Raises:
            AssertionError: there are some.
        """
        noted, self._differences = self._differences, []
        assert not noted, "\n\n".join(noted)

    def await_states(self, topic: str, wanted: Mapping[int, tuple[int, set[int]]]) -> None:
        """Wait until each partition has this leader and this ISR in both clusters.

        Raises:
            AssertionError: they do not in three minutes; the text has what each broker of the cluster shows.
        """

        def wait(cluster: MixedCluster) -> None:
            try:
                cluster.await_states(topic, wanted, _WITHIN_S)
            except AssertionError:
                states = {each: cluster.states(topic, each) for each in cluster.live_brokers()}
                raise AssertionError(f"{cluster.directory.name}: {topic}: {states}, not {wanted}") from None

        self.on_both(wait)


def shown(arguments: Sequence[Argument]) -> str:
    """The arguments as one line."""
    return " ".join(each if isinstance(each, str) else "(of the cluster)" for each in arguments)


def in_order(printed: str) -> str:
    """The lines in an order that does not depend on that of a hash map; the first one, of the exit code, stays."""
    first, *lines = printed.splitlines()
    return "\n".join([first, *sorted(lines)])


def without_messages(printed: str) -> str:
    """The lines without the texts of errors, which brokers word differently; the names of exceptions stay."""
    return _MESSAGE.sub(r"\1: MESSAGE", printed)


def json_in_order(line: str) -> str:
    """A line of JSON with keys and lists of objects in order; any other line as it is."""
    if not line.startswith("{"):
        return line
    try:
        document = json.loads(line)
    except ValueError:
        return line
    return json.dumps(_sorted(document), sort_keys=True) + "\n"


def _sorted(document: Any) -> Any:
    if isinstance(document, dict):
        return {name: _sorted(value) for name, value in document.items()}
    if isinstance(document, list):
        values = [_sorted(each) for each in document]
        objects = all(isinstance(each, dict) for each in values)
        return sorted(values, key=lambda each: json.dumps(each, sort_keys=True)) if objects else values
    return document


def masked(cluster: MixedCluster, printed: str) -> str:
    """The lines of *printed* without logging and without what differs from run to run."""
    for broker_id, broker in cluster.brokers.items():
        printed = printed.replace(broker.bootstrap, f"BROKER-{broker_id}")
        printed = re.sub(rf'(?<="port":){broker.port}\b', f'"PORT-{broker_id}"', printed)  # the line remains JSON
        printed = re.sub(rf"\b{broker.port}\b", f"PORT-{broker_id}", printed)
    printed = printed.replace(cluster.zookeeper.connect, "ZOOKEEPER")
    lines = []
    for line in printed.splitlines(keepends=True):
        if not _LOGGING.match(line):
            lines.append(json_in_order(line))
        elif found := _EXCEPTION.search(line):
            lines.append(f"{found.group()}\n")  # whose stack trace is logged
    printed = "".join(lines)
    for pattern, replacement in _MASKS:
        printed = pattern.sub(replacement, printed)
    return printed
