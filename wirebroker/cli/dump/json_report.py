"""dump-log's own form for programs: one JSON object a line, with its file and its kind."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import TYPE_CHECKING, Any

from wirebroker.cli.dump.decoders import DELETED, java_text
from wirebroker.cli.dump.report import TIMESTAMP_NAMES, Report, record_sequence

if TYPE_CHECKING:
    from pathlib import Path

    from wirebroker.cli.dump.report import ControlRecord
    from wirebroker.record.legacy import AnyBatch, LegacyBatch
    from wirebroker.record.record_batch import Record, RecordBatch


class JsonReport(Report):
    """Prints one object a line, all on stdout."""

    def begin_file(self, path: Path) -> None:
        self._path = str(path)

    def _object(self, kind: str, /, **fields: Any) -> None:
        self._write_object({"file": self._path, "kind": kind, **fields})

    def _write_object(self, fields: dict[str, Any]) -> None:
        self._write(json.dumps(fields, ensure_ascii=False, separators=(",", ":")) + "\n")

    def finish(self) -> None:
        for kind, by_file in self._mismatches.items():
            for name, pairs in by_file.items():
                for pair in pairs:
                    self._write_object({"file": name, "kind": "disagreement", "about": kind, "values": pair})

    def error(self, path: Path, text: str) -> None:
        self._object("fault", text=text)

    def warning(self, text: str) -> None:
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

    def record(self, record: Record, batch: RecordBatch, control: ControlRecord | None) -> None:
        fields: dict[str, Any] = {"offset": record.offset}
        if not self.options.skip_record_metadata:
            fields |= _record_start(record, batch)
            fields["sequence"] = record_sequence(record, batch)
            fields["headerKeys"] = [java_text(name) for name, _ in record.headers]
            if control is not None:
                fields |= _control_fields(control)
        if control is None:
            fields |= self._contents(record)
            if self.options.print_data_log and self.options.record_decoder is None:
                fields["headers"] = [[java_text(name), _text_or_base64(value)] for name, value in record.headers]
        self._object("record", **fields)

    def legacy_record(self, record: Record, crc: int, is_valid: bool, batch: LegacyBatch) -> None:
        fields: dict[str, Any] = {"offset": record.offset}
        if not self.options.skip_record_metadata:
            fields |= {**_record_start(record, batch), "isValid": is_valid, "crc": crc}
        self._object("record", **fields, **self._contents(record))

    def _contents(self, record: Record) -> dict[str, Any]:
        """Key and payload, if the options ask for them."""
        if self.options.record_decoder is not None:
            key, payload = self.options.record_decoder(record)
            return {"key": _decoded(key), "payload": _decoded(payload)}
        if not self.options.print_data_log:
            return {}
        return {"key": _text_or_base64(record.key), "payload": _text_or_base64(record.value)}


def _record_start(record: Record, batch: AnyBatch) -> dict[str, Any]:
    return {
        "timestampType": TIMESTAMP_NAMES[batch.timestamp_type],
        "timestamp": record.timestamp,
        "keySize": -1 if record.key is None else len(record.key),
        "valueSize": -1 if record.value is None else len(record.value),
    }


def _control_fields(control: ControlRecord) -> dict[str, Any]:
    fields: dict[str, Any] = {"controlType": control.type_name}
    if control.marker is not None:
        fields["coordinatorEpoch"] = control.marker.coordinator_epoch
    if control.content is not None:
        fields["content"] = json.loads(control.content[1])
    return fields


def _decoded(text: str | None) -> Any:
    """A record decoder's text: an object if it is JSON, null for a tombstone, else the text."""
    if text is None or text == DELETED:
        return None
    return json.loads(text) if text.startswith("{") else text


def _text_or_base64(data: bytes | None) -> str | dict[str, str] | None:
    """UTF-8 as a string, other bytes as ``{"base64": ...}`` so that nothing is lost."""
    if data is None:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"base64": b64encode(data).decode()}
