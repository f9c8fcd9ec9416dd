"""Check `meta.properties` and the metadata journal of a log directory, for `wirebroker log verify`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.metadata.errors import StoreDamaged
from wirebroker.metadata.image import ClusterImage
from wirebroker.metadata.journal import JOURNAL_NAME, read_entries
from wirebroker.metadata.meta_properties import FILE_NAME as META_PROPERTIES
from wirebroker.metadata.meta_properties import InconsistentMetaProperties, read_meta_properties
from wirebroker.metadata.records import UnknownRecordType, apply, decode
from wirebroker.storage.integrity.verify_report import Finding, Remedy

if TYPE_CHECKING:
    from pathlib import Path

    from wirebroker.storage.files import Files
    from wirebroker.storage.integrity.verify_report import VerificationReport


def verify_metadata(directory: Path, files: Files, report: VerificationReport) -> None:
    """Read the metadata files in the log directory *directory* as a start does, and add findings to *report*.

    Raises OSError.
    """
    properties = directory / META_PROPERTIES
    if files.exists(str(properties)):
        report.other_files += 1
        try:
            read_meta_properties([directory], files)
        except InconsistentMetaProperties as error:
            report.add(_damage(properties, error))
    journal = directory / JOURNAL_NAME
    data = files.read(str(journal))
    if data is not None:
        report.other_files += 1
        _verify_journal(journal, data, report)


def _verify_journal(path: Path, data: bytes, report: VerificationReport) -> None:
    try:
        entries, good = read_entries(data, path)
        apply(ClusterImage(), *(record for entry in entries for record in decode(entry.payload)))
    except StoreDamaged as error:
        report.add(_damage(path, error))
        return
    except UnknownRecordType as error:
        report.add(
            Finding(
                str(path), f"a newer version wrote {error}, and this version does not start with it", is_damage=False
            )
        )
        return
    if good < len(data):
        what = f"a torn tail of {len(data) - good} bytes, which was never acknowledged; the next start drops it"
        report.add(Finding(str(path), what, position=good, end=len(data), remedy=Remedy.AT_START, is_damage=False))


def _damage(path: Path, error: Exception) -> Finding:
    """Return the finding for a file that a start refuses with *error*; its text need not name the file again."""
    return Finding(str(path), str(error).replace(f"metadata journal {path}", "it").replace(str(path), "it"))
