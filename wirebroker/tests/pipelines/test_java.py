"""The Java for Spark: candidates, versions, the vector module, trust stores."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from wirebroker.pipelines import java

if TYPE_CHECKING:
    from pathlib import Path


def fake_java(home: Path, version: str, modules: str = "java.base@17") -> Path:
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(
        f"""#!/bin/sh
case "$1" in
    -version) echo 'openjdk version "{version}"' >&2 ;;
    --list-modules) echo '{modules}' ;;
    *) for a do echo "<$a>"; done ;;
esac
"""
    )
    program.chmod(0o755)
    return home


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ('openjdk version "17.0.9" 2023-10-17', 17),
        ('java version "1.8.0_392"', 8),
        ('openjdk version "21" 2023-09-19', 21),
        ('Picked up JAVA_TOOL_OPTIONS: -Dx=1\nopenjdk version "11.0.2"', 11),
        ("command not found", None),
    ],
)
def test_parse_version(text: str, version: int | None) -> None:
    assert java.parse_version(text) == version


def test_the_first_java_that_suits_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old, good = fake_java(tmp_path / "old", "1.8.0_392"), fake_java(tmp_path / "good", "17.0.9")
    homes = [tmp_path / "none", old, good]
    monkeypatch.setattr(java, "candidates", lambda: iter(homes))
    assert java.find_java("3.5.7") == old
    assert java.find_java("4.0.0") == good


def test_java_home_comes_before_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, other = fake_java(tmp_path / "home", "17.0.9"), fake_java(tmp_path / "other", "17.0.9")
    monkeypatch.setenv("JAVA_HOME", str(home))
    monkeypatch.setenv("PATH", str(other / "bin"))
    found = list(java.candidates())
    assert found[0] == home
    assert found[-1] == other


def test_the_error_without_a_java_names_candidates_and_a_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = fake_java(tmp_path / "new", "25.0.1")
    monkeypatch.setattr(java, "candidates", lambda: iter([new]))
    with pytest.raises(java.NoJavaError, match=r"needs Java 17 or 21 \(.*new is Java 25\).*pip install"):
        java.find_java("4.0.0")


def test_a_java_without_the_vector_module_gets_a_wrapper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = fake_java(tmp_path / "a home", "17.0.9")
    monkeypatch.setattr(java, "candidates", lambda: iter([home]))
    assert java.spark_java_home("3.5.7", tmp_path / "work") == home, "Spark 3.5 does not ask for the module"
    wrapped = java.spark_java_home("4.0.0", tmp_path / "work")
    arguments = ["-Xmx1g", "--add-modules=jdk.incubator.vector", "-Dname=two words", "Main", "$HOME"]
    answer = subprocess.run([wrapped / "bin" / "java", *arguments], capture_output=True, text=True, check=True)
    assert answer.stdout.splitlines() == ["<-Xmx1g>", "<-Dname=two words>", "<Main>", "<$HOME>"]


def test_a_java_with_the_vector_module_is_used_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = fake_java(tmp_path / "home", "21.0.1", modules="jdk.incubator.vector@21.0.1")
    monkeypatch.setattr(java, "candidates", lambda: iter([home]))
    assert java.spark_java_home("4.0.0", tmp_path / "work") == home


def test_the_trust_store_of_the_system_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = tmp_path / "cacerts"
    monkeypatch.setattr(java, "SYSTEM_TRUST_STORES", (str(store),))
    assert java.trust_options() == ""
    store.touch()
    assert java.trust_options() == f"-Djavax.net.ssl.trustStore={store}"
