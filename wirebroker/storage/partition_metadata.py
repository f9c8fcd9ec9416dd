"""`partition.metadata`: the id of the topic that a partition's directory belongs to (KIP-516).

    version: 0
    topic_id: 22 characters of url-safe base64

Two lines, no newline at the end.  Kafka has written it since 2.8; older directories have none.
"""

from __future__ import annotations

import logging
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import TYPE_CHECKING

from wirebroker.storage.errors import CorruptFileError

if TYPE_CHECKING:
    from wirebroker.storage.files import Files

FILE_NAME = "partition.metadata"
_ZERO = bytes(16)
logger = logging.getLogger(__name__)


def read_topic_id(files: Files, directory: str) -> bytes | None:
    """Return the topic's id, None if there is no such file.  Raises CorruptFileError, OSError."""
    path = f"{directory}/{FILE_NAME}"
    data = files.read(path)
    if not data:  # none, or created just before a power failure
        return None
    lines = (line.partition(":") for line in data.decode(errors="replace").splitlines())
    fields = {name: value.strip() for name, _, value in lines}
    version, text = fields.get("version"), fields.get("topic_id")
    if version is None or text is None:
        raise CorruptFileError(f"{path}: it has no line '{'version' if version is None else 'topic_id'}: ...'")
    if version != "0":
        raise CorruptFileError(f"{path}: it has version {version!r}, and this broker knows version 0")
    try:
        topic_id = urlsafe_b64decode(text + "==")
    except ValueError:
        topic_id = b""
    if len(topic_id) != 16 or topic_id == _ZERO:
        raise CorruptFileError(f"{path}: {text!r} is not a topic id")
    return topic_id


def read_topic_id_after_crash(files: Files, directory: str) -> bytes | None:
    """Return the topic's id, None if there is no such file, or one that a loss of power has torn.  Raises OSError.

    The file is never synced, so a loss of power may tear it long after the partition was created.  A torn file is
    removed: it would be damage after a clean stop, which may come before the topic's id is known again and written.
    """
    try:
        return read_topic_id(files, directory)
    except CorruptFileError as error:
        logger.warning("%s; it is removed until the topic's id is known", error)
        files.unlink([f"{directory}/{FILE_NAME}"])
        return None


def write_topic_id(files: Files, directory: str, topic_id: bytes) -> None:
    """Write the id of the topic that *directory* belongs to.  Raises OSError."""
    text = urlsafe_b64encode(topic_id).decode().rstrip("=")
    # not synced: the metadata store knows the id, and creating a topic should not wait for the disk
    files.write_whole(f"{directory}/{FILE_NAME}", f"version: 0\ntopic_id: {text}".encode(), sync=False)
