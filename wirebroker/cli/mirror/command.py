"""`wirebroker mirror`: copy topics with records, configs and groups' offsets from one cluster to another.

Batches are copied without decoding them, so keys, headers, timestamps, codecs and partitions stay what they are;
records of aborted transactions are left out.  Nobody else may write to the destination's topics: from the offsets there
the next run sees, after a crash, too, which records have arrived, and copies each exactly once.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from wirebroker.cli.client_config import read_client_properties, security_of
from wirebroker.cli.command_table import UsageError
from wirebroker.cli.connection import bootstrap_server, positive, replication_factor
from wirebroker.cli.mirror.destination import DestinationWriter
from wirebroker.cli.mirror.groups import chosen_groups, copy_groups
from wirebroker.cli.mirror.positions import Checkpoint, Position
from wirebroker.cli.mirror.source import SourceReader
from wirebroker.cli.mirror.topics import chosen_topics, copy_topic
from wirebroker.cli.output import counted
from wirebroker.cli.progress import Progress
from wirebroker.cli.standard_streams import print_error
from wirebroker.client.admin import EARLIEST, LATEST, Admin
from wirebroker.client.connection import ClientError, ResponseError
from wirebroker.client.security import PLAINTEXT
from wirebroker.model import TopicPartition
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ProtocolError

if TYPE_CHECKING:
    import argparse

    from wirebroker.cli.mirror.batches import MirroredBatch
    from wirebroker.client.security import Security

DEFAULT_CHECKPOINT: Final = "wirebroker-mirror.json"
_SAVE_EVERY_S: Final = 1.0
_GROUPS_EVERY_S: Final = 10.0
_WAIT_S: Final = 0.1
_RETRY_S: Final = 1.0
_GIVE_UP_S: Final = 60.0
"""How long the clusters may be unreachable, or without a leader, before the mirror ends."""
_MB: Final = 1_000_000
_LOST_OR_MOVED: Final = frozenset(
    {
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.LEADER_NOT_AVAILABLE,
        ErrorCode.UNKNOWN_LEADER_EPOCH,
        ErrorCode.FENCED_LEADER_EPOCH,
        ErrorCode.NOT_ENOUGH_REPLICAS,
        ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
        ErrorCode.REQUEST_TIMED_OUT,
        ErrorCode.OFFSET_OUT_OF_RANGE,
        ErrorCode.KAFKA_STORAGE_ERROR,
    }
)
"""Codes after which another attempt, with new leaders and offsets, may succeed."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker mirror`."""
    add = parser.add_argument
    for option, dest, verb in (("--from", "source", "copy from"), ("--to", "destination", "copy to")):
        add(
            option,
            dest=dest,
            type=bootstrap_server,
            required=True,
            metavar="HOST:PORT[,...]",
            help=f"the cluster to {verb}",
        )
    add(
        "-t",
        "--topic",
        dest="topics",
        action="append",
        metavar="REGEX",
        help="topics to copy; repeatable (default: all but internal ones)",
    )
    for option, dest in (("--from-config", "source_config"), ("--to-config", "destination_config")):
        add(option, dest=dest, metavar="FILE", help=f"a client.properties with TLS and SASL for {option[:-7]}")
    add("--prefix", default="", metavar="TEXT", help="put this before the topics' names in the destination")
    add(
        "--group",
        dest="groups",
        action="append",
        default=[],
        metavar="ID",
        help="copy this group's offsets; repeatable",
    )
    add("--all-groups", action="store_true", help="copy the offsets of every group")
    add(
        "--replication-factor",
        type=replication_factor,
        metavar="N",
        help="of new topics (default: the destination's)",
    )
    add("--follow", action="store_true", help="go on copying until Ctrl-C (default: end when all is copied)")
    add(
        "--checkpoint",
        default=DEFAULT_CHECKPOINT,
        metavar="FILE",
        help=f"where the positions are kept, from which the next run goes on (default: {DEFAULT_CHECKPOINT})",
    )
    add("--append", action="store_true", help="begin although a topic of the destination already has records")
    add(
        "--timeout", type=positive, default=30_000, metavar="MS", help="how long to wait for an answer (default: 30000)"
    )
    add("--quiet", action="store_true", help="no progress bar")


def run(args: argparse.Namespace) -> int:
    """Copy until everything is copied; return the exit code."""
    if args.source == args.destination and not args.prefix:
        raise UsageError("--from and --to are the same cluster; --prefix gives the copies other names")
    securities = [_security(path) for path in (args.source_config, args.destination_config)]
    mirror = Mirror(args, *securities)
    try:
        mirror.run()
    except (ClientError, ProtocolError) as problem:
        print_error(str(problem))
        return 1
    print(mirror.summary(), flush=True)
    return 0


def _security(path: str | None) -> Security:
    """Return the TLS and SASL of a client.properties."""
    return PLAINTEXT if path is None else security_of(path, read_client_properties(path), frozenset())


class Mirror:
    """One run: sessions of a reader and a writer, another one after each loss of a leader or a connection."""

    def __init__(self, args: argparse.Namespace, source: Security, destination: Security) -> None:
        self._args = args
        self._source_security, self._destination_security = source, destination
        self._timeout_s = args.timeout / 1000
        self._checkpoint: Checkpoint | None = None
        self._started_s = self._last_progress_s = self._saved_s = self._groups_s = time.monotonic()
        self._records = self._bytes = self._groups = 0
        self._topics: list[str] = []

    def summary(self) -> str:
        """Return one line about what was copied."""
        elapsed_s = max(time.monotonic() - self._started_s, 1e-3)
        partitions = len(self._checkpoint.positions) if self._checkpoint is not None else 0
        groups = f", offsets of {counted(self._groups, 'group')}" if self._args.groups or self._args.all_groups else ""
        return (
            f"{counted(len(self._topics), 'topic')}, {counted(partitions, 'partition')}: "
            f"{counted(self._records, 'record')}, "
            f"{self._bytes / _MB:.1f} MB in {elapsed_s:.1f} s ({self._bytes / _MB / elapsed_s:.1f} MB/s){groups}"
        )

    def run(self) -> None:
        """Copy; positions are saved whatever ends this.

        Raises:
            ClientError: a cluster refuses, or cannot be reached for a minute.
        """
        try:
            while True:
                try:
                    self._session()
                    return
                except ClientError as problem:
                    if not self._may_try_again(problem):
                        raise
                time.sleep(_RETRY_S)
        finally:
            if self._checkpoint is not None and self._checkpoint.positions:
                self._checkpoint.save()

    def _may_try_again(self, problem: ClientError) -> bool:
        """Whether *problem* is one that passes; a cluster that cannot be reached at the start is none."""
        if time.monotonic() - self._last_progress_s > _GIVE_UP_S:
            return False
        if isinstance(problem, ResponseError):
            return problem.code in _LOST_OR_MOVED  # new topics have no leader for a moment
        return bool(self._topics)

    def _session(self) -> None:
        """Connect, find out where both clusters are, and copy."""
        args = self._args
        with (
            Admin(args.source, self._timeout_s, security=self._source_security) as source,
            Admin(args.source, self._timeout_s, security=self._source_security) as fetching,
            Admin(args.destination, self._timeout_s, security=self._destination_security) as destination,
        ):
            checkpoint = self._prepare(source, destination)
            mirrored = [at for at in checkpoint.positions if at.topic in self._topics]
            self._last_progress_s = time.monotonic()
            new_names = {at: TopicPartition(checkpoint.names[at.topic], at.partition) for at in mirrored}
            old_names = {new: old for old, new in new_names.items()}
            offsets = {at: checkpoint.positions[at].source for at in mirrored}
            ends = source.list_offsets(dict.fromkeys(mirrored, LATEST))
            total = sum(max(0, ends.get(at, 0) - offset) for at, offset in offsets.items())
            progress = Progress(0 if args.follow else total, unit="records", shown=not args.quiet)
            with progress:

                def acknowledged(new: TopicPartition, batch: MirroredBatch) -> None:
                    self._advance(checkpoint.positions[old_names[new]], batch)
                    self._bytes += len(batch.data)
                    progress.advance(len(batch.source_offsets))

                writer = DestinationWriter(destination, list(old_names), acknowledged)
                with SourceReader(fetching, offsets) as reader:
                    self._copy(reader, writer, new_names, checkpoint, (source, destination))
            self._copy_groups(source, destination, checkpoint)

    def _prepare(self, source: Admin, destination: Admin) -> Checkpoint:
        """Read the checkpoint, create topics, and give every partition a position.

        Raises:
            ClientError: a topic of the destination has records that this mirror did not write.
        """
        args = self._args
        ids = [admin.metadata(()).cluster_id or "?" for admin in (source, destination)]
        if ids[0] == ids[1] and not args.prefix:
            raise ClientError("--from and --to are the same cluster; --prefix gives the copies other names")
        if self._checkpoint is None:
            self._checkpoint = Checkpoint(args.checkpoint, *ids)
        checkpoint = self._checkpoint
        topics = chosen_topics(source, args.topics or [".*"])
        known = {at.topic for at in checkpoint.positions}
        for name in topics:
            new_name = checkpoint.names.setdefault(name, args.prefix + name)
            count = copy_topic(source, destination, name, new_name, args.replication_factor)
            numbers = [TopicPartition(name, number) for number in range(count)]
            renamed = {at: TopicPartition(new_name, at.partition) for at in numbers}
            begins = source.list_offsets(dict.fromkeys(numbers, EARLIEST))
            ends = destination.list_offsets(dict.fromkeys(renamed.values(), LATEST))
            for at in numbers:
                begin, end = begins.get(at), ends.get(renamed[at])
                if begin is None or end is None:
                    named = at if begin is None else renamed[at]
                    raise ResponseError(
                        f"{named.topic}-{named.partition} has no leader", ErrorCode.LEADER_NOT_AVAILABLE
                    )
                position = checkpoint.positions.get(at)
                if position is None:
                    if end and name not in known and not args.append:
                        raise ClientError(
                            f"topic {new_name} of the destination has records, and {args.checkpoint} does not know "
                            "them; delete the topic, or use --append"
                        )
                    checkpoint.positions[at] = Position(begin, end)
                elif position.source < begin:
                    print_error(
                        f"{at.topic}-{at.partition}: offsets {position.source} to {begin - 1} of the source were "
                        "deleted before they were copied"
                    )
                    position.source = begin
        self._topics = topics
        return checkpoint

    def _copy(
        self,
        reader: SourceReader,
        writer: DestinationWriter,
        new_names: dict[TopicPartition, TopicPartition],
        checkpoint: Checkpoint,
        admins: tuple[Admin, Admin],
    ) -> None:
        """Move batches from *reader* to *writer* until all partitions are at their end and acknowledged."""
        unfinished = set(new_names)
        read_to: dict[TopicPartition, int] = {}
        # batches that an earlier run has produced without noting it are skipped
        planned = {at: checkpoint.positions[at].destination for at in new_names}
        while unfinished or not writer.is_idle or self._args.follow:
            idle = writer.is_idle
            for fetched in [] if writer.is_full else reader.get(_WAIT_S if idle else 0):
                at = fetched.partition
                for batch in fetched.batches:
                    planned[at] += len(batch.source_offsets)
                    if planned[at] <= writer.end_offsets.get(new_names[at], 0):
                        self._advance(checkpoint.positions[at], batch)
                    else:
                        writer.add(new_names[at], batch)
                read_to[at] = fetched.next_offset
                if fetched.is_at_the_end:
                    unfinished.discard(at)
            writer.send()
            if writer.is_idle:
                for at, offset in read_to.items():
                    checkpoint.positions[at].source = max(checkpoint.positions[at].source, offset)
            self._save_now_and_then(checkpoint, admins)

    def _advance(self, position: Position, batch: MirroredBatch) -> None:
        position.advance(batch.source_offsets, batch.next_offset)
        self._records += len(batch.source_offsets)
        self._last_progress_s = time.monotonic()

    def _save_now_and_then(self, checkpoint: Checkpoint, admins: tuple[Admin, Admin]) -> None:
        now_s = time.monotonic()
        if now_s - self._saved_s >= _SAVE_EVERY_S:
            checkpoint.save()
            self._saved_s = self._last_progress_s = now_s
        if now_s - self._groups_s >= _GROUPS_EVERY_S:
            self._copy_groups(*admins, checkpoint)
            self._groups_s = now_s

    def _copy_groups(self, source: Admin, destination: Admin, checkpoint: Checkpoint) -> None:
        groups = chosen_groups(source, self._args.groups, all_groups=self._args.all_groups)
        self._groups = copy_groups(source, destination, groups, checkpoint)
