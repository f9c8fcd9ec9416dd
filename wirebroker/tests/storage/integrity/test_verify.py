"""`log verify` finds damage and nothing else; `log repair` repairs it and keeps what it took away."""

from __future__ import annotations

import json
from pathlib import Path, PurePath
from random import Random

import pytest

from wirebroker.cli.main import main
from wirebroker.storage.files import Files
from wirebroker.storage.integrity.verify_log_dir import verify_log_dir
from wirebroker.storage.integrity.verify_report import Remedy, VerificationReport
from wirebroker.storage.log_manager import LogManager
from wirebroker.tests.storage.fakes.damage import damage
from wirebroker.tests.storage.fakes.disk import FakeDisk
from wirebroker.tests.storage.fakes.logs import Clock, batch, manager
from wirebroker.tests.storage.fakes.sample_log_dir import CONFIG, PARTITIONS, config_of, sample_log_dir, serve


def put(disk: FakeDisk, root: Path) -> Path:
    """Write the fake disk's files below *root*; returns the data directory."""
    for path in disk.names:
        target = root / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(disk.content(path))
    return root / "data"


def found_in(directory: Path) -> VerificationReport:
    report = VerificationReport()
    verify_log_dir(directory, Files(), report)
    return report


@pytest.mark.parametrize("clean", [False, True])
def test_our_own_files_verify_without_findings(clean: bool, tmp_path: Path) -> None:
    data = put(sample_log_dir(clean=clean).disk, tmp_path)
    report = found_in(data)
    assert report.damages == []
    assert bool(report.findings) is not clean, "indexes of a broker that was killed are unfinished"
    assert (report.partitions, report.batches) == (
        len(PARTITIONS),
        sum(map(len, sample_log_dir(clean=clean).batches.values())),
    )
    assert report.size_bytes == sum(path.stat().st_size for path in data.glob("*/*.log"))


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = put(sample_log_dir(clean=True).disk, tmp_path)
    assert main(["log", "verify", str(data)]) == 0
    assert capsys.readouterr().out.endswith("no damage\n")
    log = min((data / "plain-0").glob("*.log"))
    content = bytearray(log.read_bytes())
    content[300] ^= 1
    log.write_bytes(content)
    assert main(["log", "verify", str(data / "plain-0"), "--format", "json"]) == 1
    document = json.loads(capsys.readouterr().out)
    finding = document["findings"][0]
    assert (finding["file"], finding["kind"], finding["what"]) == (str(log), "damage", "the checksum is wrong")
    assert finding["position"] <= 300 < finding["end"]
    first, behind = finding["offsets"]
    assert main(["log", "repair", str(data)]) == 1
    shown = capsys.readouterr().out
    assert "nothing was changed" in shown
    assert "offsets that are lost stay a gap" in shown
    assert log.read_bytes() == content
    side = tmp_path / "side"
    assert main(["log", "repair", str(data), "--execute", "--keep-in", str(side)]) == 0
    assert f"offsets {first} to {behind - 1} are lost" in capsys.readouterr().out
    assert (side / "plain-0" / log.name).read_bytes() == content
    assert log.read_bytes() == bytes(content[: finding["position"]] + content[finding["end"] :])
    assert main(["log", "repair", str(data), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["actions"] == []
    assert main(["log", "verify", str(tmp_path / "nowhere")]) == 2
    assert main(["log", "repair", str(data), "--execute", "--keep-in", str(data / "side")]) == 0, "nothing to keep"


def test_preallocated_indexes_are_one_note_for_a_directory(tmp_path: Path) -> None:
    data = put(sample_log_dir(clean=False).disk, tmp_path)
    notes = [each for each in found_in(data).findings if "preallocated" in each.what]
    assert [(each.path, each.remedy, each.is_damage) for each in notes] == [(str(data), Remedy.AT_START, False)]
    count = len(PARTITIONS)
    assert notes[0].what.startswith(f"{2 * count} indexes of {count} partitions")
    assert not [each for each in found_in(data).findings if "zeros" in each.what]
    (data / ".kafka_cleanshutdown").touch()
    (data / "recovery-point-offset-checkpoint").unlink()  # it is older than the ends of the logs
    damages = [each for each in found_in(data).damages if "zeros" in each.what]
    assert len(damages) == 2 * count, "after a clean shutdown they should have been cut"


@pytest.mark.parametrize("command", ["verify", "repair"])
def test_directory_without_logs_is_refused(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    manager = LogManager([tmp_path / "data"], CONFIG)
    manager.load()
    manager.close()
    (tmp_path / "file").touch()
    for name, expected in (("nowhere", "does not exist"), ("file", "is a file"), ("data", "holds no logs")):
        assert main(["log", command, str(tmp_path / name)]) == 2
        captured = capsys.readouterr()
        assert captured.out == ""
        assert captured.err.count("\n") == 1
        assert f"{tmp_path / name} {expected}" in captured.err


def test_a_directory_in_use_is_not_repaired(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = put(sample_log_dir(clean=True).disk, tmp_path)
    manager = LogManager([data], CONFIG)
    manager.log_dirs.lock()
    assert main(["log", "repair", str(data), "--execute"]) == 2
    assert "a broker uses" in capsys.readouterr().err
    assert main(["log", "verify", str(data)]) == 0
    assert "a broker uses" in capsys.readouterr().err
    manager.close()


DAMAGES = {
    "a bit of a batch": ("plain-0/*.log", 200, b"\x55", Remedy.CUT),
    "an offset that no checksum covers": ("idempotent-0/*.log", 7, b"\x63", Remedy.CUT),
    "an index's position": ("plain-0/*.index", 15, b"\x63", Remedy.REBUILD_INDEXES),
    "an index's offset": ("plain-0/*.index", 3, b"\x7f", Remedy.REBUILD_INDEXES),
    "a time": ("codecs-0/*.timeindex", 7, b"\x63", Remedy.REBUILD_INDEXES),
    "an aborted transaction's start": ("transactions-0/*.txnindex", 17, b"\x01", Remedy.REBUILD_INDEXES),
    "an aborted transaction's end": ("transactions-0/*.txnindex", 25, b"\x7f", Remedy.REBUILD_INDEXES),
    "a version": ("transactions-0/*.txnindex", 1, b"\x01", Remedy.REBUILD_INDEXES),
    "a snapshot": ("idempotent-0/*.snapshot", 20, b"\x55", Remedy.REMOVE),
    "an epoch": ("plain-0/leader-epoch-checkpoint", 4, b"7", Remedy.REBUILD_EPOCHS),
    "text that is none": ("plain-0/leader-epoch-checkpoint", 0, b"x", Remedy.REBUILD_EPOCHS),
    "a topic id": ("plain-0/partition.metadata", 0, b"x", Remedy.FORGET_TOPIC_ID),
    "a checkpoint": ("recovery-point-offset-checkpoint", 0, b"9", Remedy.REMOVE),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_is_found_and_repaired(name: str, tmp_path: Path) -> None:
    pattern, at, new, remedy = DAMAGES[name]
    data = put(sample_log_dir(clean=True).disk, tmp_path)
    path = max(data.glob(pattern)) if "snapshot" in pattern else min(data.glob(pattern))
    content = bytearray(path.read_bytes())
    content[at : at + len(new)] = new
    path.write_bytes(content)
    found = [finding for finding in found_in(data).damages if finding.path == str(path)]
    assert [finding.remedy for finding in found] == [remedy]
    assert str(path) not in found[0].what, "the path has its own column"
    code = main(["log", "repair", str(data), "--execute"])
    assert code == 0


@pytest.mark.parametrize("group", range(4))
def test_random_damages_are_repaired(group: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """After a repair the broker serves everything that is left, and nothing else."""
    for number in range(group * 6, group * 6 + 6):
        whole = sample_log_dir(clean=bool(number % 2))
        disk = whole.disk.restarted()
        done = damage(disk, whole, Random(number + 5000))
        data = put(disk, tmp_path / str(number))
        code = main(["log", "repair", str(data), "--execute"])
        left = [each for each in found_in(data).damages if each.remedy is not Remedy.NONE]
        assert not left, f"{number} {done}: {left} {capsys.readouterr().out}"
        if code:
            continue
        manager = LogManager([data], CONFIG, clock=Clock())
        manager.load(config_of)
        is_swapped_log = done.kind == "swap" and PurePath(done.paths[0]).suffix == ".log"
        assert not manager.refused() or is_swapped_log, f"{number} {done}: {manager.refused()}"
        for at in PARTITIONS:
            served = serve(manager, at, whole.starts[at], max(whole.batches[at]) + 1)
            if not is_swapped_log:  # their batches are valid
                assert served.batches.items() <= whole.batches[at].items(), f"{number} {done}: {at}"
                assert not served.errors, f"{number} {done}: {at} {served.errors[:1]}"
        manager.close()


def test_a_snapshot_of_a_producer_whose_records_were_compacted_away_is_no_damage(tmp_path: Path) -> None:
    made = manager(Files(), CONFIG, None, tmp_path / "data")
    log = made.get_or_create("t", 0)
    for number in range(6):
        log.append_as_leader(batch(producer=(number, 0, 0)), 0, 0)
    log.producer_state_manager.take_snapshot()  # as recovery does, in the middle of what compaction makes one segment
    for number in range(6, 10):
        log.append_as_leader(batch(producer=(number, 0, 0)), 0, 0)
    made.close()
    path = tmp_path / "data" / "t-0" / f"{0:020}.log"
    size_bytes = path.stat().st_size // 10
    whole = path.read_bytes()
    assert found_in(tmp_path / "data").findings == []
    path.write_bytes(whole[: 5 * size_bytes] + whole[6 * size_bytes :])
    assert [each.path for each in found_in(tmp_path / "data").findings if each.path.endswith(".snapshot")] == []


def test_leader_epoch_that_the_next_start_adds_is_no_damage(tmp_path: Path) -> None:
    disk = FakeDisk()
    log = manager(disk).get_or_create("t", 0)
    for epoch in (0, 1):
        log.assign_leader_epoch(epoch)
        log.append_as_leader(batch(), epoch, 0)
        if epoch == 0:
            log.flush()
    data = put(disk, tmp_path)
    assert (data / "t-0" / "leader-epoch-checkpoint").read_text() == "0\n1\n0 0\n"
    report = found_in(data)
    assert report.damages == []
    assert [each.remedy for each in report.findings if "leader epoch 1" in each.what] == [Remedy.AT_START]
    (data / "recovery-point-offset-checkpoint").write_text("0\n1\nt 0 2\n")  # nothing below it is read again
    assert [each.remedy for each in found_in(data).damages] == [Remedy.REBUILD_EPOCHS]


def test_leader_epochs_that_descend_are_reported_and_not_repaired(tmp_path: Path) -> None:
    """No file tells which of the batches are the log's own, and a rebuilt checkpoint could not list them."""
    disk = FakeDisk()
    log = manager(disk).get_or_create("t", 0)
    log.assign_leader_epoch(1)
    for epoch in (1, 1, 0, 1, 0):
        log.append_as_leader(batch(), epoch, 0)
    log.flush()
    data = put(disk, tmp_path)
    report = found_in(data)
    assert report.damages == []
    found = [each.what for each in report.findings if "leader epoch" in each.what]
    assert len(found) == 1
    assert found[0].startswith("offset 2 has leader epoch 0, and batches before it 1:")
