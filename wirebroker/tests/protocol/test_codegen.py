"""The generator: committed files are what the specs say, and bad specs are refused with file and line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tools.codegen.codecs import module_in_memory, writers
from tools.codegen.model import Versions
from tools.codegen.modules import PROTOCOL, generated_files
from tools.codegen.names import singular, snake_case
from tools.codegen.parse import SpecError, load_specs, parse_spec
from wirebroker.protocol.messages.fetch import FetchRequest
from wirebroker.protocol.messages.produce import ProduceRequest

if TYPE_CHECKING:
    from pathlib import Path


def test_generated_files_are_up_to_date() -> None:
    files = generated_files()
    stale = [path.name for path, text in files.items() if path.read_text() != text]
    assert stale == [], "run python -m tools.codegen"
    present = {path for room in ("messages", "internal") for path in (PROTOCOL / room).glob("*.py")}
    assert {path.name for path in present - set(files)} == {"__init__.py"}


def test_a_message_has_a_function_for_flexible_versions_and_one_for_the_others() -> None:
    assert len(set(ProduceRequest.READERS.values())) == len(set(FetchRequest.WRITERS.values())) == 2
    assert ProduceRequest.READERS[0] is ProduceRequest.READERS[8]
    assert ProduceRequest.READERS[9] is ProduceRequest.READERS[13]
    assert len(set(writers(ProduceRequest).values())) == 2


def test_specs_say_what_they_mean() -> None:
    fetch = next(api for api in load_specs() if api.key == 1)
    assert (fetch.name, fetch.versions, fetch.flexible) == ("Fetch", Versions(0, 18), Versions(12, 18))
    cluster_id = next(field for field in fetch.request.fields if field.name == "cluster_id")
    assert (cluster_id.type, cluster_id.tag, cluster_id.default) == ("string", 0, None)
    assert cluster_id.versions == cluster_id.nullable == cluster_id.tagged == Versions(12, 18)
    topics = next(field for field in fetch.request.fields if field.name == "topics")
    assert topics.is_array
    assert [field.name for field in topics.fields] == ["topic", "topic_id", "partitions"]
    epoch = topics.fields[2].fields[1]
    assert (epoch.name, epoch.versions, epoch.default, epoch.ignorable) == (
        "current_leader_epoch",
        Versions(9, 18),
        -1,
        True,
    )


def test_every_api_and_record_is_explained() -> None:
    for api in load_specs():
        assert len(api.title) > len(api.name) + 10, f"{api.file} needs a title line"


GRAMMAR = """\
# Demo: all the grammar there is.
#
# v1 adds tags.

api 200 Demo 0-3 flexible 2+

struct Pair
  left: int32
  right: string? 1+ = null ignorable

request
  flag: bool = true
  pairs: []Pair?1-2 1+ = null
  one: Pair 2+ tag 3
  id: uuid
  deep: []Deep
    numbers: []int64
    ratio: float64 0-1 = 1.5
  count: uint16 = 0xff  # with a comment

response 0-1
"""


def test_grammar(tmp_path: Path) -> None:
    path = tmp_path / "99_demo"
    path.write_text(GRAMMAR)
    demo = parse_spec(path)
    assert demo.title == "Demo: all the grammar there is."
    assert demo.comment == "v1 adds tags."
    flag, pairs, one, uuid, deep, count = demo.request.fields
    assert flag.default is True
    assert (pairs.versions, pairs.nullable, pairs.default) == (Versions(1, 3), Versions(1, 2), None)
    assert [field.name for field in pairs.fields] == [field.name for field in one.fields] == ["left", "right"]
    assert (one.tag, one.tagged, one.default) == (3, Versions(2, 3), "")
    assert uuid.default == ""
    assert not deep.versions & Versions(4, 9)
    assert deep.fields[1].versions == Versions(0, 1)
    assert deep.fields[1].default == 1.5
    assert (count.default, count.comment) == (255, "with a comment")
    assert demo.response.versions == Versions(0, 1)
    assert demo.response.flexible == Versions(0, -1)

    module: Any = module_in_memory(demo)
    request, pair = module.DemoRequest, module.Pair
    values = request(pairs=[pair(1, "r")], one=pair(7, None), deep=[module.Deep([1, -1])], count=65535)
    out = bytearray()
    values.write(out, 2)
    values.deep[0].ratio = 1.5
    assert request.read(out, 0, 2) == (values, len(out))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "first line"),
        ("request\n", "first line"),
        ("api 1 X 0\nrequest\n   a: int8\n", ":3: indent"),
        ("api 1 X 0\nrequest\n    a: int8\n", ":3: indented too far"),
        ("api 1 X 0\nrequest\n  a int8\n", ":3: not a field"),
        ("api 1 X 0\nrequest\n  a: Unknown\n", "unknown type Unknown"),
        ("api 1 X 0\nrequest\n  a: string = x\n", "can only be null"),
        ("api 1 X 0\nrequest\n  a: A\n    b: int8\n  c: A\n    d: int8\n", "declared twice"),
        ("api 1 X 0 flexibel 1\nrequest\n", "expected `flexible"),
        ("api 1 X 0\nanswer\n", "expected request"),
    ],
)
def test_bad_specs(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "01_x"
    path.write_text(text)
    with pytest.raises(SpecError, match=why):
        parse_spec(path)


@pytest.mark.parametrize(
    ("camel", "snake"),
    [
        ("ListOffsets", "list_offsets"),
        ("TimeoutMs", "timeout_ms"),
        ("IsKRaftController", "is_kraft_controller"),
        ("Enable2Pc", "enable_2pc"),
        ("V3AndBelowTopics", "v3_and_below_topics"),
        ("ISRNodes", "isr_nodes"),
    ],
)
def test_snake_case(camel: str, snake: str) -> None:
    assert snake_case(camel) == snake


def test_singular() -> None:
    assert [singular(name) for name in ("topics", "entries", "address", "data")] == [
        "topic",
        "entry",
        "address_item",
        "data_item",
    ]
