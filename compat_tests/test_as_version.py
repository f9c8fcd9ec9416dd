"""`--as-version`: the tables, features and refusals of real brokers of five releases, compared with ours.

Each release is started once, asked, and stopped.  What we do not serve at all is listed with the reason; whatever else
differs is a failure.
"""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from compat_tests.versions import KAFKA, NEWEST_KAFKA, OLD_KAFKA
from compat_tests.wire import Closed, Wire, request_header
from tools.jvm.kafka import KafkaBroker
from tools.jvm.zookeeper import ZooKeeper, ZooKeeperBroker
from wirebroker.config.releases import RELEASES, release_of
from wirebroker.handlers.release_tables import HISTORY
from wirebroker.protocol.api import API, ApiKey
from wirebroker.protocol.messages.api_versions import ApiVersionsRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from compat_tests.broker import Broker, Wirebroker
    from tools.jvm.kafka import KafkaDist

COMPARED = ("2.0.1", OLD_KAFKA, KAFKA, "4.1.0", NEWEST_KAFKA)

NOT_SERVED = {
    "between brokers and their controller": "4 5 6 7 52 53 54 56 58 59 62 63 67 70 73 82",
    "authentication": "17 36 50 51",
    "access control": "29 30 31",
    "delegation tokens": "38 39 40 41",
    "quotas": "48 49",
    "the KRaft quorum and its members": "55 64 80 81",
    "features of the cluster": "57",
    "transactions": "24 25 26 65 66",
    "the newer group protocols": "68 69 76 77 78 79 83 84 85 86 87 88 89 90 91 92",
    "client telemetry": "71 72 74",
}
"""Why wirebroker has no handler for an API that a release advertised."""
REASONS = {int(key): reason for reason, keys in NOT_SERVED.items() for key in keys.split()}

NARROWER = {
    "4.1.0": {1: "Fetch 18 has a follower's high watermark"},
    NEWEST_KAFKA: {
        1: "Fetch 18 has a follower's high watermark",
        2: "ListOffsets 11 asks for tiered storage",
        8: "OffsetCommit 10 has topic ids",
        9: "OffsetFetch 10 has topic ids",
        27: "WriteTxnMarkers 2 has the version of the transaction",
    },
}
"""Why the newest version of an API is not served."""


class Face(NamedTuple):
    """What a broker says of itself, and how it refuses."""

    tables: dict[int, dict[int, tuple[int, int]]]
    """Version of the ApiVersions request -> API key -> versions."""
    supported: dict[int, dict[str, tuple[int, int]]]
    finalized: dict[int, dict[str, int]]
    has_epoch: bool
    unknown_version: tuple[int, list[tuple[int, int, int]]] | None
    """Error and list that ApiVersions 99 is answered with; None for a closed connection."""


def face_of(broker: Broker) -> Face:
    face = Face({}, {}, {}, False, None)
    for version in ApiVersionsRequest.VERSIONS:
        try:
            answer = ask(broker, version)
        except Closed:
            continue
        if answer is None:
            continue
        face.tables[version] = {e.api_key: (e.min_version, e.max_version) for e in answer.api_keys}
        if version >= 3:
            face.supported[version] = {e.name: (e.min_version, e.max_version) for e in answer.supported_features}
            face.finalized[version] = {e.name: e.max_version_level for e in answer.finalized_features}
            face = face._replace(has_epoch=answer.finalized_features_epoch >= 0)
    return face._replace(unknown_version=refusal(broker))


def ask(broker: Broker, version: int) -> Any:
    """The answer to ApiVersions, None when it is an error."""
    with Wire(broker.host, broker.port) as wire:
        wire.send(ApiVersionsRequest("compat", "1.0"), version)
        frame = wire.receive_frame()
        if int.from_bytes(frame[4:6], "big", signed=True):
            return None
        _, response = API[ApiKey.API_VERSIONS].load()
        answer, end = response.read(memoryview(frame), 4, version)
        assert end == len(frame)
        return answer


def refusal(broker: Broker) -> tuple[int, list[tuple[int, int, int]]] | None:
    _, response = API[ApiKey.API_VERSIONS].load()
    with Wire(broker.host, broker.port) as wire:
        wire.send_frame(request_header(ApiKey.API_VERSIONS, 99, 1))
        try:
            frame = wire.receive_frame()
        except Closed:
            return None
        answer, end = response.read(memoryview(frame), 4, 0)
        assert end == len(frame)
        return answer.error_code, [(e.api_key, e.min_version, e.max_version) for e in answer.api_keys]


@contextmanager
def apache_kafka_of(dist: KafkaDist, directory: Path) -> Iterator[KafkaBroker]:
    """A broker of that release: with ZooKeeper where KRaft was not for production yet."""
    if RELEASES.index(release_of(dist.version)) < RELEASES.index("3.3"):
        with (
            ZooKeeper(dist, directory / "zookeeper") as zookeeper,
            ZooKeeperBroker(dist, directory / "kafka", zookeeper) as broker,
        ):
            yield broker
    else:
        with KafkaBroker(dist, directory / "kafka") as broker:
            yield broker


@pytest.fixture(scope="module", params=COMPARED)
def faces(
    request: pytest.FixtureRequest, kafka_dist: Callable[[str], KafkaDist], tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Face, Face]:
    """(version, the real broker's face, ours behind its mask)."""
    from compat_tests.broker import Wirebroker

    version: str = request.param
    directory = tmp_path_factory.mktemp(f"as-{version}")
    with apache_kafka_of(kafka_dist(version), directory) as kafka:
        theirs = face_of(kafka)
    with Wirebroker(directory / "wirebroker", {"wirebroker.as.version": version}) as broker:
        ours = face_of(broker)
    return version, theirs, ours


def test_the_table_is_the_release_s(faces: tuple[str, Face, Face]) -> None:
    version, theirs, ours = faces
    assert set(ours.tables) == set(theirs.tables), "other versions of ApiVersions are answered"
    for asked, table in theirs.tables.items():
        mine = ours.tables[asked]
        missing = sorted(set(table) - set(mine))
        sys.stdout.write(f"\n{version}, ApiVersions {asked}: {len(mine)} of {len(table)} APIs; left out:\n")
        for key in missing:
            sys.stdout.write(f"  {key:>2} {API[key].name if key in API else '':28} {REASONS.get(key, 'NO REASON')}\n")
        assert set(mine) - set(table) == set(), "APIs that the release did not have"
        assert [key for key in missing if key not in REASONS] == []
        for key, span in mine.items():
            if key in NARROWER.get(version, {}):
                assert span[0] == table[key][0]
                assert span[1] == table[key][1] - 1
            else:
                assert span == table[key], API[key].name


def test_features_are_the_release_s(faces: tuple[str, Face, Face]) -> None:
    _, theirs, ours = faces
    assert (ours.supported, ours.finalized) == (theirs.supported, theirs.finalized)
    assert ours.has_epoch == theirs.has_epoch


def test_an_unknown_version_is_refused_as_by_the_release(faces: tuple[str, Face, Face]) -> None:
    _, theirs, ours = faces
    assert ours.unknown_version == theirs.unknown_version


def test_reasons_are_given_for_what_is_not_served_only(wirebroker: Wirebroker) -> None:
    served = set(face_of(wirebroker).tables[0])
    assert sorted(served & set(REASONS)) == [], "served by now: take them out of NOT_SERVED"
    known = {int(token) for token in HISTORY.split() if token.isdecimal()}
    assert sorted(known - served - set(REASONS)) == []


@pytest.mark.parametrize("version", ["0.8.2", "0.9.0.1"])
def test_a_release_before_api_versions_hangs_up(start_wirebroker: Callable[..., Wirebroker], version: str) -> None:
    broker = start_wirebroker({"wirebroker.as.version": version})
    face = face_of(broker)
    assert (face.tables, face.unknown_version) == ({}, None)


def test_the_flag_and_a_version_that_is_none(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "wirebroker", "config", "print", "--as-version", "2.0.1"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "wirebroker.as.version" in shown
    command = [sys.executable, "-m", "wirebroker", "start", "--data-dir", str(tmp_path / "d"), "--as-version", "7.5"]
    refused = subprocess.run(command, capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert "no release of Apache Kafka" in refused.stderr
    assert not (tmp_path / "d").exists()
