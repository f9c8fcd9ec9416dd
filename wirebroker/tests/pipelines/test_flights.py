from __future__ import annotations

import argparse
import subprocess
import sys

import pytest

from wirebroker.pipelines import flights
from wirebroker.pipelines.session import connector


def parse(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(exit_on_error=False)
    flights.add_arguments(parser)
    return parser.parse_args(arguments)


def test_options() -> None:
    plain = parse()
    assert (plain.bootstrap, plain.limit, plain.format, plain.keep, plain.replace) == (None, None, "text", False, False)
    chosen = parse("--bootstrap", "broker:9092", "--limit", "500", "--format", "json", "--keep", "--replace")
    assert (chosen.bootstrap, chosen.limit, chosen.format) == ("broker:9092", 500, "json")


@pytest.mark.parametrize("limit", ["0", "-1", "many"])
def test_a_limit_must_be_a_positive_number(limit: str) -> None:
    with pytest.raises(argparse.ArgumentError):
        parse("--limit", limit)


def test_without_the_extra_one_line_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(flights, "find_spec", lambda name: None if name in ("pyspark", "pandas") else object())
    assert flights.run(parse()) == 1
    assert capsys.readouterr().err == (
        "wirebroker demo flights: pyspark, pandas not installed; "
        "run: pip install 'wirebroker[spark]' (in a checkout: pip install '.[spark]')\n"
    )


def test_listing_the_demo_imports_nothing_heavy() -> None:
    program = "import sys, wirebroker.pipelines.flights; print(*{name.partition('.')[0] for name in sys.modules})"
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not {"pyspark", "pandas", "confluent_kafka", "numpy", "trio"} & set(answer.stdout.split())


@pytest.mark.parametrize(
    ("spark", "package"),
    [
        ("3.5.7", "org.apache.spark:spark-sql-kafka-0-10_2.12:3.5.7"),
        ("4.0.0", "org.apache.spark:spark-sql-kafka-0-10_2.13:4.0.0"),
    ],
)
def test_the_connector_has_sparks_version_and_scala(spark: str, package: str) -> None:
    assert connector(spark) == package
