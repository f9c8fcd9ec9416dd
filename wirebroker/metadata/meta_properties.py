"""`meta.properties`: the broker and cluster that a log directory belongs to, in a file as Kafka writes it.

    #
    #Sat Nov 21 11:05:47 UTC 2026
    broker.id=0
    version=0
    cluster.id=LozuhI3wShmBQaZWH2tL3Q

Version 0 is that of brokers with ZooKeeper, and of wirebroker; version 1 (KRaft) has `node.id` and is read, too.  A
directory of another broker or cluster is refused: serving it would mix up two histories.  An existing file is never
changed, not even one without a cluster id (Kafka before 2.4).
"""

from __future__ import annotations

import re
import time
import uuid
from base64 import urlsafe_b64encode
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.config.properties import parse
from wirebroker.metadata.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from wirebroker.storage.files import Files

FILE_NAME = "meta.properties"

_ID_KEYS = {"0": "broker.id", "1": "node.id"}
_NUMBER = re.compile(r"\s*[-+]?[0-9]+\s*")


class InconsistentMetaProperties(StoreError):
    """A log directory belongs to another broker or cluster."""


class MetaProperties(NamedTuple):
    """The file of one directory; None for missing values."""

    path: str
    node_id: int | None
    cluster_id: str | None


def check_meta_properties(
    dirs: Sequence[Path], node_id: int, files: Files, cluster_id: str | None = None
) -> tuple[str | None, list[Path]]:
    """Check that *dirs* are this broker's; return the cluster's id, or None, and the directories without a file.

    Nothing is written, so that a broker with wrong settings leaves no trace in a directory of another one.

    Args:
        dirs: The log directories in use; they exist.
        node_id: This broker's id as configured.
        files: Where to read.
        cluster_id: The id that the metadata knows, None when it knows none.

    Raises:
        InconsistentMetaProperties: a directory has another broker's id, or they do not agree on the cluster's.
        OSError: a directory cannot be read.
    """
    agreed_in = "the metadata journal"
    unmarked: list[Path] = []
    for directory in dirs:
        found = _read(f"{directory}/{FILE_NAME}", files)
        if found.node_id is not None and found.node_id != node_id:
            raise InconsistentMetaProperties(
                f"{found.path} says that its directory belongs to broker {found.node_id}, and this is broker {node_id}:"
                " set broker.id accordingly, or use another directory"
            )
        if found.node_id is None and found.cluster_id is None:
            unmarked.append(directory)
        elif found.cluster_id is None:
            continue
        elif cluster_id is None:
            cluster_id, agreed_in = found.cluster_id, found.path
        elif found.cluster_id != cluster_id:
            raise InconsistentMetaProperties(
                f"{found.path} belongs to cluster {found.cluster_id}, but {agreed_in} to cluster {cluster_id}:"
                " these directories do not belong together"
            )
    return cluster_id, unmarked


def read_meta_properties(dirs: Sequence[Path], files: Files) -> list[MetaProperties]:
    """Return what each of *dirs* says, with None for what it does not.

    Raises:
        InconsistentMetaProperties: a file is damaged.
        OSError: a directory cannot be read.
    """
    return [_read(f"{directory}/{FILE_NAME}", files) for directory in dirs]


def write_meta_properties(dirs: Sequence[Path], node_id: int, files: Files, cluster_id: str | None = None) -> str:
    """Check *dirs* as `check_meta_properties` does, write missing files and return the cluster's id, new if unknown.

    Raises:
        InconsistentMetaProperties: see check_meta_properties.
        OSError: a directory cannot be read or written.
    """
    known, unmarked = check_meta_properties(dirs, node_id, files, cluster_id)
    settled = new_cluster_id() if known is None else known
    for directory in unmarked:
        files.write_whole(f"{directory}/{FILE_NAME}", _text(node_id, settled).encode())
    return settled


def new_cluster_id() -> str:
    """Return a random uuid as Kafka writes it: 22 characters of url-safe base64, without '-' first, as in a flag."""
    while True:
        text = urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        if not text.startswith("-"):
            return text


def _read(path: str, files: Files) -> MetaProperties:
    data = files.read(path)
    if not data:
        return MetaProperties(path, None, None)
    try:
        values = {key: value for key, value, _ in parse(data.decode())}
    except ValueError as error:
        raise _unusable(path, f"it is not a properties file: {error}") from error
    version = values.get("version")
    if version is None:
        raise _unusable(path, "it has no line version=...")
    if version not in _ID_KEYS:
        raise _unusable(path, f"it has version {version!r}, and this broker knows {' and '.join(_ID_KEYS)}")
    id_key = _ID_KEYS[version]
    node_id = values.get(id_key)
    if node_id is not None and not _NUMBER.fullmatch(node_id):
        raise _unusable(path, f"{id_key} is {node_id!r}, which is not a number")
    return MetaProperties(path, None if node_id is None else int(node_id), values.get("cluster.id"))


def _unusable(path: str, reason: str) -> InconsistentMetaProperties:
    return InconsistentMetaProperties(
        f"{path} cannot be used: {reason}; restore the file from a backup, or copy it from another log directory"
    )


def _text(node_id: int, cluster_id: str) -> str:
    date = time.strftime("%a %b %d %H:%M:%S UTC %Y", time.gmtime())
    return f"#\n#{date}\nbroker.id={node_id}\nversion=0\ncluster.id={cluster_id}\n"
