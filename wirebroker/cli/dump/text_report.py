"""The lines of kafka-dump-log.sh, byte for byte."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from wirebroker.cli.dump.decoders import java_text
from wirebroker.cli.dump.report import TIMESTAMP_NAMES, Report, record_sequence

if TYPE_CHECKING:
    from pathlib import Path

    from wirebroker.cli.dump.report import ControlRecord, MismatchKind
    from wirebroker.record.legacy import AnyBatch, LegacyBatch
    from wirebroker.record.record_batch import Record, RecordBatch

_MISMATCHES: Final[dict[MismatchKind, tuple[str, str, bool]]] = {
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
"""Kind -> headline with the file's path, line for a pair, whether the newest comes first; in the original's order."""


class TextReport(Report):
    """Prints what the original prints."""

    def begin_file(self, path: Path) -> None:
        self._write(f"Dumping {path}\n")

    def finish(self) -> None:
        for kind, (headline, line, newest_first) in _MISMATCHES.items():
            for name, pairs in self._mismatches.get(kind, {}).items():
                self._write_error(headline.format(name) + "\n")
                for pair in reversed(pairs) if newest_first else pairs:
                    self._write_error(line.format(*pair) + "\n")

    def error(self, path: Path, text: str) -> None:
        self._write_error(f"wirebroker dump-log: {path}: {text}\n")

    def warning(self, text: str) -> None:
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
                f" isTransactional: {_java_boolean(batch.is_transactional)}"
                f" isControl: {_java_boolean(batch.is_control)}"
                f" deleteHorizonMs: {optional_long(batch.delete_horizon_ms)}"
            )
        else:
            start = f"offset: {batch.last_offset}"
        self._write(
            f"{start} position: {position} {TIMESTAMP_NAMES[batch.timestamp_type]}: {batch.max_timestamp}"
            f" size: {batch.size_bytes} magic: {batch.magic} compresscodec: {batch.codec.name.lower()}"
            f" crc: {batch.crc} isvalid: {_java_boolean(batch.is_valid())}\n"
        )

    def record(self, record: Record, batch: RecordBatch, control: ControlRecord | None) -> None:
        line = ""
        if not self.options.skip_record_metadata:
            line = _record_start(record, batch)
            names = ",".join(java_text(name) for name, _ in record.headers)
            line += f" sequence: {record_sequence(record, batch)} headerKeys: [{names}]"
            if control is not None:
                line += _control_text(control)
        self._write(f"{line if control is not None else self._with_contents(line, record)}\n")

    def legacy_record(self, record: Record, crc: int, is_valid: bool, batch: LegacyBatch) -> None:
        line = ""
        if not self.options.skip_record_metadata:
            # the brace without a partner is the original's
            line = f"{_record_start(record, batch)} isValid: {_java_boolean(is_valid)} crc: {crc}}}"
        self._write(f"{self._with_contents(line, record)}\n")

    def _with_contents(self, line: str, record: Record) -> str:
        """*line* with key and payload behind it, if the options ask for them."""
        options = self.options
        if not options.print_data_log:
            return line
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
        return line


def optional_long(value: int | None) -> str:
    """*value* as Java prints an OptionalLong."""
    return "OptionalLong.empty" if value is None else f"OptionalLong[{value}]"


def _java_boolean(value: bool) -> str:
    return "true" if value else "false"


def _record_start(record: Record, batch: AnyBatch) -> str:
    return (
        f"| offset: {record.offset} {TIMESTAMP_NAMES[batch.timestamp_type]}: {record.timestamp}"
        f" keySize: {-1 if record.key is None else len(record.key)}"
        f" valueSize: {-1 if record.value is None else len(record.value)}"
    )


def _control_text(control: ControlRecord) -> str:
    if control.marker is not None:
        return f" endTxnMarker: {control.type_name} coordinatorEpoch: {control.marker.coordinator_epoch}"
    if control.content is not None:
        return " {} {}".format(*control.content)
    return f" controlType: {control.type_name}({control.type_id})"
