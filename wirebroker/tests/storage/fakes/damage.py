"""Random damage to one file of a sample log directory."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from random import Random

    from wirebroker.tests.storage.fakes.disk import FakeDisk
    from wirebroker.tests.storage.fakes.sample_log_dir import SampleLogDir

KINDS = ("flip", "cut", "swap", "zero", "stale")


class Damage(NamedTuple):
    """The damage to one file, or to two that were swapped."""

    kind: str
    paths: tuple[str, ...]
    detail: str


def damage(disk: FakeDisk, whole: SampleLogDir, random: Random) -> Damage:
    """Do one thing to one file."""
    while True:
        kind = random.choice(KINDS)
        path = random.choice(sorted(disk.names))
        data = disk.content(path).rstrip(b"\0") if path.endswith("index") else disk.content(path)
        if kind == "stale":
            if path in whole.earlier:
                disk.overwrite(path, whole.earlier[path])
                return Damage(kind, (path,), f"{len(whole.earlier[path])} bytes instead of {len(data)}")
        elif kind == "swap":
            others = [other for other in sorted(disk.names) if PurePath(other).suffix == PurePath(path).suffix]
            other = random.choice(others)
            if other != path and disk.content(other) != disk.content(path):
                first, second = disk.content(path), disk.content(other)
                disk.overwrite(path, second)
                disk.overwrite(other, first)
                return Damage(kind, (path, other), "")
        elif data:
            at = random.randrange(len(data))
            if kind == "flip":
                changed = bytearray(disk.content(path))
                changed[at] ^= 1 << random.randrange(8)
                disk.overwrite(path, bytes(changed))
                return Damage(kind, (path,), f"byte {at}: {data[at]} -> {changed[at]}")
            if kind == "cut":
                disk.overwrite(path, disk.content(path)[:at])
                return Damage(kind, (path,), f"to {at} of {len(data)} bytes")
            end = min(len(data), at + random.choice((1, 8, 64, 5000)))
            if any(data[at:end]):
                content = disk.content(path)
                disk.overwrite(path, content[:at] + bytes(end - at) + content[end:])
                return Damage(kind, (path,), f"bytes {at} to {end}")
