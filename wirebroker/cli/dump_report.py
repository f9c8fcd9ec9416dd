"""How dump-log says things: the original's lines, or one JSON object a line.

The dumpers tell a report facts; it decides on words.  What goes to stdout in the original does so here; disagreements
between files are collected and come last.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from base64 import b64encode
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

from wirebroker.cli.dump_decoders import java_text
from wirebroker.record.record_batch import TimestampType

if TYPE_CHECKING:
    from pathlib import Path

    from wirebroker.cli.log_dump import DumpOptions
    from wirebroker.record.control import EndTxnMarker
    from wirebroker.record.legacy import AnyBatch, LegacyBatch
    from wirebroker.record.record_batch import Record, RecordBatch

TIMESTAMP_NAMES: dict[TimestampType | None, str] = {
    None: "NoTimestampType",  # message format 0
    TimestampType.CREATE_TIME: "CreateTime",
    TimestampType.LOG_APPEND_TIME: "LogAppendTime",
}
DELETED = "<DELETE>"
"""The payload that decoders show for a tombstone."""


class Control(NamedTuple):
    """What a control record says."""

    name: str
    number: int
    marker: EndTxnMarker | None
    """The end of a transaction."""
    content: tuple[str, str] | None
    """What KRaft has written: title and JSON."""


class Report(ABC):
    """Told by the dumpers what they find, file by file."""

    def __init__(self, out: TextIO, err: TextIO) -> None:
        self._write = out.write
        self._write_error = err.write
        self._path: Path | None = None
        self._pairs: dict[str, dict[str, list[tuple[int, int]]]] = {}

    def file(self, path: Path) -> None:
        """A file begins."""
        self._path = path

    def disagreement(self, kind: str, path: Path, first: int, second: int) -> None:
        """Note two numbers that should fit and do not; see `COMPLAINTS` for the kinds."""
        self._pairs.setdefault(kind, {}).setdefault(str(path.absolute()), []).append((first, second))

    @abstractmethod
    def finish(self) -> None:
        """Say what was collected."""

    @abstractmethod
    def fault(self, path: Path, text: str) -> None:
        """*path* could not be read any further."""

    @abstractmethod
    def remark(self, text: str) -> None:
        """Something for stderr that is no fault."""

    @abstractmethod
    def line(self, kind: str, text: str, **fields: Any) -> None:
        """One small fact: as the original's line, and as fields."""

    @abstractmethod
    def batch(self, batch: AnyBatch, position: int) -> None: ...

    @abstractmethod
    def record(self, record: Record, batch: RecordBatch, control: Control | None, options: DumpOptions) -> None:
        """One record; *control* if its batch is one of control records."""

    @abstractmethod
    def message(self, record: Record, crc: int, valid: bool, batch: LegacyBatch, options: DumpOptions) -> None:
        """One record of an old format, which has a checksum of its own."""


#: kind -> (headline with the file's name, line for a pair, newest first as in the original)
COMPLAINTS = {
    "index": ("Mismatches in :{}", "  Index offset: {}, log offset: {}", True),
    "timestamp": ("Found timestamp mismatch in :{}", "  Index timestamp: {}, log timestamp: {}", False),
    "order": (
        "Found out of order timestamp in :{}",
        "  Index timestamp: {}, Previously indexed timestamp: {}",
        False,
    ),
    "missing": (
        "The following indexed offsets are not found in the log.",
        "Indexed offset: {}, found log offset: {}",
        False,
    ),
    "gap": ("Non-consecutive offsets in {}", "  {} is followed by {}", True),
}


def _java(value: bool) -> str:
    return "true" if value else "false"


def optional_long(value: int | None) -> str:
    """As Java prints an OptionalLong."""
    return "OptionalLong.empty" if value is None else f"OptionalLong[{value}]"


def sequence_of(record: Record, batch: RecordBatch) -> int:
    """A record's own sequence, -1 without a producer id."""
    if batch.base_sequence < 0:
        return -1
    return batch.base_sequence + record.offset - batch.base_offset & 0x7FFFFFFF


class TextReport(Report):
    """The lines of kafka-dump-log.sh."""

    def file(self, path: Path) -> None:
        super().file(path)
        self._write(f"Dumping {path}\n")

    def finish(self) -> None:
        for kind, (headline, line, newest_first) in COMPLAINTS.items():
            for name, pairs in self._pairs.get(kind, {}).items():
                self._write_error(headline.format(name) + "\n")
                for pair in reversed(pairs) if newest_first else pairs:
                    self._write_error(line.format(*pair) + "\n")

    def fault(self, path: Path, text: str) -> None:
        self._write_error(f"wirebroker dump-log: {path}: {text}\n")

    def remark(self, text: str) -> None:
        self._write_error(text + "\n")

    def line(self, kind: str, text: str, **fields: Any) -> None:
        self._write(text + "\n")

    def batch(self, batch: AnyBatch, position: int) -> None:
        if batch.magic == 2:
            start = (
                f"baseOffset: {batch.base_offset} lastOffset: {batch.last_offset} count: {batch.record_count}"
                f" baseSequence: {batch.base_sequence} lastSequence: {batch.last_sequence}"
                f" producerId: {batch.producer_id} producerEpoch: {batch.producer_epoch}"
                f" partitionLeaderEpoch: {batch.partition_leader_epoch}"
                f" isTransactional: {_java(batch.is_transactional)} isControl: {_java(batch.is_control)}"
                f" deleteHorizonMs: {optional_long(batch.delete_horizon_ms)}"
            )
        else:
            start = f"offset: {batch.last_offset}"
        self._write(
            f"{start} position: {position} {TIMESTAMP_NAMES[batch.timestamp_type]}: {batch.max_timestamp}"
            f" size: {batch.size_bytes} magic: {batch.magic} compresscodec: {batch.codec.name.lower()}"
            f" crc: {batch.crc} isvalid: {_java(batch.is_valid())}\n"
        )

    def record(self, record: Record, batch: RecordBatch, control: Control | None, options: DumpOptions) -> None:
        line = ""
        if not options.skip_record_metadata:
            line = _sizes(record, batch)
            names = ",".join(java_text(name) for name, _ in record.headers)
            line += f" sequence: {sequence_of(record, batch)} headerKeys: [{names}]"
            if control is not None:
                line += _control_text(control)
        self._contents(line, record, options, wanted=control is None)

    def message(self, record: Record, crc: int, valid: bool, batch: LegacyBatch, options: DumpOptions) -> None:
        line = ""
        if not options.skip_record_metadata:
            line = f"{_sizes(record, batch)} isValid: {_java(valid)} crc: {crc}}}"  # the brace is the original's
        self._contents(line, record, options, wanted=True)

    def _contents(self, line: str, record: Record, options: DumpOptions, *, wanted: bool) -> None:
        if options.print_data_log and wanted:
            key: str | None
            payload: str | None
            if options.record_decoder is not None:
                key, payload = options.record_decoder(record)
            else:
                key = None if record.key is None else options.key_decoder(record.key)
                payload = None if record.value is None else options.value_decoder(record.value)
            if key is not None:
                line += f"{' ' if line else '| '}key: {key}"
            if payload is not None:
                line += f" payload: {payload}"
        self._write(line + "\n")


def _sizes(record: Record, batch: AnyBatch) -> str:
    return (
        f"| offset: {record.offset} {TIMESTAMP_NAMES[batch.timestamp_type]}: {record.timestamp}"
        f" keySize: {-1 if record.key is None else len(record.key)}"
        f" valueSize: {-1 if record.value is None else len(record.value)}"
    )


def _control_text(control: Control) -> str:
    if control.marker is not None:
        return f" endTxnMarker: {control.name} coordinatorEpoch: {control.marker.coordinator_epoch}"
    if control.content is not None:
        return " {} {}".format(*control.content)
    return f" controlType: {control.name}({control.number})"


class JsonReport(Report):
    """One object a line; each names its file and its kind."""

    def _object(self, kind: str, /, **fields: Any) -> None:
        named = {"file": str(self._path), "kind": kind, **fields}
        self._write(json.dumps(named, ensure_ascii=False, separators=(",", ":")) + "\n")

    def finish(self) -> None:
        for kind, by_file in self._pairs.items():
            for name, pairs in by_file.items():
                for expected, found in pairs:
                    entry = {"file": name, "kind": "disagreement", "about": kind, "values": [expected, found]}
                    self._write(json.dumps(entry, separators=(",", ":")) + "\n")

    def fault(self, path: Path, text: str) -> None:
        self._object("fault", text=text)

    def remark(self, text: str) -> None:
        self._object("remark", text=text)

    def line(self, kind: str, text: str, **fields: Any) -> None:
        self._object(kind, **fields)

    def batch(self, batch: AnyBatch, position: int) -> None:
        fields: dict[str, Any] = {"lastOffset": batch.last_offset}
        if batch.magic == 2:
            fields = {
                "baseOffset": batch.base_offset,
                "lastOffset": batch.last_offset,
                "count": batch.record_count,
                "baseSequence": batch.base_sequence,
                "lastSequence": batch.last_sequence,
                "producerId": batch.producer_id,
                "producerEpoch": batch.producer_epoch,
                "partitionLeaderEpoch": batch.partition_leader_epoch,
                "isTransactional": batch.is_transactional,
                "isControl": batch.is_control,
                "deleteHorizonMs": batch.delete_horizon_ms,
            }
        self._object(
            "batch",
            **fields,
            position=position,
            timestampType=TIMESTAMP_NAMES[batch.timestamp_type],
            maxTimestamp=batch.max_timestamp,
            size=batch.size_bytes,
            magic=batch.magic,
            compresscodec=batch.codec.name.lower(),
            crc=batch.crc,
            isvalid=batch.is_valid(),
        )

    def record(self, record: Record, batch: RecordBatch, control: Control | None, options: DumpOptions) -> None:
        fields: dict[str, Any] = {"offset": record.offset}
        if not options.skip_record_metadata:
            fields |= _json_sizes(record, batch)
            fields["sequence"] = sequence_of(record, batch)
            fields["headerKeys"] = [java_text(name) for name, _ in record.headers]
            if control is not None:
                fields["controlType"] = control.name
                if control.marker is not None:
                    fields["coordinatorEpoch"] = control.marker.coordinator_epoch
                if control.content is not None:
                    fields["content"] = json.loads(control.content[1])
        if control is None:
            fields |= _json_contents(record, options)
            if options.print_data_log and options.record_decoder is None:
                fields["headers"] = [[java_text(name), _json_value(value)] for name, value in record.headers]
        self._object("record", **fields)

    def message(self, record: Record, crc: int, valid: bool, batch: LegacyBatch, options: DumpOptions) -> None:
        fields: dict[str, Any] = {"offset": record.offset}
        if not options.skip_record_metadata:
            fields |= {**_json_sizes(record, batch), "isValid": valid, "crc": crc}
        self._object("record", **fields, **_json_contents(record, options))


def _json_sizes(record: Record, batch: AnyBatch) -> dict[str, Any]:
    return {
        "timestampType": TIMESTAMP_NAMES[batch.timestamp_type],
        "timestamp": record.timestamp,
        "keySize": -1 if record.key is None else len(record.key),
        "valueSize": -1 if record.value is None else len(record.value),
    }


def _json_contents(record: Record, options: DumpOptions) -> dict[str, Any]:
    if options.record_decoder is not None:
        key, payload = options.record_decoder(record)
        return {"key": _json_or_text(key), "payload": _json_or_text(payload)}
    if not options.print_data_log:
        return {}
    return {"key": _json_value(record.key), "payload": _json_value(record.value)}


def _json_or_text(decoded: str | None) -> Any:
    """What a decoder made of a record: an object, null for a tombstone, text where it could not."""
    if decoded is None or decoded == DELETED:
        return None
    return json.loads(decoded) if decoded.startswith("{") else decoded


def _json_value(data: bytes | None) -> str | dict[str, str] | None:
    """UTF-8 as a string, other bytes as ``{"base64": ...}`` so that nothing is lost."""
    if data is None:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"base64": b64encode(data).decode()}
