"""``wirebroker demo flights`` as a process, and what may be left of it: nothing."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tools.jvm import java_options

if TYPE_CHECKING:
    from compat_tests.broker import Wirebroker

WITHIN_S = 15 * 60
COMMAND = (sys.executable, "-m", "wirebroker", "demo", "flights")
STEP = re.compile(r"(load the flights|produce to flights|start Spark|stream to|close the|read back|compare with).*\]$")


def environment_in(directory: Path) -> dict[str, str]:
    """An environment with its own directory for temporary files, and the Java of the extra."""
    own = {"JAVA_TOOL_OPTIONS": " ".join(java_options()), "TMPDIR": str(directory / "tmp")}
    (directory / "tmp").mkdir()
    return {**{name: value for name, value in os.environ.items() if name != "JAVA_HOME"}, **own}


def demo(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the demo to its end; nothing may be left of it."""
    command = [*COMMAND, *arguments]
    run = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=WITHIN_S, check=False)
    assert_nothing_is_left(environment)
    return run


def assert_nothing_is_left(environment: dict[str, str]) -> None:
    """No temporary file, and no process that has this test's TMPDIR in its environment."""
    directory = environment["TMPDIR"]
    assert list(Path(directory).iterdir()) == []
    assert [path for path in Path("/proc").glob("[0-9]*/environ") if _is_of(path, directory)] == []


def _is_of(environ: Path, directory: str) -> bool:
    try:
        return f"TMPDIR={directory}".encode() in environ.read_bytes()
    except OSError:  # gone meanwhile
        return False


def topics_of(broker: Wirebroker) -> set[str]:
    """The demo's topics that a broker has."""
    from confluent_kafka.admin import AdminClient

    admin = AdminClient({"bootstrap.servers": broker.bootstrap})
    return {"flights", "flight-delays"} & set(admin.list_topics(timeout=60).topics)
