"""Messages are generated in the directions that have a route or a caller, and in no other."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import wirebroker
from tools.codegen.codecs import message_class
from tools.codegen.model import Kind
from tools.codegen.modules import PROTOCOL
from tools.codegen.parse import load_specs, module_name
from tools.codegen.usage import CLIENT, NONE, NOT_READ_RECORDS, NOT_SERVED, WRITTEN_RECORDS, Direction, directions
from wirebroker.handlers.routes import ROUTES
from wirebroker.protocol.api import API
from wirebroker.protocol.message import Message, ReadableMessage, WritableMessage

SOURCE = Path(wirebroker.__file__).parent
SPECS = [spec for spec in load_specs() if spec.file != "headers"]
REQUESTS = {spec.request.name: spec.name for spec in SPECS if spec.key is not None}
RECORDS = {message.name for spec in SPECS for message in spec.messages if message.kind is Kind.RECORD}
BASES = {Direction.READ: ReadableMessage, Direction.WRITE: WritableMessage}


def sources(*rooms: str) -> list[ast.Module]:
    """The modules in *rooms* that mention a generated module."""
    texts = [path.read_text() for room in rooms for path in (SOURCE / room).rglob("*.py")]
    return [ast.parse(text) for text in texts if "wirebroker.protocol." in text]


def names(tree: ast.AST) -> set[str]:
    """The names that *tree* uses, with or without a module in front; imports do not count."""
    return {each.id for each in ast.walk(tree) if isinstance(each, ast.Name)} | {
        each.attr for each in ast.walk(tree) if isinstance(each, ast.Attribute)
    }


def called(tree: ast.AST) -> set[str]:
    """The names that are called in *tree*: classes that it makes objects of."""
    callees = [each.func for each in ast.walk(tree) if isinstance(each, ast.Call)]
    return {each.id for each in callees if isinstance(each, ast.Name)} | {
        each.attr for each in callees if isinstance(each, ast.Attribute)
    }


def test_every_api_with_a_route_is_served_and_no_other() -> None:
    assert {API[route.key].name for route in ROUTES} == set(REQUESTS.values()) - NOT_SERVED
    assert set(REQUESTS.values()) >= NOT_SERVED


def test_every_request_that_is_sent_can_be_written_and_no_other() -> None:
    sent = set().union(
        *(called(tree) for tree in sources("client", "cli", "cluster", "kafka_controller", "replication"))
    )
    assert {REQUESTS[name] for name in sent & set(REQUESTS)} == CLIENT


def test_every_record_that_is_used_is_generated_and_no_other() -> None:
    used = set().union(*(names(tree) for tree in sources("coordinator", "metadata", "cli"))) & RECORDS
    assert used == RECORDS - NOT_READ_RECORDS
    made = set().union(*(called(tree) for tree in sources("coordinator"))) & RECORDS
    assert made == WRITTEN_RECORDS


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_a_class_has_the_directions_that_are_used(spec: object) -> None:
    for message in spec.messages:  # type: ignore[attr-defined]
        expected = directions(spec, message)  # type: ignore[arg-type]
        cls: type[Message] = message_class(message.name)
        if cls.__module__.startswith("wirebroker."):
            assert {base for base in BASES.values() if issubclass(cls, base)} == {BASES[each] for each in expected}
        else:
            assert expected == NONE


def test_specs_without_use_have_no_module() -> None:
    for spec in SPECS:
        is_used = any(directions(spec, message) for message in spec.messages)
        room = "internal" if spec.key is None else "messages"
        assert (PROTOCOL / room / f"{module_name(spec)}.py").exists() == is_used, spec.name
