"""Ports of two processes side by side."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING

from tools.jvm.ports import FIRST_PORT, PORTS_PER_RANGE, RANGES

if TYPE_CHECKING:
    from pathlib import Path

PRINT_AND_WAIT = "from tools.jvm.ports import free_ports; print(*free_ports(3), flush=True); input()"


def test_no_other_process_gets_the_ports_of_a_range(tmp_path: Path) -> None:
    """Wherever the processes have their temporary files."""
    with ExitStack() as stack:
        found: list[list[int]] = []
        for name in ("a", "b", "c"):
            (tmp_path / name).mkdir()
            process = stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-c", PRINT_AND_WAIT],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                    env=os.environ | {"TMPDIR": str(tmp_path / name)},
                )
            )
            assert process.stdout is not None
            found.append([int(each) for each in process.stdout.readline().split()])
    ranges = [{(port - FIRST_PORT) // PORTS_PER_RANGE for port in ports} for ports in found]
    assert all(len(each) == 1 for each in ranges)
    assert len(set.union(*ranges)) == len(found)
    assert all(0 <= number < RANGES for number in set.union(*ranges))
