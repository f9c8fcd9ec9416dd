"""Control records as dump-log prints them: the ends of transactions, and what KRaft writes into its log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.cli.dump.record_json import document_of, json_text
from wirebroker.cli.dump.report import ControlRecord
from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.internal import raft_control
from wirebroker.record.control import ControlType, control_type, control_type_id, parse_marker
from wirebroker.record.errors import RecordError

if TYPE_CHECKING:
    from wirebroker.protocol.message import ReadableMessage
    from wirebroker.record.record_batch import Record

_KRAFT_RECORDS: Final[dict[ControlType, tuple[str, type[ReadableMessage]]]] = {
    ControlType.SNAPSHOT_HEADER: ("SnapshotHeader", raft_control.SnapshotHeaderRecord),
    ControlType.SNAPSHOT_FOOTER: ("SnapshotFooter", raft_control.SnapshotFooterRecord),
    ControlType.KRAFT_VERSION: ("KRaftVersion", raft_control.KRaftVersionRecord),
    ControlType.KRAFT_VOTERS: ("KRaftVoters", raft_control.VotersRecord),
}
"""Type -> title and message; of LEADER_CHANGE the original prints only the type."""


def control_record(record: Record) -> ControlRecord:
    """The contents of *record*, which is in a control batch.

    Raises:
        RecordError: key or value are those of no control record.
    """
    type_, type_id = control_type(record.key), control_type_id(record.key)
    if type_ in (ControlType.ABORT, ControlType.COMMIT):
        return ControlRecord(type_.name, type_id, marker=parse_marker(record))
    if type_ not in _KRAFT_RECORDS:
        return ControlRecord(type_.name, type_id)
    title, message = _KRAFT_RECORDS[type_]
    try:
        decoded, _ = message.read(record.value or b"", 0, 0)
    except ProtocolError as error:
        raise RecordError(str(error)) from error
    return ControlRecord(
        type_.name, type_id, content=(title, json_text(document_of(decoded, _is_shown, has_uuids=True)))
    )


def _is_shown(*_: object) -> bool:
    return True  # there is only version 0 of these records
