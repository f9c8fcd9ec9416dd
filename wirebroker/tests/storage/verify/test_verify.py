"""`log verify` finds what was damaged and nothing else; `log repair` mends it and keeps what it took away."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path, PurePath
from random import Random

import pytest

from wirebroker.cli.main import main
from wirebroker.storage.files import Files
from wirebroker.storage.log_manager import LogManager
from wirebroker.storage.verify.directory import verify
from wirebroker.storage.verify.findings import Checked, Remedy
from wirebroker.tests.storage.fakes.all_kinds import CONFIG, PARTITIONS, Clock, Scene, config_of, make, serve
from wirebroker.tests.storage.fakes.disk import FakeDisk
from wirebroker.tests.storage.fakes.logs import batch, manager
from wirebroker.tests.storage.test_single_damages import damage, manager_of


@cache
def scene(clean: bool) -> Scene:
    return make(manager_of, clean=clean)


def put(disk: FakeDisk, root: Path) -> Path:
    """Write the fake disk's files below *root*; returns the data directory."""
    for path in disk.names:
        target = root / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(disk.content(path))
    return root / "data"


def found_in(directory: Path) -> Checked:
    checked = Checked()
    verify(directory, Files(), checked)
    return checked


@pytest.mark.parametrize("clean", [False, True])
def test_nothing_is_wrong_with_what_we_wrote(clean: bool, tmp_path: Path) -> None:
    data = put(scene(clean).disk, tmp_path)
    checked = found_in(data)
    assert checked.damages == []
    assert bool(checked.findings) is not clean, "indexes of a broker that was killed are unfinished"
    assert (checked.partitions, checked.batches) == (len(PARTITIONS), sum(map(len, scene(clean).batches.values())))
    assert checked.size_bytes == sum(path.stat().st_size for path in data.glob("*/*.log"))


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = put(scene(True).disk, tmp_path)
    assert main(["log", "verify", str(data)]) == 0
    assert capsys.readouterr().out.endswith("no damage\n")
    log = min((data / "plain-0").glob("*.log"))
    content = bytearray(log.read_bytes())
    content[300] ^= 1
    log.write_bytes(content)
    assert main(["log", "verify", str(data / "plain-0"), "--format", "json"]) == 1
    document = json.loads(capsys.readouterr().out)
    finding = document["findings"][0]
    assert (finding["file"], finding["kind"], finding["what"]) == (str(log), "damage", "the checksum does not fit")
    assert finding["position"] <= 300 < finding["end"]
    first, behind = finding["offsets"]
    assert main(["log", "repair", str(data)]) == 1
    assert "nothing was changed" in capsys.readouterr().out
    assert log.read_bytes() == content
    side = tmp_path / "side"
    assert main(["log", "repair", str(data), "--execute", "--keep-in", str(side)]) == 0
    assert f"offsets {first} to {behind - 1} go" in capsys.readouterr().out
    assert (side / "plain-0" / log.name).read_bytes() == content
    assert log.read_bytes() == bytes(content[: finding["position"]] + content[finding["end"] :])
    assert main(["log", "repair", str(data), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["actions"] == []
    assert main(["log", "verify", str(tmp_path / "nowhere")]) == 2
    assert main(["log", "repair", str(data), "--execute", "--keep-in", str(data / "side")]) == 0, "nothing to keep"


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
    data = put(scene(True).disk, tmp_path)
    manager = LogManager([data], CONFIG)
    manager.lock()
    assert main(["log", "repair", str(data), "--execute"]) == 2
    assert "a broker uses" in capsys.readouterr().err
    assert main(["log", "verify", str(data)]) == 0
    assert "a broker uses" in capsys.readouterr().err
    manager.close()


DAMAGES = {
    "a bit of a batch": ("plain-0/*.log", 200, b"\x55", Remedy.EXCISE),
    "an offset that no checksum covers": ("idempotent-0/*.log", 7, b"\x63", Remedy.EXCISE),
    "an index's position": ("plain-0/*.index", 15, b"\x63", Remedy.REBUILD_INDEXES),
    "an index's offset": ("plain-0/*.index", 3, b"\x7f", Remedy.REBUILD_INDEXES),
    "a time": ("codecs-0/*.timeindex", 7, b"\x63", Remedy.REBUILD_INDEXES),
    "an aborted transaction's start": ("transactions-0/*.txnindex", 17, b"\x01", Remedy.REBUILD_INDEXES),
    "an aborted transaction's end": ("transactions-0/*.txnindex", 25, b"\x7f", Remedy.REBUILD_INDEXES),
    "a version": ("transactions-0/*.txnindex", 1, b"\x01", Remedy.REBUILD_INDEXES),
    "a snapshot": ("idempotent-0/*.snapshot", 20, b"\x55", Remedy.REMOVE),
    "an epoch": ("plain-0/leader-epoch-checkpoint", 4, b"7", Remedy.REBUILD_EPOCHS),
    "text that is none": ("plain-0/leader-epoch-checkpoint", 0, b"x", Remedy.REBUILD_EPOCHS),
    "a topic id": ("plain-0/partition.metadata", 0, b"x", Remedy.NONE),
    "a checkpoint": ("recovery-point-offset-checkpoint", 0, b"9", Remedy.REMOVE),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_what_is_damaged_is_found_and_mended(name: str, tmp_path: Path) -> None:
    pattern, at, new, remedy = DAMAGES[name]
    data = put(scene(True).disk, tmp_path)
    path = max(data.glob(pattern)) if "snapshot" in pattern else min(data.glob(pattern))
    content = bytearray(path.read_bytes())
    content[at : at + len(new)] = new
    path.write_bytes(content)
    found = [finding for finding in found_in(data).damages if finding.path == str(path)]
    assert [finding.remedy for finding in found] == [remedy]
    code = main(["log", "repair", str(data), "--execute"])
    assert code == (1 if remedy is Remedy.NONE else 0)


@pytest.mark.parametrize("group", range(4))
def test_random_damages_are_mended(group: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """After a repair the broker serves everything that is left, and nothing else."""
    for number in range(group * 6, group * 6 + 6):
        whole = scene(bool(number % 2))
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
        foreign = done.kind == "swap" and PurePath(done.paths[0]).suffix == ".log"
        assert not manager.refused() or foreign, f"{number} {done}: {manager.refused()}"
        for at in PARTITIONS:
            served = serve(manager, at, whole.starts[at], max(whole.batches[at]) + 1)
            if not foreign:  # nobody can tell
                assert served.batches.items() <= whole.batches[at].items(), f"{number} {done}: {at}"
                assert not served.errors, f"{number} {done}: {at} {served.errors[:1]}"
        manager.close()


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
    checked = found_in(data)
    assert checked.damages == []
    assert [each.remedy for each in checked.findings if "leader epoch 1" in each.what] == [Remedy.AT_START]
    (data / "recovery-point-offset-checkpoint").write_text("0\n1\nt 0 2\n")  # nothing below it is read again
    assert [each.remedy for each in found_in(data).damages] == [Remedy.REBUILD_EPOCHS]
