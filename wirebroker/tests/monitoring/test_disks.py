"""The metrics of log directories: bytes of logs and space of disks, of those that answer."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from wirebroker.loop_budget import LoopBudget
from wirebroker.monitoring.disks import collect_disks

SPACE = os.statvfs_result((4096, 4096, 1000, 400, 300, 100, 9, 9, 0, 255))


def replicas(logs: dict[str, int], online: list[str]) -> Any:
    """A replica manager with the partitions *logs*, directory -> size, in log directories of which some are online."""
    paths = list(dict.fromkeys(Path(each).parent for each in logs))

    class LogDirs(SimpleNamespace):
        def __len__(self) -> int:
            return len(paths)

    log_dirs = LogDirs(paths=paths, online=[SimpleNamespace(path=Path(each)) for each in online])
    partitions = [
        SimpleNamespace(log=SimpleNamespace(directory=Path(each), size_bytes=size)) for each, size in logs.items()
    ]
    return SimpleNamespace(log_manager=SimpleNamespace(log_dirs=log_dirs), partitions=lambda: partitions)


@pytest.mark.parametrize(
    ("logs", "online", "sizes"),
    [
        ({"/a/t-0": 5, "/a/t-1": 7}, ["/a"], {"/a": 12}),
        ({"/a/t-0": 5, "/b/t-1": 7, "/b/t-2": 1}, ["/a", "/b"], {"/a": 5, "/b": 8}),
        ({"/a/t-0": 5, "/b/t-1": 7}, ["/b"], {"/b": 7}),
        ({"/a/t-0": 5, "/gone/t-1": 7}, ["/a", "/gone"], {"/a": 5}),
    ],
)
async def test_directories_that_answer(
    logs: dict[str, int], online: list[str], sizes: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def statvfs(path: str) -> os.statvfs_result:
        if path == "/gone":
            raise OSError
        return SPACE

    monkeypatch.setattr(os, "statvfs", statvfs)
    snapshot = await collect_disks(replicas(logs, online), LoopBudget(), sum(logs.values()))
    found = {metric.type.removeprefix("wirebroker_log_directory_"): dict(rows) for metric, rows in snapshot}
    assert found == {
        "size_bytes": {(path,): size for path, size in sizes.items()},
        "disk_bytes": {(path,): 1000 * 4096 for path in sizes},
        "usable_bytes": {(path,): 300 * 4096 for path in sizes},
    }
