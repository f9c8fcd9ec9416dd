"""The znodes of live clusters against the samples of the unit tests, and each one decoded and encoded again."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import wirebroker
from compat_tests.versions import KAFKA
from compat_tests.znode_scenario import RUNS, ZnodeScenario, samples
from wirebroker.tests.zookeeper.test_znodes import codec_of

if TYPE_CHECKING:
    from collections.abc import Iterable

GOLDEN = json.loads((Path(wirebroker.__file__).parent / "tests/zookeeper/golden.json").read_text())


def shapes(texts: Iterable[str]) -> set[str]:
    """The texts without what differs between two runs: numbers and ids of the cluster and of topics."""
    return {re.sub(r"\d+", "N", re.sub(r'id":"[\w-]{22}"', 'id":ID', text)) for text in texts}


OLDER = [pytest.param(name, marks=pytest.mark.nightly) for name in RUNS if name != KAFKA]


@pytest.mark.parametrize("run", [KAFKA, *OLDER])
def test_live_znodes_are_those_of_the_samples(run: str, tmp_path: Path) -> None:
    release, settings = RUNS[run]
    found = samples(ZnodeScenario(release, dict(settings), tmp_path).run())
    assert sorted(found) == sorted(GOLDEN[run])
    for path, texts in found.items():
        if not path.endswith("/state"):  # how often an ISR changes depends on the machine
            assert shapes(texts) == shapes(GOLDEN[run][path]), path
        for text in texts:
            if text and run == KAFKA and path != "/feature":
                codec = codec_of(path) if "/topics/gone/" not in path else codec_of(path.replace("gone", "words"))
                assert codec.encode(codec.decode(path, text.encode())).decode() == text
