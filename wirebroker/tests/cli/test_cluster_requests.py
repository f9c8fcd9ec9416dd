"""Features, versions of APIs and the description of a cluster, also of brokers that lack the newer requests."""

from __future__ import annotations

import json
from typing import Any

import pytest

from wirebroker.cli.api_versions import usable_version
from wirebroker.cli.cluster.requests import level_number, level_text
from wirebroker.cli.main import main
from wirebroker.client.connection import UnsupportedApi
from wirebroker.protocol.messages.api_versions import ApiVersionsResponse
from wirebroker.tests.cli.fake_cluster import FakeConnection


@pytest.fixture(autouse=True)
def cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wirebroker.client.admin.Connection", FakeConnection)
    monkeypatch.setattr("os.environ", {})


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    assert main([*words, "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("text", "level"), [("3.0-IV1", 1), ("3.3", 7), ("3.9", 21), ("3.9-IV0", 21), ("4.0-IV3", 25), ("19", 19)]
)
def test_levels_of_the_metadata_version(text: str, level: int) -> None:
    assert level_number("metadata.version", text) == level
    if "-" in text:
        assert level_text("metadata.version", level) == text


def test_levels_of_others() -> None:
    assert level_number("transaction.version", "2") == 2
    assert level_text("transaction.version", 2) == "2"
    assert level_text("metadata.version", 99) == "UNKNOWN 99"


def test_features(capsys: pytest.CaptureFixture[str]) -> None:
    (feature,) = printed(capsys, "cluster", "features", "--upgrade", "metadata.version=3.9")
    assert feature == {
        "feature": "metadata.version",
        "supported_min_version": "3.0-IV1",
        "supported_max_version": "3.9-IV0",
        "finalized_version_level": "3.8-IV0",
        "epoch": 5,
    }


def test_a_broker_without_features(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(FakeConnection, "send", lambda *_: ApiVersionsResponse())
    assert printed(capsys, "cluster", "features") == []


def test_the_cluster_of_brokers_without_describe_cluster(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    newest = printed(capsys, "cluster", "info")
    assert newest["cluster_id"] == "c"
    assert newest["brokers"][0]["is_fenced"] is False

    def version(self: FakeConnection, request: type[Any], highest: int | None = None) -> int:
        if request.__name__ == "DescribeClusterRequest":
            raise UnsupportedApi("no")
        return int(request.VERSIONS[-1])

    monkeypatch.setattr(FakeConnection, "version", version)
    older = printed(capsys, "cluster", "info")
    assert [each["host"] for each in older["brokers"]] == ["broker"]
    assert older["brokers"][0]["is_fenced"] is None


def test_usable_versions() -> None:
    from wirebroker.protocol.api import API

    newest = API[0].max_version
    assert usable_version(0, 0, newest + 5) == newest
    assert usable_version(0, newest + 1, newest + 5) is None
    assert usable_version(30_000, 0, 1) is None
