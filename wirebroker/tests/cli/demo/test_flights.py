"""Options of `wirebroker demo flights`, and errors before the worker is started."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from wirebroker.cli.commands import TABLE
from wirebroker.cli.demo import flights
from wirebroker.cli.main import main

if TYPE_CHECKING:
    import argparse
    from pathlib import Path


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WIREBROKER_BOOTSTRAP_SERVER", raising=False)


def parse(*arguments: str) -> argparse.Namespace:
    command = TABLE.find(["demo", "flights"])
    assert command is not None
    return TABLE.parser(command).parse_args(arguments)


def test_options(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = parse()
    assert (plain.bootstrap_server, plain.limit, plain.format, plain.keep) == (None, None, "table", False)
    assert (plain.replace, plain.output, plain.chart) == (False, None, None)
    chosen = parse("-b", "broker:9092", "--limit", "500", "--format", "json", "--keep", "--replace")
    assert (chosen.bootstrap_server, chosen.limit, chosen.format) == ("broker:9092", 500, "json")
    assert parse("--bootstrap", "old:1").bootstrap_server == "old:1"
    monkeypatch.setenv("WIREBROKER_BOOTSTRAP_SERVER", "environment:1")
    assert parse().bootstrap_server == "environment:1"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--limit", "0"], "argument --limit: 0 is not above 0"),
        (["--limit", "many"], "argument --limit: 'many' is not a whole number"),
        (["--bootstrap", "x"], "argument --bootstrap: 'x' is not HOST:PORT"),
        (["--output", "a.txt"], "--output a.txt: the name must end with .csv or .json"),
        (["--chart", "a.jpg"], "--chart a.jpg: the name must end with .png"),
        (["--output", "/no/such/place/a.csv"], "/no/such/place is no directory"),
    ],
)
def test_wrong_usage(arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["demo", "flights", *arguments])
    assert end.value.code == 2
    assert says in capsys.readouterr().err.splitlines()[-1]


def test_a_directory_is_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "d.csv").mkdir()
    with pytest.raises(SystemExit):
        main(["demo", "flights", "--output", str(tmp_path / "d.csv")])
    assert "d.csv is a directory, not a file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("absent", "arguments", "named"),
    [
        ({"pyspark", "pandas"}, [], "pyspark, pandas"),
        ({"confluent_kafka"}, [], "confluent-kafka"),
        ({"matplotlib"}, ["--chart", "d.png"], "matplotlib"),
    ],
)
def test_without_the_extra_one_line_names_the_command_to_install_it(
    absent: set[str],
    arguments: list[str],
    named: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(flights, "find_spec", lambda name: None if name in absent else object())
    assert main(["demo", "flights", *arguments]) == 1
    assert capsys.readouterr().err == (
        f"wirebroker: {named} not installed; run: pip install 'wirebroker[demo]' (in a checkout: pip install "
        "'.[demo]')\n"
    )


def test_help_imports_nothing_heavy() -> None:
    program = (
        "import sys, contextlib, io; from wirebroker.cli.main import main\n"
        "with contextlib.redirect_stdout(io.StringIO()): main(['help', 'demo', 'flights'])\n"
        "print(*{name.partition('.')[0] for name in sys.modules})"
    )
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not {"pyspark", "pandas", "confluent_kafka", "numpy", "matplotlib", "trio"} & set(answer.stdout.split())
