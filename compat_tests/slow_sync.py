"""A disk whose every sync takes long: `slowsync.c`, compiled when a test asks for it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

_SOURCE = Path(__file__).with_name("slowsync.c")


class SlowSync:
    """The environment of a process whose syncs take *ms* longer, and what its main thread has synced."""

    def __init__(self, directory: Path, ms: int) -> None:
        compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
        if compiler is None:
            pytest.skip("no C compiler (cc, gcc or clang), so no slow disk can be played")
        directory.mkdir(parents=True, exist_ok=True)
        library = directory / "slowsync.so"
        subprocess.run([compiler, "-shared", "-fPIC", "-O2", "-o", library, _SOURCE, "-ldl"], check=True, timeout=60)
        self._notes = directory / "synced-by-main-thread"
        self.environment = {
            "LD_PRELOAD": str(library),
            "SLOW_SYNC_MS": str(ms),
            "SLOW_SYNC_MAIN": str(self._notes),
        }

    def synced_by_main_thread(self) -> list[str]:
        """The calls and paths, one a line."""
        return self._notes.read_text().splitlines() if self._notes.exists() else []
