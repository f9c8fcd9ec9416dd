"""`log verify` reads the metadata files of a data directory as a start does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from wirebroker.cli.main import main
from wirebroker.metadata.journal import JOURNAL_NAME, Journal
from wirebroker.metadata.meta_properties import write_meta_properties
from wirebroker.metadata.records import encode
from wirebroker.metadata.verification import verify_metadata
from wirebroker.storage.files import Files
from wirebroker.storage.integrity.verify_report import Finding, Remedy, VerificationReport

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data directory with both files, three entries in the journal."""
    write_meta_properties([tmp_path], 3, Files(), "cluster")
    journal, _ = Journal.open(tmp_path / JOURNAL_NAME, Files())
    for _ in range(3):
        journal.append(encode([]))
    journal.close()
    return tmp_path


def findings(data: Path) -> list[Finding]:
    report = VerificationReport()
    verify_metadata(data, Files(), report)
    assert report.other_files == 2
    return report.findings


def test_sound_files(data: Path) -> None:
    assert findings(data) == []


def test_a_flipped_byte_in_the_journal(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = data / JOURNAL_NAME
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    (finding,) = findings(data)
    assert finding.path == str(path)
    assert finding.is_damage
    assert finding.what.startswith("it is damaged: bad ")
    assert finding.what.endswith("restore the file from a backup (nothing was changed)")
    assert main(["log", "verify", str(data)]) == 1
    assert f"{path}  DAMAGE" in capsys.readouterr().out


@pytest.mark.parametrize("tail", [b"\0\0\0", b"\0\0\0\x02\0\0"])
def test_a_torn_tail_of_the_journal_is_no_damage(data: Path, tail: bytes) -> None:
    path = data / JOURNAL_NAME
    size = path.stat().st_size
    path.write_bytes(path.read_bytes() + tail)
    (finding,) = findings(data)
    assert (finding.position, finding.end, finding.remedy) == (size, size + len(tail), Remedy.AT_START)
    assert not finding.is_damage


def test_an_entry_of_a_newer_version(data: Path) -> None:
    journal, _ = Journal.open(data / JOURNAL_NAME, Files())
    journal.append(b'[["FutureRecord",{}]]')
    journal.close()
    (finding,) = findings(data)
    assert "newer version" in finding.what
    assert not finding.is_damage


def test_garbage_in_meta_properties(data: Path) -> None:
    (data / "meta.properties").write_text("garbage\n")
    assert findings(data) == [
        Finding(
            str(data / "meta.properties"),
            "it cannot be used: it has no line version=...; restore the file from a backup, or copy it from another log"
            " directory",
        )
    ]
