"""`wirebroker cluster up`: a cluster of both kinds serves clients, and nothing is left when it is stopped."""

from __future__ import annotations

import itertools
import json
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from confluent_kafka.admin import AdminClient, NewTopic

from compat_tests.broker import running
from compat_tests.conftest import wait_until
from compat_tests.limits import WITHIN_S
from compat_tests.versions import KAFKA
from tools.jvm.ports import free_ports

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

_PID = re.compile(r" (\d+)  /\S+\.log$", re.MULTILINE)
_AGAIN = re.compile(r"start it again with: (wirebroker start .*)")
_UP_S = 180


def up(*options: str, temporary: Path) -> AbstractContextManager[subprocess.Popen[str]]:
    """Run `cluster up`; the process is killed at the end of the block if it still runs."""
    port, zookeeper_port = free_ports(2)
    command = [sys.executable, "-m", "wirebroker", "cluster", "up", *options]
    command += ["--port", str(port), "--zookeeper-port", str(zookeeper_port)]
    environment = os.environ | {"TMPDIR": str(temporary)}
    return running(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def lines_until_ready(process: subprocess.Popen[str]) -> Iterator[str]:
    assert process.stdout is not None
    for line in process.stdout:
        yield line
        if line.startswith("Ctrl-C"):
            return


def is_running(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_cluster_of_both_kinds_comes_up_and_goes(tmp_path: Path) -> None:
    options = ("--brokers", "1", "--kafka", "1", "--kafka-version", KAFKA, "--racks", "a,b")
    with up(*options, temporary=tmp_path) as process:
        printed = "".join(lines_until_ready(process))
        pids = _PID.findall(printed)
        assert len(pids) == 3, printed
        (servers,) = re.findall(r"^bootstrap servers: (\S+)$", printed, re.MULTILINE)
        admin = AdminClient({"bootstrap.servers": servers})
        admin.create_topics([NewTopic("t", 2, 2)])["t"].result(WITHIN_S)
        describe = [sys.executable, "-m", "wirebroker", "cluster", "describe", "-b", servers, "--format", "json"]

        def described() -> dict[str, object]:
            """The description of the cluster; empty while the command fails, as a controller was killed."""
            done = subprocess.run(describe, stdout=subprocess.PIPE, timeout=WITHIN_S, check=False)
            found: dict[str, object] = json.loads(done.stdout) if done.returncode == 0 else {}
            return {key: value for key, value in found.items() if key != "cluster_id"}

        def is_whole() -> bool:
            found = described()
            return found.get("partitions") == 2 and found["under_replicated_partitions"] == 0

        wait_until(is_whole)
        brokers = described()["brokers"]
        assert isinstance(brokers, list)
        assert [(each["rack"], each["leader_count"], each["replica_count"]) for each in brokers] == [
            ("a", 1, 2),
            ("b", 1, 2),
        ]
        os.kill(int(pids[0]), signal.SIGKILL)  # the first row is broker 0, a wirebroker
        assert process.stderr is not None
        (again,) = itertools.islice(filter(None, map(_AGAIN.match, process.stderr)), 1)
        words = [sys.executable, "-m", *shlex.split(again[1])]
        with (tmp_path / "again.log").open("wb") as log, running(words, stdout=log, stderr=log):
            wait_until(lambda: b"ready: broker 0" in (tmp_path / "again.log").read_bytes())
            wait_until(is_whole)
        (tmp_path / "again.log").unlink()
        process.send_signal(signal.SIGTERM)
        assert process.wait(WITHIN_S) == 0
        assert not [pid for pid in pids if is_running(pid)]
        assert not list(tmp_path.iterdir())
