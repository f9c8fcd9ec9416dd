"""`wirebroker dump-log` and kafka-dump-log.sh of 2.0.1, 3.9 and 4.x about the same random logs and KRaft metadata.

3.9 and 4.x print the same lines. 2.0.1 has other lines, into which the output of `--json` is translated.
"""

from __future__ import annotations

import json
import re
import shutil
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from compat_tests.kafka_schemas import schemas, version_range
from compat_tests.random_logs import random_log
from compat_tests.random_messages import random_message
from compat_tests.test_dump_log import assert_same, ours, theirs
from compat_tests.versions import KAFKA, KAFKA_4, NEWEST_KAFKA, OLDEST_KAFKA
from tools.codegen import codecs
from tools.codegen.names import snake_case
from wirebroker.cli.dump import remote_log_metadata as decoder
from wirebroker.metadata.kafka_import.kraft_records import TYPES
from wirebroker.protocol.internal import cluster_metadata, remote_log_metadata
from wirebroker.record.builder import simple_batch
from wirebroker.tests.metadata.kafka_import.kraft_frames import frame

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from compat_tests.kafka_schemas import Schema
    from tools.jvm.kafka import KafkaBroker, KafkaDist
    from wirebroker.protocol.message import Message

LOGS = 60
LINES_AS_OURS = (KAFKA, NEWEST_KAFKA)


def write_logs(directory: Path, *, zstd: bool) -> list[str]:
    names = []
    for number in range(LOGS):
        path = directory / f"random-{number}" / f"{0:020}.log"
        path.parent.mkdir()
        path.write_bytes(random_log(number, zstd=zstd))
        names.append(str(path.relative_to(directory)))
    return names


@pytest.mark.parametrize("version", LINES_AS_OURS)
@pytest.mark.parametrize("options", [(), ("--print-data-log",)], ids=" ".join)
def test_random_logs(
    kafka_dist: Callable[[str], KafkaDist], tmp_path: Path, version: str, options: tuple[str, ...]
) -> None:
    arguments = ("--files", ",".join(write_logs(tmp_path, zstd=True)), *options)
    code, out, _ = ours(tmp_path, *arguments)
    their_code, their_out, _ = theirs(kafka_dist(version), tmp_path, *arguments)
    if version == NEWEST_KAFKA:
        out = re.sub(r"( isValid: \w+ crc: \d+)}", r"\1", out)  # a brace that 3.9 prints by mistake
    assert out.splitlines() == their_out.splitlines()
    assert code == their_code == 0
    for sight in ("magic: 0", "magic: 1", "magic: 2", "invalid bytes at the end", "NoTimestampType"):
        assert sight in out
    if options:
        for sight in ("endTxnMarker: ABORT", " isValid: true crc: ", "headerKeys: [h]"):
            assert sight in out


@pytest.mark.parametrize("deep", [False, True])
def test_random_logs_in_the_words_of_2_0(kafka_dist: Callable[[str], KafkaDist], tmp_path: Path, deep: bool) -> None:
    files = ",".join(write_logs(tmp_path, zstd=False))
    options = ("--print-data-log",) if deep else ()
    code, out, _ = ours(tmp_path, "--files", files, "--json", *options)
    assert code == 0
    said = in_words_of_2_0([json.loads(line) for line in out.splitlines()], deep=deep)
    _, their_out, _ = theirs(kafka_dist(OLDEST_KAFKA), tmp_path, "--files", files, *options)
    assert said == their_out.splitlines()


def in_words_of_2_0(facts: list[dict[str, Any]], *, deep: bool) -> list[str]:
    lines = []
    batch: dict[str, Any] = {}
    for fact in facts:
        if fact["kind"] == "start":
            lines += [f"Dumping {fact['file']}", f"Starting offset: {fact['offset']}"]
        elif fact["kind"] == "trailing":
            name = fact["file"].rpartition("/")[2]
            lines.append(f"Found {fact['invalidBytes']} invalid bytes at the end of {name}")
        elif fact["kind"] == "batch":
            batch = fact
            if not deep:
                lines.append(_old_batch(fact))
        elif fact["kind"] == "record":
            lines.append(_old_record(fact, batch))
    return lines


def _java(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _old_batch(batch: dict[str, Any]) -> str:
    names = ["baseOffset", "lastOffset", "count", "baseSequence", "lastSequence", "producerId", "producerEpoch"]
    names += ["partitionLeaderEpoch", "isTransactional", "isControl"]
    if batch["magic"] == 2:
        start = " ".join(f"{name}: {_java(batch[name])}" for name in names)
    else:
        start = f"offset: {batch['lastOffset']}"
    return (
        f"{start} position: {batch['position']} {batch['timestampType']}: {batch['maxTimestamp']}"
        f" isvalid: {_java(batch['isvalid'])} size: {batch['size']} magic: {batch['magic']}"
        f" compresscodec: {batch['compresscodec'].upper()} crc: {batch['crc']}"
    )


def _old_record(record: dict[str, Any], batch: dict[str, Any]) -> str:
    line = (
        f"offset: {record['offset']} position: {batch['position']} {record['timestampType']}: {record['timestamp']}"
        f" isvalid: true keysize: {record['keySize']} valuesize: {record['valueSize']} magic: {batch['magic']}"
        f" compresscodec: {batch['compresscodec'].upper()}"
    )
    if batch["magic"] < 2:
        line += f" crc: {record['crc']}"
    else:
        line += (
            f" producerId: {batch['producerId']} producerEpoch: {batch['producerEpoch']}"
            f" sequence: {record['sequence']} isTransactional: {_java(batch['isTransactional'])}"
            f" headerKeys: [{','.join(record['headerKeys'])}]"
        )
    if "controlType" in record:
        return f"{line} endTxnMarker: {record['controlType']} coordinatorEpoch: {record['coordinatorEpoch']}"
    if record["payload"] is None:
        return line  # it does not show the key of a tombstone
    key = "" if record["key"] is None else f" key: {record['key']}"
    return f"{line}{key} payload: {record['payload']}"


# -- KRaft


def build(schema: Schema, kind: type, values: dict[str, Any]) -> Any:
    """One of our messages from random values; structs are named alike in schema and module."""
    made = kind()
    fields = {snake_case(field["name"]): field for field in schema["fields"]}
    for name, value in values.items():
        field = fields[name]
        if "fields" in field and value is not None:
            struct = getattr(cluster_metadata, field["type"].removeprefix("[]"))
            value = [build(field, struct, each) for each in value]
        elif field["type"] == "float64":
            value = round(value)  # Java 17 writes some with a digit too many
        setattr(made, name, value)
    return made


@pytest.mark.parametrize("version", LINES_AS_OURS)
def test_every_kind_of_metadata_record(kafka_dist: Callable[[str], KafkaDist], tmp_path: Path, version: str) -> None:
    """Random records of every type and version of the release, and two of unknown types."""
    published = schemas(f"org.apache.kafka:kafka-metadata:{version}")
    values = []
    for kind in TYPES.values():
        schema = published.get(kind.__name__)
        if schema is None:
            continue  # came later
        for number in range(30):
            for message_version in version_range(schema["validVersions"]):
                _, fields = random_message(schema, message_version, number)
                message: Message = build(schema, kind, fields)
                values.append(frame(message, message_version))
    (tmp_path / f"{0:020}.log").write_bytes(simple_batch(values))
    assert_same(kafka_dist(version), tmp_path, [f"{0:020}.log"], "--cluster-metadata-decoder")


def test_metadata_of_a_controller(
    kafka_dist: Callable[[str], KafkaDist], apache_kafka: KafkaBroker, tmp_path: Path
) -> None:
    """Log and snapshots as a broker has left them."""
    source = apache_kafka.data_directory
    unfinished = shutil.ignore_patterns("*.tmp", "*.part", "*.deleted")
    shutil.copytree(source / "__cluster_metadata-0", tmp_path / "metadata", ignore=unfinished)
    (tmp_path / "metadata" / "bootstrap.checkpoint").write_bytes((source / "bootstrap.checkpoint").read_bytes())
    files = [str(path.relative_to(tmp_path)) for path in sorted((tmp_path / "metadata").glob("*"))]
    files = [name for name in files if name.endswith((".log", ".checkpoint"))]
    out = assert_same(kafka_dist(KAFKA), tmp_path, files, "--cluster-metadata-decoder")
    for sight in (
        "KRaft bootstrap snapshot",
        "SnapshotHeader {",
        "REGISTER_BROKER_RECORD",
        "controlType: LEADER_CHANGE(2)",
    ):
        assert sight in out


# -- tiered storage


@pytest.mark.parametrize("version", [*LINES_AS_OURS, KAFKA_4])
def test_every_kind_of_remote_metadata_record(
    kafka_dist: Callable[[str], KafkaDist], tmp_path: Path, version: str
) -> None:
    """Random records of every type and in every state, and unreadable ones."""
    published = schemas(f"org.apache.kafka:kafka-storage:{version}")
    values = []
    for type_id, kind in decoder.TYPES.items():
        for number in range(40):
            _, fields = random_message(published[kind.__name__], 0, number)
            if "start_offset" in fields:  # Apache Kafka refuses what makes no sense
                fields |= {"start_offset": number, "end_offset": 2 * number}
                fields["segment_leader_epochs"] = fields["segment_leader_epochs"] or [{"leader_epoch": 0, "offset": 0}]
            message = build_nested(kind, fields)
            states: tuple[str, ...] = decoder.SEGMENT_STATES
            if isinstance(message, remote_log_metadata.RemotePartitionDeleteMetadataRecord):
                states = decoder.PARTITION_STATES
                message.remote_partition_delete_state = number % len(states)
            else:
                message.remote_log_segment_state = number % len(states)
            out = bytearray((1, type_id, 0))
            codecs.write(message, out, 0)
            values.append(bytes(out))
    (tmp_path / f"{0:020}.log").write_bytes(simple_batch(values))
    arguments = ("--files", f"{0:020}.log", "--remote-log-metadata-decoder")
    code, said, _ = ours(tmp_path, *arguments)
    their_code, their_out, _ = theirs(kafka_dist(version), tmp_path, *arguments)
    if version == NEWEST_KAFKA:
        said = re.sub(r"( isValid: \w+ crc: \d+)}", r"\1", said)
    their_out = re.sub(r", txnIdxEmpty=\w+}", "}", their_out)  # what 4.x adds
    assert said.splitlines() == their_out.splitlines()
    assert code == their_code == 0
    assert "skipping" not in said
    for sight in (
        *decoder.SEGMENT_STATES,
        *decoder.PARTITION_STATES,
        "Optional.empty",
        " bytes}]",
    ):
        assert sight in said


def build_nested(kind: type, values: dict[str, Any]) -> Any:
    """As `build`, for structs that have names of their own in our module: their types are those of the defaults."""
    made = kind()
    given: dict[str, Any] = {}
    for name, value in values.items():
        given[name] = value
        if isinstance(value, dict):
            struct = type(getattr(made, name)).__name__  # of the shared default, which may not be changed
            given[name] = build_nested(getattr(remote_log_metadata, struct), value)
        elif name == "segment_leader_epochs":
            is_snapshot = kind is remote_log_metadata.RemoteLogSegmentMetadataSnapshotRecord
            entry = "SnapshotLeaderEpochEntry" if is_snapshot else "SegmentLeaderEpochEntry"
            given[name] = [getattr(remote_log_metadata, entry)(**each) for each in value]
    return kind(**given)


def test_unreadable_remote_metadata(kafka_dist: Callable[[str], KafkaDist], tmp_path: Path) -> None:
    """Both go on with the next record; the reason is in their own words."""
    values = [b"", b"\x01", b"\x01\x09\x00", b"\x02\x00\x00", b"\x01\x02\x00\x01"]
    (tmp_path / f"{0:020}.log").write_bytes(simple_batch(values))
    arguments = ("--files", f"{0:020}.log", "--remote-log-metadata-decoder")
    said = [run(*arguments)[1] for run in (partial(ours, tmp_path), partial(theirs, kafka_dist(KAFKA), tmp_path))]
    starts = [re.sub(r"(skipping\.).*", r"\1", each).splitlines() for each in said]
    assert starts[0] == starts[1]
    assert said[0].count("skipping.") == len(values)


def test_options_are_those_of_the_original(kafka_dist: Callable[[str], KafkaDist], tmp_path: Path) -> None:
    _, _, usage = theirs(kafka_dist(KAFKA), tmp_path, "--help")
    wanted = set(re.findall(r"^--[a-z]+(?:-[a-z]+)*", usage, re.MULTILINE)) - {"--version"}
    assert len(wanted) > 10
    _, out, _ = ours(tmp_path, "--help")
    assert [name for name in wanted if name not in out] == []
