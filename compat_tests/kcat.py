"""kcat, from the PATH or unpacked from Debian's packages into a cache directory.

No registry but Debian's carries the program.  apt-get fetches without being root when it is given directories of its
own, and a package that is unpacked instead of installed leaves the system as it was.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

from wirebroker.jvm.java import cache_directory

if TYPE_CHECKING:
    from pathlib import Path

WITHIN_S = 120


class NoKcatError(Exception):
    """kcat is not installed and cannot be fetched; the text has the reason."""


class Kcat:
    """The program and the libraries it was unpacked with."""

    def __init__(self, program: str, libraries: Path | None = None) -> None:
        self.program, self.libraries = program, libraries

    def run(self, *arguments: str, stdin: str | None = None) -> str:
        """Run kcat and return its output; CalledProcessError if it fails."""
        environment = dict(os.environ)
        if self.libraries is not None:
            environment["LD_LIBRARY_PATH"] = str(self.libraries)
        answer = subprocess.run(
            [self.program, *arguments], input=stdin, capture_output=True, text=True, timeout=WITHIN_S, env=environment
        )
        if answer.returncode != 0:
            raise subprocess.CalledProcessError(answer.returncode, arguments, answer.stdout, answer.stderr)
        return answer.stdout


def find_kcat() -> Kcat:
    for name in ("kcat", "kafkacat"):
        if found := shutil.which(name):
            return Kcat(found)
    if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
        raise NoKcatError("kcat is not on the PATH, and without apt-get it cannot be fetched")
    root = cache_directory() / "kcat"
    program = root / "usr" / "bin" / "kcat"
    if not program.exists():
        unpack_debian_package("kcat", root)
    return Kcat(str(program), next((root / "usr" / "lib").glob("*-linux-gnu*")))


def unpack_debian_package(name: str, root: Path) -> None:
    """Fetch package *name* and the dependencies that this system lacks, and unpack them into *root*."""
    work = root.with_suffix(".fetch")
    archives = work / "cache" / "archives"
    for directory in (archives / "partial", work / "lists" / "partial"):
        directory.mkdir(parents=True, exist_ok=True)
    options = [f"Dir::Cache={work / 'cache'}", f"Dir::State::lists={work / 'lists'}", "Debug::NoLocking=1"]
    apt = ["apt-get", "-qq", *(word for option in [*options, "APT::Sandbox::User=root"] for word in ("-o", option))]
    partial = root.with_suffix(f".{os.getpid()}")
    try:
        run([*apt, "update"])
        run([*apt, "install", "--yes", "--download-only", "--no-install-recommends", name])
        for archive in archives.glob("*.deb"):
            run(["dpkg-deb", "--extract", str(archive), str(partial)])
        partial.rename(root)
    finally:
        shutil.rmtree(work, ignore_errors=True)
        shutil.rmtree(partial, ignore_errors=True)


def run(command: list[str]) -> None:
    try:
        answer = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired as error:
        raise NoKcatError(f"kcat is not on the PATH, and fetching it took too long: {error}") from error
    if answer.returncode != 0:
        said = answer.stderr.strip().splitlines()[-1:] or ["no word why"]
        raise NoKcatError(f"kcat is not on the PATH, and fetching it failed: {said[0]}")
