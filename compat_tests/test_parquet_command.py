"""`wirebroker export` and `wirebroker import`: a topic as Parquet and back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from compat_tests.command import attempt, output
from compat_tests.kafka_requests import NOW
from compat_tests.spark_help import create_topic

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.spark]


def test_a_topic_survives_the_way_out_and_in(bootstrap: str, topic: str, tmp_path: Path) -> None:
    create_topic(bootstrap, topic, 2)
    records: list[dict[str, Any]] = [
        {"key": "k", "value": "v", "headers": [{"key": "h", "value": "1"}, {"key": "h", "value": None}]},
        {"key": None, "value": "no key"},
        {"key": "tombstone", "value": None},
        {"key_base64": "/wD+", "value_base64": "gIE="},
    ]
    for number, record in enumerate(records):
        record |= {"partition": number % 2, "timestamp": NOW + number}
    lines = "\n".join(map(json.dumps, records))
    output("produce", topic, "-b", bootstrap, "--json", stdin=lines.encode())
    directory = str(tmp_path / "parquet")
    said = attempt("export", topic, "--parquet", directory, "-b", bootstrap)
    assert (said.returncode, said.stdout.decode()) == (0, f"{topic}: 4 records of 2 partitions in {directory}\n"), said
    said = attempt("import", f"{topic}.copy", "--parquet", directory, "-b", bootstrap)
    assert said.returncode == 0, said
    assert said.stdout.endswith(b"; their offsets are those of the export\n")
    consume = ("-b", bootstrap, "--from-beginning", "--exit", "--format", "json")
    before, after = (
        sorted(output("consume", name, *consume).decode().replace(name, "t").splitlines())
        for name in (topic, f"{topic}.copy")
    )
    assert after == before
    assert len(after) == 4
    refused = attempt("export", topic, "--parquet", directory, "-b", bootstrap)
    assert (refused.returncode, refused.stderr.decode()) == (
        1,
        f"wirebroker: {directory} exists; --overwrite replaces it\n",
    )
