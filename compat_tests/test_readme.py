"""The snippets of README.md run as they stand there, but for addresses, paths and the version of Spark."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compat_tests.command import output
from tools.jvm import java_options
from wirebroker.pipelines.java import spark_java_home
from wirebroker.pipelines.session import IVY_SETTINGS, connector

if TYPE_CHECKING:
    from collections.abc import Callable

    from compat_tests.broker import Wirebroker

README = Path(__file__).parent.parent / "README.md"


def test_the_first_snippet_and_the_dump_of_its_records(
    start_wirebroker: Callable[..., Wirebroker], tmp_path: Path
) -> None:
    text = README.read_text()
    snippet, shown = re.findall(r"^```(?:python)?\n(.*?)^```", text, re.DOTALL | re.MULTILINE)[:2]
    broker = start_wirebroker()
    program = snippet.replace("127.0.0.1:9092", broker.bootstrap)
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True, timeout=120)
    (tmp_path / "wirebroker-data").symlink_to(broker.data_directory)
    command, *expected = shown.splitlines()
    words = command.removeprefix("$ wirebroker ").split()
    dump = [sys.executable, "-m", "wirebroker", *words]
    environment = os.environ | {"PYTHONPATH": str(README.parent)}
    run = subprocess.run(dump, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert (run.returncode, run.stderr) == (0, "")
    assert _records(run.stdout.splitlines()) == _records(expected)
    counts = [int(count) for count in re.findall(r"^baseOffset: .* count: (\d+)", run.stdout, re.MULTILINE)]
    assert sum(counts) == len(_records(expected)) == 3
    assert all(counts)
    names = re.compile(r"(\w+): ")
    assert {tuple(names.findall(line)) for line in run.stdout.splitlines()} == {
        tuple(names.findall(line)) for line in expected
    }


def test_the_commands_for_a_terminal(
    start_wirebroker: Callable[..., Wirebroker], monkeypatch: pytest.MonkeyPatch
) -> None:
    section = README.read_text().partition("## Use it")[2].partition("```")[0]
    quickstart, start, *others = re.findall(r"^    wirebroker (.*)$", section, re.MULTILINE)
    said = output(*quickstart.split()).decode()
    assert "offset 0: hello\noffset 1: world\n" in said
    broker = start_wirebroker(options=start.removeprefix("start --ephemeral ").removesuffix(" &").split())
    monkeypatch.setenv("WIREBROKER_BOOTSTRAP_SERVER", broker.bootstrap)
    for command in others:
        said = output(*command.split()).decode()
    record = json.loads(said)
    assert (record["topic"], record["key"], record["value"]) == ("greetings", "en", "hello")
    assert record["headers"] == [{"key": "from", "value": "README"}]


def _records(lines: list[str]) -> list[str]:
    """The lines of records; how they are divided into batches is a matter of time."""
    return [re.sub(r"CreateTime: \d+", "CreateTime: N", line) for line in lines if line.startswith("| ")]


@pytest.mark.spark
def test_the_snippets_produce_three_delays_and_read_them_with_spark(bootstrap: str, tmp_path: Path) -> None:
    snippets = re.findall(r"^```python\n(.*?)^```", README.read_text(), re.DOTALL | re.MULTILINE)
    spark = version("pyspark")
    (tmp_path / "ivysettings.xml").write_text(IVY_SETTINGS)
    (tmp_path / "spark-defaults.conf").write_text(f"spark.jars.ivySettings {tmp_path / 'ivysettings.xml'}\n")
    environment = os.environ | {
        "SPARK_CONF_DIR": str(tmp_path),
        "JAVA_HOME": str(spark_java_home(spark, tmp_path)),
        "JAVA_TOOL_OPTIONS": " ".join(java_options()),
    }
    said = []
    for snippet in snippets:
        program = snippet.replace("127.0.0.1:9092", bootstrap).replace(connector("4.0.0"), connector(spark))
        run = subprocess.run(
            [sys.executable, "-c", program], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300
        )
        assert run.returncode == 0, run.stderr
        said.append(run.stdout)
    for carrier, delay, offset in (("AA", 12, 0), ("UA", -3, 1), ("DL", 47, 2)):
        assert re.search(rf"\|\s*{carrier}\|\s*{delay}\|\s*{offset}\|", "".join(said))
