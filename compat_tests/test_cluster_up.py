"""`wirebroker cluster up`: a cluster of both kinds serves clients, and nothing is left when it is stopped."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from confluent_kafka.admin import AdminClient, NewTopic

from compat_tests.conftest import wait_until
from compat_tests.versions import KAFKA
from tools.jvm.kafka import free_ports

if TYPE_CHECKING:
    from collections.abc import Iterator

_PID = re.compile(r" (\d+)  /\S+\.log$", re.MULTILINE)
_UP_S = 180


def up(*options: str, temporary: Path) -> subprocess.Popen[str]:
    port, zookeeper_port = free_ports(2)
    command = [sys.executable, "-m", "wirebroker", "cluster", "up", *options]
    command += ["--port", str(port), "--zookeeper-port", str(zookeeper_port)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | {"TMPDIR": str(temporary)}
    )


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
    process = up("--brokers", "1", "--kafka", "1", "--kafka-version", KAFKA, "--racks", "a,b", temporary=tmp_path)
    try:
        printed = "".join(lines_until_ready(process))
        pids = _PID.findall(printed)
        assert len(pids) == 3, printed + (process.communicate()[1] if process.poll() is not None else "")
        (servers,) = re.findall(r"^bootstrap servers: (\S+)$", printed, re.MULTILINE)
        admin = AdminClient({"bootstrap.servers": servers})
        admin.create_topics([NewTopic("t", 2, 2)])["t"].result(60)
        describe = [sys.executable, "-m", "wirebroker", "cluster", "describe", "-b", servers, "--format", "json"]

        def described() -> dict[str, object]:
            found: dict[str, object] = json.loads(subprocess.check_output(describe, timeout=60))
            return {key: value for key, value in found.items() if key != "cluster_id"}

        wait_until(lambda: described()["partitions"] == 2 and not described()["under_replicated_partitions"], 60)
        brokers = described()["brokers"]
        assert isinstance(brokers, list)
        assert [(each["rack"], each["leader_count"], each["replica_count"]) for each in brokers] == [
            ("a", 1, 2),
            ("b", 1, 2),
        ]
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
        assert not [pid for pid in pids if is_running(pid)]
        assert not list(tmp_path.iterdir())
    finally:
        process.kill()
        process.communicate()
