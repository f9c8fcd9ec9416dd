"""Ivy's jar is fetched once, and taken only if it is the published one."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest

from wirebroker.jvm import ivy

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def repository(tmp_path: Path) -> str:
    """A Maven repository of files, with a jar of Ivy."""
    path = tmp_path / "maven" / "org" / "apache" / "ivy" / "ivy" / ivy.IVY_VERSION / f"ivy-{ivy.IVY_VERSION}.jar"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"jar")
    return f"file://{tmp_path}/maven/"


def test_the_published_jar_is_fetched_once(tmp_path: Path, repository: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ivy, "IVY_SHA256", hashlib.sha256(b"jar").hexdigest())
    path = ivy.fetch_ivy(tmp_path / "ivy.jar", repository)
    assert path.read_bytes() == b"jar"
    assert ivy.fetch_ivy(path, "file:///nowhere/") == path
    assert sorted(each.name for each in tmp_path.iterdir()) == ["ivy.jar", "maven"]


def test_another_jar_is_refused(tmp_path: Path, repository: str) -> None:
    with pytest.raises(ivy.ResolveError, match="another SHA-256"):
        ivy.fetch_ivy(tmp_path / "ivy.jar", repository)
    assert not (tmp_path / "ivy.jar").exists()


def test_a_repository_that_cannot_be_reached_is_named(tmp_path: Path) -> None:
    with pytest.raises(ivy.ResolveError, match="cannot fetch file:///nowhere/org/apache/ivy"):
        ivy.fetch_ivy(tmp_path / "ivy.jar", "file:///nowhere/")
