"""`--command-config`: which settings of a client.properties have an effect, and which are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from wirebroker.cli.main import main
from wirebroker.tests.cli.fake_cluster import FakeConnection

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, float, str]]:
    """The connections that a command opens: address, timeout in seconds, client id."""
    connections: list[tuple[str, float, str]] = []

    class RecordedConnection(FakeConnection):
        def __init__(self, address: Any, timeout_s: float, client_id: str = "", security: object = None) -> None:
            super().__init__(address, timeout_s, client_id)
            connections.append((str(address), timeout_s, client_id))

    monkeypatch.setattr("wirebroker.client.admin.Connection", RecordedConnection)
    monkeypatch.setattr("os.environ", {})
    return connections


@pytest.mark.parametrize(
    ("content", "options", "connection"),
    [
        ("", [], ("127.0.0.1:9092", 5.0, "wirebroker-cli")),
        ("bootstrap.servers=a:1,b:2", [], ("a:1", 5.0, "wirebroker-cli")),
        ("bootstrap.servers=a:1", ["-b", "c:3"], ("c:3", 5.0, "wirebroker-cli")),
        ("bootstrap.servers=a:1", ["-b", "127.0.0.1:9092"], ("127.0.0.1:9092", 5.0, "wirebroker-cli")),
        ("client.id = me\nsecurity.protocol=PLAINTEXT", [], ("127.0.0.1:9092", 5.0, "me")),
        ("request.timeout.ms=700", [], ("127.0.0.1:9092", 0.7, "wirebroker-cli")),
        ("request.timeout.ms=700", ["--timeout", "900"], ("127.0.0.1:9092", 0.9, "wirebroker-cli")),
        ("default.api.timeout.ms=700", [], ("127.0.0.1:9092", 0.7, "wirebroker-cli")),
    ],
)
def test_settings_with_an_effect(
    content: str,
    options: list[str],
    connection: tuple[str, float, str],
    opened: list[tuple[str, float, str]],
    tmp_path: Path,
) -> None:
    file = tmp_path / "client.properties"
    file.write_text(content)
    assert main(["topics", "list", "--command-config", str(file), *options]) == 0
    assert opened[0] == connection


@pytest.mark.usefixtures("opened")
def test_settings_without_an_effect_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "client.properties"
    file.write_text("metadata.max.age.ms=1\nacks=all\n")
    assert main(["topics", "list", "--command-config", str(file)]) == 0
    assert capsys.readouterr().err == f"wirebroker: {file}: no effect on this command: acks, metadata.max.age.ms\n"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (
            "sasl.mechanism=PLAIN\nssl.key.password=x",
            "sasl.mechanism, ssl.key.password: no effect as security.protocol",
        ),
        ("bootstrap.servers=nowhere", "'nowhere' is not HOST:PORT"),
        ("request.timeout.ms=soon", "request.timeout.ms=soon is not a number above 0"),
        ("request.timeout.ms=0", "request.timeout.ms=0 is not a number above 0"),
    ],
)
def test_settings_that_are_refused(
    content: str, says: str, opened: list[tuple[str, float, str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "client.properties"
    file.write_text(content)
    with pytest.raises(SystemExit) as end:
        main(["topics", "list", "--command-config", str(file)])
    assert end.value.code == 2
    assert says in capsys.readouterr().err
    assert not opened


def test_a_file_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["topics", "list", "--command-config", "/no/file"])
    assert end.value.code == 2
    assert "/no/file: No such file or directory" in capsys.readouterr().err
