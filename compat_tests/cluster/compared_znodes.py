"""The znodes that a controller writes, in a form in which two clusters can be compared.

`znode_tree` returns those that there are, `written_znodes` everything that was ever written to each path, also to paths
that are gone.  Topic ids that a cluster has chosen itself, times and the numbers of sequential znodes are masked.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tools.jvm.zookeeper_log import znode_writes

if TYPE_CHECKING:
    from collections.abc import Container
    from pathlib import Path

    from kazoo.client import KazooClient

ROOTS: Final = (
    "/admin",
    "/brokers/topics",
    "/config/changes",
    "/config/topics",
    "/controller_epoch",
    "/isr_change_notification",
    "/log_dir_event_notification",
)
_SEQUENCE_NUMBER: Final = re.compile(r"\d{10}$")
_TIMESTAMP: Final = re.compile(rb'("timestamp":"?)\d+("?)')
_TOPIC_ID: Final = re.compile(rb'("topic_id":")[^"]+(")')


def znode_tree(zookeeper: KazooClient, known_topics: Container[str]) -> dict[str, tuple[bytes | None, int]]:
    """Return path -> content and version of the znodes below `ROOTS`; the ids of *known_topics* are not masked."""
    found: dict[str, tuple[bytes | None, int]] = {}
    waiting = [each for each in ROOTS if zookeeper.exists(each)]
    while waiting:
        path = waiting.pop()
        data, stat = zookeeper.get(path)
        found[masked_path(path)] = content(path, data, known_topics), stat.version
        waiting += [f"{path}/{each}" for each in sorted(zookeeper.get_children(path))]
    return found


def written_znodes(data_directory: Path, known_topics: Container[str]) -> dict[str, list[bytes | None]]:
    """Return path -> contents, in the order of the writes, of all znodes below `ROOTS` that a ZooKeeper has logged."""
    found: dict[str, list[bytes | None]] = {}
    for write in znode_writes(data_directory):
        if f"{write.path}/".startswith(tuple(f"{each}/" for each in ROOTS)):
            found.setdefault(masked_path(write.path), []).append(content(write.path, write.data, known_topics))
    return found


def masked_path(path: str) -> str:
    """Return *path* without the number of a sequential znode."""
    return _SEQUENCE_NUMBER.sub("N", path)


def content(path: str, data: bytes | None, known_topics: Container[str]) -> bytes | None:
    """Return *data*, byte by byte but for what is masked."""
    if data is None:
        return None
    has_known_id = path.rpartition("/")[2] in known_topics
    return _TIMESTAMP.sub(rb"\1masked\2", data if has_known_id else _TOPIC_ID.sub(rb"\1masked\2", data))
