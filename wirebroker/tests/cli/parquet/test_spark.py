"""`wirebroker export` and `import` without Spark: where PySpark is not installed, or Spark has no need to start."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import termios
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from wirebroker.cli.main import main
from wirebroker.cli.parquet import spark
from wirebroker.client import admin
from wirebroker.tests.cli.fake_cluster import FakeConnection

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("words", [("export", "t", "--parquet", "d"), ("import", "t", "--parquet", "d")])
def test_without_pyspark(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    assert main(words) == 1
    out, err = capsys.readouterr()
    assert (out, err) == ("", "wirebroker: this command needs PySpark: pip install 'wirebroker[spark]'\n")


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("export", "x", "--parquet", "new"), "topic x does not exist"),
        (("export", "t", "--parquet", "old"), "old exists; --overwrite replaces it"),
        (("import", "t", "--parquet", "new"), "new does not exist"),
    ],
)
def test_what_is_missing_is_said_before_spark_starts(
    words: tuple[str, ...],
    problem: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    pytest.importorskip("confluent_kafka")
    errors = ModuleType("pyspark.errors")
    errors.PySparkException = ZeroDivisionError  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pyspark", ModuleType("pyspark"))
    monkeypatch.setitem(sys.modules, "pyspark.errors", errors)
    monkeypatch.setattr(spark, "reach", lambda *_: None)
    monkeypatch.setattr(admin, "Connection", FakeConnection)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old").mkdir()
    assert main(words) == 1
    out, err = capsys.readouterr()
    assert (out, err) == ("", f"wirebroker: {problem}\n")


STARTS_SPARK = """
import argparse, contextlib, pathlib, sys, types
errors = types.ModuleType("pyspark.errors")
errors.PySparkException = ZeroDivisionError
sys.modules |= {"pyspark": types.ModuleType("pyspark"), "pyspark.errors": errors}
from wirebroker.cli.parquet import spark
from wirebroker.pipelines import session

@contextlib.contextmanager
def fake_session(name, directory):
    with session.output_to(directory / "spark.log"):
        print("Spark's own lines", file=sys.stderr)
        sys.stdin.readline()
        context = types.SimpleNamespace(setLogLevel=lambda level: None)
    yield types.SimpleNamespace(sparkContext=context)

session.spark_session = fake_session
spark.reach = lambda *_: None
args = argparse.Namespace(bootstrap_server="h:1", timeout=1, security=None)
sys.exit(spark.run_with_spark(args, lambda: None, lambda session: 7))
"""


def test_a_terminal_shows_that_spark_starts() -> None:
    ours, terminal = pty.openpty()
    termios.tcsetwinsize(terminal, (24, 80))
    with subprocess.Popen(
        [sys.executable, "-c", STARTS_SPARK], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=terminal
    ) as process:
        os.close(terminal)
        shown = b""
        while b"[00:" not in shown and select.select([ours], [], [], 20)[0]:
            shown += os.read(ours, 4096)
        out, _ = process.communicate(b"\n", timeout=60)
    os.close(ours)
    assert b"start Spark, resolve its jars: [00:" in shown
    assert b"own lines" not in shown
    assert (process.returncode, out) == (7, b"")


def test_paths_of_other_file_systems_are_sparks_to_find() -> None:
    assert spark.local_path("hdfs://cluster/flights") is None
    assert str(spark.local_path("file:/tmp/flights")) == "/tmp/flights"


def test_tasks_that_have_ended() -> None:
    running = {1: SimpleNamespace(numCompletedTasks=3), 2: None, 4: SimpleNamespace(numCompletedTasks=2)}
    tracker = SimpleNamespace(getActiveStageIds=lambda: list(running), getStageInfo=running.get)
    session = SimpleNamespace(sparkContext=SimpleNamespace(statusTracker=lambda: tracker))
    assert spark.ended_tasks(session) == 5
