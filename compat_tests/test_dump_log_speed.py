"""`wirebroker dump-log` goes through a large segment at hundreds of megabytes a second, in memory that does not grow.

The rate is by processor time, which another process beside it does not change much.
"""

from __future__ import annotations

import os
import re
import struct
import sys
from random import Random
from typing import TYPE_CHECKING

import pytest

from compat_tests.broker import running
from wirebroker.record.builder import build_batch
from wirebroker.record.record_batch import Record

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

DUMP = """
import sys
from wirebroker.cli.main import main
code = main(["dump-log", "--files", sys.argv[1]])
with open("/proc/self/status") as status:
    sys.stderr.write(status.read())
sys.exit(code)
"""
"""The process reports its own peak memory: that of wait4 includes the process from which it was forked."""
LEAST_MB_PER_S = 100
MOST_MB = 40


def write_segment(path: Path, size_bytes: int) -> int:
    """A segment of batches of 16 kB; how many records it has."""
    value = Random(1).randbytes(150)
    batch = bytearray(build_batch([Record(number, 1_700_000_000_000, None, value, []) for number in range(100)]))
    offset = 0
    with path.open("wb") as file:
        while file.tell() < size_bytes:
            struct.pack_into(">q", batch, 0, offset)  # not under the checksum
            file.write(batch)
            offset += 100
    return offset


@pytest.mark.parametrize("size_mb", [128, pytest.param(1024, marks=pytest.mark.nightly)])
def test_batch_headers(tmp_path: Path, size_mb: int, show_at_the_end: Callable[[str, str], None]) -> None:
    path = tmp_path / f"{0:020}.log"
    records = write_segment(path, size_mb << 20)
    command = [sys.executable, "-c", DUMP, str(path)]
    with (
        (tmp_path / "out").open("wb") as out,
        (tmp_path / "status").open("wb") as said,
        running(command, stdout=out, stderr=said) as process,
    ):
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    path.unlink()
    assert process.returncode == 0
    lines = (tmp_path / "out").read_text().splitlines()
    assert sum(line.startswith("baseOffset: ") for line in lines) == records // 100
    assert f"lastOffset: {records - 1} " in lines[-1]
    memory = int(re.findall(r"VmHWM:\s*(\d+) kB", (tmp_path / "status").read_text())[0]) / 1024
    rate = size_mb * 1.048576 / (used.ru_utime + used.ru_stime)
    show_at_the_end(
        f"dump-log of {size_mb} MB", f"{rate:,.0f} MB per second of processor time, {memory:.0f} MB of memory"
    )
    assert rate >= LEAST_MB_PER_S
    assert memory <= MOST_MB
