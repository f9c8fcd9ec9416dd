"""Positions of a mirror: which source offset became which destination offset, kept in a checkpoint file.

    {"version": 1, "source": "<cluster id>", "destination": "<cluster id>", "topics":
     {"t": {"name": "t", "partitions": {"0": {"source": 7, "destination": 5, "syncs": [[0, 0], [4, 2]]}}}}}

A sync is a pair of offsets of one record from which on both count alike, until the next sync.  Where the source has
gaps (control batches, compaction, aborted transactions) there is one behind each; without gaps there is one in all.
"""

from __future__ import annotations

import json
import os
from bisect import bisect_right
from typing import TYPE_CHECKING, Any, Final

from wirebroker.client.connection import ClientError
from wirebroker.model import TopicPartition

if TYPE_CHECKING:
    from collections.abc import Sequence

_VERSION: Final = 1


class Position:
    """The next offset to read of a source partition, the offset that it gets, and how the earlier ones correspond."""

    def __init__(self, source: int, destination: int, syncs: Sequence[tuple[int, int]] = ()) -> None:
        self.source, self.destination = source, destination
        self._syncs = list(syncs)

    def advance(self, source_offsets: Sequence[int], next_offset: int) -> None:
        """Note that the records at *source_offsets* were appended, and that *next_offset* comes next."""
        destination = self.destination
        if isinstance(source_offsets, range):
            self._sync(source_offsets[0], destination)
        else:
            for number, offset in enumerate(source_offsets):
                self._sync(offset, destination + number)
        self.destination = destination + len(source_offsets)
        self.source = next_offset

    def _sync(self, source: int, destination: int) -> None:
        if not self._syncs or self._syncs[-1][1] - self._syncs[-1][0] != destination - source:
            self._syncs.append((source, destination))

    def translate(self, offset: int) -> int | None:
        """Return the destination offset for a committed source *offset*, None if it is before all that was mirrored."""
        if offset >= self.source:
            return self.destination
        at = bisect_right(self._syncs, (offset, 1 << 63)) - 1
        if at < 0:
            return self._syncs[0][1] if self._syncs else self.destination
        source, destination = self._syncs[at]
        end = self._syncs[at + 1][1] if at + 1 < len(self._syncs) else self.destination
        return min(destination + offset - source, end)

    def document(self) -> dict[str, Any]:
        """Return the position as it is in the file."""
        return {"source": self.source, "destination": self.destination, "syncs": self._syncs}


class Checkpoint:
    """The positions of a mirror from one cluster to another, and their file."""

    def __init__(self, path: str, source_id: str, destination_id: str) -> None:
        """Read the file, if there is one.

        Raises:
            ClientError: it cannot be read, or is of other clusters.
        """
        self._path, self._clusters = path, {"source": source_id, "destination": destination_id}
        self.positions: dict[TopicPartition, Position] = {}
        self.names: dict[str, str] = {}
        """Topic of the source -> topic of the destination."""
        try:
            with open(path) as file:
                document = json.load(file)
            if document["version"] != _VERSION:
                raise ClientError(f"{path}: version {document['version']} of the file is not known")
            for side, cluster_id in self._clusters.items():
                if document[side] != cluster_id:
                    raise ClientError(f"{path}: of the {side} cluster {document[side]}, not {cluster_id}")
            for topic, entry in document["topics"].items():
                self.names[topic] = entry["name"]
                for number, each in entry["partitions"].items():
                    syncs = [(source, destination) for source, destination in each["syncs"]]
                    self.positions[TopicPartition(topic, int(number))] = Position(
                        each["source"], each["destination"], syncs
                    )
        except FileNotFoundError:
            return
        except OSError as fault:
            raise ClientError(f"{path}: {fault.strerror or fault}") from None
        except (ValueError, KeyError, TypeError, AttributeError):
            raise ClientError(f"{path} is no checkpoint of a mirror") from None

    def save(self) -> None:
        """Write the file, at once or not at all.

        Raises:
            ClientError: it cannot be written.
        """
        topics: dict[str, Any] = {}
        for (topic, number), position in sorted(self.positions.items()):
            entry = topics.setdefault(topic, {"name": self.names[topic], "partitions": {}})
            entry["partitions"][str(number)] = position.document()
        document = {"version": _VERSION, **self._clusters, "topics": topics}
        temporary = f"{self._path}.tmp"
        try:
            with open(temporary, "w") as file:
                json.dump(document, file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, self._path)
        except OSError as fault:
            raise ClientError(f"{self._path}: {fault.strerror or fault}") from None
