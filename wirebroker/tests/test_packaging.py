"""The package as pip and an operator get it: metadata, licence, types, extras, the systemd unit and the Dockerfile."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PACKAGING = ROOT / "tools" / "packaging"


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return found


def test_files() -> None:
    assert "Apache License" in (ROOT / "LICENSE").read_text()
    for name in ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"):
        assert (ROOT / name).read_text().startswith("# ")
    assert (ROOT / "wirebroker" / "py.typed").exists()


def test_the_changelog_has_the_version(project: dict[str, Any]) -> None:
    assert f"\n## {project['version']} " in (ROOT / "CHANGELOG.md").read_text()


def test_metadata(project: dict[str, Any]) -> None:
    assert project["license"] == "Apache-2.0"
    assert project["authors"] == [{"name": "wirebroker developers"}]
    assert "Typing :: Typed" in project["classifiers"]
    assert not any(each.startswith("License ::") for each in project["classifiers"])  # the expression says it
    extras = project["optional-dependencies"]
    assert {"all", "client", "metrics", "spark", "zk"} <= extras.keys()
    (everything,) = extras["all"]
    assert set(re.findall(r"\w+", everything.partition("[")[2])) == extras.keys() - {"all", "test"}


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd-analyze on this machine")
def test_the_unit_is_valid(tmp_path: Path) -> None:
    text = (PACKAGING / "wirebroker.service").read_text().replace("/usr/local/bin/wirebroker", sys.executable)
    unit = tmp_path / "wirebroker.service"
    unit.write_text(text)
    done = subprocess.run(["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_unit_and_the_image_start_with_options_that_exist() -> None:
    from wirebroker.cli.commands import TABLE

    start = TABLE.find(["start"])
    assert start is not None
    known = {option for action in TABLE.parser(start)._actions for option in action.option_strings}
    for name in ("wirebroker.service", "Dockerfile"):
        lines = re.findall(r"^(?:ExecStart|CMD).*$", (PACKAGING / name).read_text(), re.MULTILINE)
        named = set(re.findall(r"--[a-z-]+", " ".join(lines)))
        assert named
        assert named <= known


def test_the_image_copies_what_is_there() -> None:
    text = (PACKAGING / "Dockerfile").read_text()
    for names in re.findall(r"^COPY (?!--)(.*) \S+$", text, re.MULTILINE):
        assert all((ROOT / name).exists() for name in names.split())
