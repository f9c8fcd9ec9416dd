"""Archives of classes: who records, who uses, and what happens without one.  A shell script stands for Java."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

from tools.jvm import class_archive

GOOD_JAVA = """#!/bin/sh
for option; do
    case $option in
        -XX:SharedClassListFile=*) classes=${option#*=} ;;
        -XX:SharedArchiveFile=*) archive=${option#*=} ;;
    esac
done
cp "$classes" "$archive"
"""
recorded = threading.Event()
"""Set when the time of recording is over."""
BAD_JAVA = "#!/bin/sh\nexit 1\n"


@pytest.fixture
def jar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("sys.prefix", str(tmp_path))
    monkeypatch.setattr(class_archive, "_enabled", True)
    monkeypatch.setattr("time.sleep", lambda _: recorded.wait(60))
    recorded.clear()
    monkeypatch.setattr(class_archive, "java", lambda: str(tmp_path / "java"))
    set_java(tmp_path, GOOD_JAVA)
    jar = tmp_path / "some.jar"
    jar.write_bytes(b"jar")
    return jar


def set_java(directory: Path, script: str) -> None:
    java = directory / "java"
    java.write_text(script)
    java.chmod(0o755)


def begin_to_record(jar: Path) -> Path:
    """Start two programs; return the list of classes that the second one is to write."""
    assert class_archive.options(str(jar), record=True) == [], "the only program with this class path, perhaps"
    (option,) = class_archive.options(str(jar), record=True)
    name, _, path = option.partition("=")
    assert name == "-XX:DumpLoadedClassList"
    return jar.parent / path


def finish() -> None:
    """Let the time of recording pass, and the archive be made."""
    recorded.set()
    for thread in threading.enumerate():
        if thread.name == "class-archive":
            thread.join(60)


def test_the_second_program_records_and_later_ones_use_the_archive(jar: Path) -> None:
    classes = begin_to_record(jar)
    classes.write_text("java/lang/Object")
    assert class_archive.options(str(jar), record=True) == [], "one records already"
    finish()
    share, archive, *_ = class_archive.options(str(jar))
    assert share == "-Xshare:auto", "Java starts without an archive that it cannot use"
    assert Path(archive.removeprefix("-XX:SharedArchiveFile=")).read_text() == "java/lang/Object"


def test_a_program_that_may_not_record_does_not(jar: Path) -> None:
    assert [class_archive.options(str(jar)) for _ in range(3)] == [[], [], []]


def test_a_changed_jar_has_another_archive(jar: Path) -> None:
    begin_to_record(jar).write_text("classes")
    finish()
    assert class_archive.options(str(jar))
    jar.write_bytes(b"another")
    assert not class_archive.options(str(jar))


@pytest.mark.parametrize("has_list", [True, False])
def test_programs_start_without_an_archive_that_could_not_be_made(jar: Path, has_list: bool) -> None:
    if has_list:
        set_java(jar.parent, BAD_JAVA)
    classes = begin_to_record(jar)
    if has_list:
        classes.write_text("classes")
    finish()
    assert not class_archive.options(str(jar))
    assert not [path for path in classes.parent.iterdir() if path.suffix in (".jsa", ".partial")]


def test_without_a_virtual_environment_there_are_no_archives(jar: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.prefix", sys.base_prefix)
    assert [class_archive.options(str(jar), record=True) for _ in range(3)] == [[], [], []]


def test_archives_are_only_for_those_who_enable_them(jar: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begin_to_record(jar).write_text("classes")
    finish()
    monkeypatch.setattr(class_archive, "_enabled", False)
    assert class_archive.options(str(jar), record=True) == []
