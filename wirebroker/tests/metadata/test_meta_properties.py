"""meta.properties: broker id and cluster id of log directories."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from wirebroker.metadata.meta_properties import InconsistentMetaProperties, new_cluster_id, write_meta_properties
from wirebroker.storage.files import Files

if TYPE_CHECKING:
    from pathlib import Path

CLUSTER = "LozuhI3wShmBQaZWH2tL3Q"


def directories(tmp_path: Path, *texts: str | None) -> list[Path]:
    """Log directories with these meta.properties, or none."""
    made = []
    for number, text in enumerate(texts):
        directory = tmp_path / str(number)
        directory.mkdir()
        if text is not None:
            (directory / "meta.properties").write_text(text)
        made.append(directory)
    return made


def settle(dirs: list[Path], node_id: int = 3, cluster_id: str | None = None) -> str:
    return write_meta_properties(dirs, node_id, Files(), cluster_id)


def test_a_new_broker_marks_every_directory_and_knows_itself_again(tmp_path: Path) -> None:
    dirs = directories(tmp_path, None, None, "")
    cluster_id = settle(dirs)
    assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_-]{21}", cluster_id)
    for directory in dirs:
        lines = (directory / "meta.properties").read_text().splitlines()
        assert lines[0] == "#"
        assert re.fullmatch(r"#\w{3} \w{3} \d\d \d\d:\d\d:\d\d UTC \d{4}", lines[1])
        assert lines[2:] == ["broker.id=3", "version=0", f"cluster.id={cluster_id}"]
    before = [(directory / "meta.properties").stat().st_mtime_ns for directory in dirs]
    assert settle(dirs) == settle(dirs, cluster_id=cluster_id) == cluster_id
    assert before == [(directory / "meta.properties").stat().st_mtime_ns for directory in dirs]


def test_the_cluster_id_comes_from_wherever_it_is_known(tmp_path: Path) -> None:
    old = directories(tmp_path, None, f"version=1\nnode.id=3\ncluster.id={CLUSTER}\ndirectory.id=x\n")
    assert settle(old) == CLUSTER
    assert f"cluster.id={CLUSTER}" in (old[0] / "meta.properties").read_text()
    assert "directory.id=x" in (old[1] / "meta.properties").read_text()
    (tmp_path / "new").mkdir()
    assert settle([tmp_path / "new"], cluster_id=CLUSTER) == CLUSTER


def test_a_directory_of_kafka_2_0_has_no_cluster_id(tmp_path: Path) -> None:
    text = "#\n#date\nversion=0\nbroker.id=3\n"
    dirs = directories(tmp_path, text)
    assert settle(dirs, cluster_id=CLUSTER) == CLUSTER
    assert re.fullmatch(r"[A-Za-z0-9_-]{22}", settle(dirs))
    assert (dirs[0] / "meta.properties").read_text() == text, "what Kafka wrote stays as it is"


@pytest.mark.parametrize(
    ("texts", "cluster_id", "message"),
    [
        (["version=0\nbroker.id=4"], None, "belongs to broker 4, and this is broker 3"),
        (["version=1\nnode.id=4"], None, "belongs to broker 4, and this is broker 3"),
        (
            ["version=0\nbroker.id=3\ncluster.id=a"],
            "b",
            "belongs to cluster a, but the metadata journal to cluster b",
        ),
        (
            ["version=0\ncluster.id=a", "version=0\ncluster.id=b"],
            None,
            "1/meta.properties belongs to cluster b, but .*/0/meta.properties",
        ),
        (
            ["version=2\nbroker.id=3"],
            None,
            "cannot be used: it has version '2', and this broker knows 0 and 1; restore",
        ),
        (["version=0\nbroker.id=x"], None, "cannot be used: broker.id is 'x', which is not a number; restore"),
        (["broker.id=3"], None, "cannot be used: it has no line version=...; restore the file from a backup"),
        (["no properties\n"], None, "cannot be used: it has no line version=...; restore the file from a backup"),
        (["\\u12"], None, "cannot be used: it is not a properties file: line 1: "),
    ],
)
def test_directories_of_others_are_refused_and_left_alone(
    tmp_path: Path, texts: list[str], cluster_id: str | None, message: str
) -> None:
    dirs = directories(tmp_path, *texts, None)
    with pytest.raises(InconsistentMetaProperties, match=message):
        settle(dirs, cluster_id=cluster_id)
    assert not (dirs[-1] / "meta.properties").exists()


def test_cluster_ids_differ() -> None:
    ids = {new_cluster_id() for _ in range(2000)}
    assert len(ids) == 2000
    assert not any(each.startswith("-") for each in ids)
