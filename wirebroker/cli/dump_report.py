"""How dump-log says things: the original's lines, or one JSON object a line.

The dumpers tell a report facts; it decides on words.  What goes to stdout in the original does so here; disagreements
between files are collected and come last.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from base64 import b64encode
from typing import TYPE_CHECKING, Any, TextIO

from wirebroker.cli.dump_decoders import java_text
from wirebroker.record.record_batch import TimestampType

if TYPE_CHECKING:
    from pathlib import Path

    from wirebroker.cli.log_dump import DumpOptions
    from wirebroker.record.control import EndTxnMarker
    from wirebroker.record.record_batch import Record, RecordBatch

TIMESTAMP_NAMES = {TimestampType.CREATE_TIME: "CreateTime", TimestampType.LOG_APPEND_TIME: "LogAppendTime"}


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
    def batch(self, batch: RecordBatch, position: int) -> None: ...

    @abstractmethod
    def record(
        self,
        record: Record,
        batch: RecordBatch,
        control: tuple[str, int] | None,
        marker: EndTxnMarker | None,
        options: DumpOptions,
    ) -> None:
        """One record.  *control* has its type's name and number if it is a control record."""


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

    def batch(self, batch: RecordBatch, position: int) -> None:
        self._write(
            f"baseOffset: {batch.base_offset} lastOffset: {batch.last_offset} count: {batch.record_count}"
            f" baseSequence: {batch.base_sequence} lastSequence: {batch.last_sequence}"
            f" producerId: {batch.producer_id} producerEpoch: {batch.producer_epoch}"
            f" partitionLeaderEpoch: {batch.partition_leader_epoch} isTransactional: {_java(batch.is_transactional)}"
            f" isControl: {_java(batch.is_control)} deleteHorizonMs: {optional_long(batch.delete_horizon_ms)}"
            f" position: {position} {TIMESTAMP_NAMES[batch.timestamp_type]}: {batch.max_timestamp}"
            f" size: {batch.size_bytes} magic: {batch.magic} compresscodec: {batch.codec.name.lower()}"
            f" crc: {batch.crc} isvalid: {_java(batch.is_valid())}\n"
        )

    def record(
        self,
        record: Record,
        batch: RecordBatch,
        control: tuple[str, int] | None,
        marker: EndTxnMarker | None,
        options: DumpOptions,
    ) -> None:
        offset, timestamp, key, value, headers = record
        parts = []
        if not options.skip_record_metadata:
            parts.append(
                f"offset: {offset} {TIMESTAMP_NAMES[batch.timestamp_type]}: {timestamp}"
                f" keySize: {-1 if key is None else len(key)} valueSize: {-1 if value is None else len(value)}"
                f" sequence: {sequence_of(record, batch)}"
                f" headerKeys: [{','.join(java_text(name) for name, _ in headers)}]"
            )
            if marker is not None:
                parts.append(
                    f"endTxnMarker: {'COMMIT' if marker.committed else 'ABORT'}"
                    f" coordinatorEpoch: {marker.coordinator_epoch}"
                )
            elif control is not None:
                parts.append("controlType: {}({})".format(*control))
        line = " ".join(parts)
        if line:
            line = f"| {line}"
        if options.print_data_log and control is None:
            if options.record_decoder is not None and key is not None:
                key_text, payload = options.record_decoder(key, value)
                line += f"{' ' if line else '| '}key: {key_text} payload: {payload}"
                self._write(line + "\n")
                return
            if key is not None:
                line += f"{' ' if line else '| '}key: {options.key_decoder(key)}"
            if value is not None:
                line += f" payload: {options.value_decoder(value)}"
        self._write(line + "\n")


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

    def batch(self, batch: RecordBatch, position: int) -> None:
        self._object(
            "batch",
            baseOffset=batch.base_offset,
            lastOffset=batch.last_offset,
            count=batch.record_count,
            baseSequence=batch.base_sequence,
            lastSequence=batch.last_sequence,
            producerId=batch.producer_id,
            producerEpoch=batch.producer_epoch,
            partitionLeaderEpoch=batch.partition_leader_epoch,
            isTransactional=batch.is_transactional,
            isControl=batch.is_control,
            deleteHorizonMs=batch.delete_horizon_ms,
            position=position,
            timestampType=TIMESTAMP_NAMES[batch.timestamp_type],
            maxTimestamp=batch.max_timestamp,
            size=batch.size_bytes,
            magic=batch.magic,
            compresscodec=batch.codec.name.lower(),
            crc=batch.crc,
            isvalid=batch.is_valid(),
        )

    def record(
        self,
        record: Record,
        batch: RecordBatch,
        control: tuple[str, int] | None,
        marker: EndTxnMarker | None,
        options: DumpOptions,
    ) -> None:
        fields: dict[str, Any] = {"offset": record.offset}
        if not options.skip_record_metadata:
            fields |= {
                "timestampType": TIMESTAMP_NAMES[batch.timestamp_type],
                "timestamp": record.timestamp,
                "keySize": -1 if record.key is None else len(record.key),
                "valueSize": -1 if record.value is None else len(record.value),
                "sequence": sequence_of(record, batch),
                "headerKeys": [java_text(name) for name, _ in record.headers],
            }
            if control is not None:
                fields["controlType"] = control[0]
            if marker is not None:
                fields["coordinatorEpoch"] = marker.coordinator_epoch
        if options.record_decoder is not None and record.key is not None and control is None:
            key, payload = options.record_decoder(record.key, record.value)
            fields["key"] = json.loads(key) if key.startswith("{") else key
            fields["payload"] = json.loads(payload) if payload.startswith("{") else None
        elif options.print_data_log and control is None:
            fields["key"] = _json_value(record.key)
            fields["payload"] = _json_value(record.value)
            fields["headers"] = [[java_text(name), _json_value(value)] for name, value in record.headers]
        self._object("record", **fields)


def _json_value(data: bytes | None) -> str | dict[str, str] | None:
    """UTF-8 as a string, other bytes as ``{"base64": ...}`` so that nothing is lost."""
    if data is None:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"base64": b64encode(data).decode()}
