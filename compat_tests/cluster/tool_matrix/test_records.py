"""Tools that read and delete records, and look at logs and replicas."""

from __future__ import annotations

import subprocess
from functools import partial
from typing import TYPE_CHECKING

import pytest

from compat_tests.broker import running
from compat_tests.cluster.compared_tools import masked
from compat_tests.cluster.tool_matrix.scenario import NOW, create, file, produce

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from compat_tests.cluster.compared_tools import ComparedTools
    from compat_tests.cluster.mixed_cluster import MixedCluster

pytestmark = pytest.mark.nightly


def test_offsets_and_records(tools: ComparedTools, tmp_path: Path) -> None:
    create(tools, "records", {0: (0, 1), 1: (1, 2), 2: (2, 0)})
    for partition in range(3):
        tools.on_both(partial(produce, "records", partition, [b"value"] * 10 * (partition + 1)))
    where = "--broker-list" if tools.dist.version < "3" else None
    offsets = partial(tools.compare, "kafka-get-offsets", where=where, ordered=False)
    for when in ("-1", "-2", str(NOW + 5), str(NOW + 10**9)):
        offsets("--topic", "records", "--time", when, settles=True)
    offsets("--topic", "records", "--partitions", "0,2")
    offsets("--topic", "nobody", "--time", "-1")
    if tools.dist.version >= "3":
        for when in ("earliest", "latest", "max-timestamp", "earliest-local", "latest-tiered", "-3", "-4", "-5"):
            offsets("--topic", "records", "--time", when)
        offsets("--topic-partitions", "records:0,rec.*:1-2")
        offsets("--exclude-internal-topics", settles=True)
    wanted = [{"topic": "records", "partition": at, "offset": end} for at, end in ((0, 4), (1, -1), (2, 1000))]
    delete = partial(tools.compare, "kafka-delete-records", "--offset-json-file", ordered=False)
    delete(file(tmp_path / "delete.json", {"version": 1, "partitions": wanted}))
    delete(file(tmp_path / "unknown.json", {"partitions": [{"topic": "records", "partition": 9, "offset": 1}]}))
    delete(file(tmp_path / "nobody.json", {"partitions": [{"topic": "nobody", "partition": 0, "offset": 1}]}))
    delete(file(tmp_path / "wrong.json", {"partitions": [{"topic": "records", "partition": 0, "offset": -2}]}))
    offsets("--topic", "records", "--time", "-2", settles=True)


def test_log_dirs(tools: ComparedTools) -> None:
    create(tools, "kept", {0: (0, 1), 1: (1, 2)})
    tools.on_both(partial(produce, "kept", 0, [b"value"] * 10))
    for options in ([], ["--broker-list", "1"], ["--broker-list", "0,9"]):
        tools.compare("kafka-log-dirs", "--describe", "--topic-list", "kept", *options, settles=True)
    tools.compare("kafka-log-dirs", "--describe", "--topic-list", "absent", settles=True)


def test_replicas_are_verified(tools: ComparedTools) -> None:
    create(tools, "verified", {0: (0, 1), 1: (1, 2)})
    tools.on_both(partial(produce, "verified", 0, [b"value"] * 10))
    tools.on_both(partial(produce, "verified", 1, [b"value"] * 10))
    name = "--topic-white-list" if tools.dist.version < "3" else "--topics-include"
    # brokers since 2.4 refuse to send what a follower has at the version of Fetch with which tools before 2.4 ask
    compares = tools.dist.version >= "2.4" or tools.theirs.dist.version < "2.4"

    def reports(cluster: MixedCluster) -> str:
        """The first line and one report: the first that finds no lag, or the third where tools never find that.

        There is a report every second, with a lag while a follower does not know the newest high watermark.
        """
        what = ["--broker-list", cluster.bootstrap(), name, "verified", "--report-interval-ms", "1000", "--time", "-2"]
        command = tools.dist.command("kafka-replica-verification", *what)
        started, told = "", []
        with running(command, within_s=180, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as tool:
            assert tool.stdout is not None
            for line in tool.stdout:
                text = line.partition(": ")[2]
                if "max lag" not in text:
                    started += text
                    continue
                told.append(text)
                if "max lag is 0" in text or (not compares and len(told) == 3):
                    break
            tool.kill()
        return masked(cluster, started + "".join(told[-1:]))

    theirs, ours = tools.on_both(reports)
    assert ("max lag is 0" if compares else "max lag is 10") in theirs
    if theirs != ours:
        tools.differs("kafka-replica-verification", theirs, ours)


def test_logs_are_dumped(tools: ComparedTools) -> None:
    """Files of a partition that both have written, by a tool that asks no broker."""
    create(tools, "dumped", {0: (0, 1)})
    tools.on_both(partial(produce, "dumped", 0, [b"value %d" % number for number in range(10)]))
    dump = partial(tools.compare, "kafka-dump-log", where="none")

    def files(pattern: str, broker_id: int) -> Callable[[MixedCluster], str]:
        def found(cluster: MixedCluster) -> str:
            directory = cluster.brokers[broker_id].data_directory / "dumped-0"
            return ",".join(sorted(map(str, directory.glob(pattern))))

        return found

    for broker_id in (0, 1):
        dump("--files", files("*.log", broker_id), "--print-data-log", "--deep-iteration", settles=True)
    dump("--files", files("*.log", 0))
    dump("--files", files("*.index", 0), "--index-sanity-check")
    dump("--files", files("*.timeindex", 0), "--index-sanity-check")
