"""The code that is emitted for small specs: one call for a run of fixed-size fields, branches where versions differ."""

from __future__ import annotations

from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from tools.codegen.imports import ModuleNames
from tools.codegen.model import Versions
from tools.codegen.parse import parse_spec
from tools.codegen.readers import emit_reader
from tools.codegen.writers import emit_writer

if TYPE_CHECKING:
    from pathlib import Path

    from tools.codegen.model import MessageSpec


def message(tmp_path: Path, head: str, fields: str) -> MessageSpec:
    path = tmp_path / "99_demo"
    path.write_text(f"api 99 Demo {head}\n\nrequest\n" + "".join(f"  {line}\n" for line in dedent(fields).split("\n")))
    return parse_spec(path).request


def body(lines: list[str]) -> str:
    return dedent("\n".join(lines))


def reader(demo: MessageSpec) -> str:
    """The reader of the only layout of *demo*, between the first and the last lines that all readers have."""
    ((versions, flexible),) = demo.layouts
    lines = emit_reader(demo, versions, flexible, ModuleNames())
    assert lines[:2] == ["    size = len(b)", "    m = new(DemoRequest)"]
    return body(lines[2:-3])


def writer(demo: MessageSpec) -> str:
    ((versions, flexible),) = demo.layouts
    return body(emit_writer(demo, versions, flexible, ModuleNames()))


def test_a_run_of_fixed_size_fields_is_one_call_at_every_version(tmp_path: Path) -> None:
    demo = message(tmp_path, "0-5", "a: int32\nb: int16 2+ = -1\nc: int64 4-4 ignorable\nd: int8")
    assert reader(demo) == dedent("""\
        if version >= 5:
            m.c = 0
            m.a, m.b, m.d = _unpack_ihb(b, at)
            at += 7
        elif version >= 4:
            m.a, m.b, m.c, m.d = _unpack_ihqb(b, at)
            at += 15
        elif version >= 2:
            m.c = 0
            m.a, m.b, m.d = _unpack_ihb(b, at)
            at += 7
        else:
            m.b = -1
            m.c = 0
            m.a, m.d = _unpack_ib(b, at)
            at += 5""")
    assert writer(demo) == dedent("""\
        if version >= 5:
            out += _pack_ihb(m.a, m.b, m.d)
        elif version >= 4:
            out += _pack_ihqb(m.a, m.b, m.c, m.d)
        elif version >= 2:
            out += _pack_ihb(m.a, m.b, m.d)
        else:
            if m.b != -1:
                raise absent_field_error("b")
            out += _pack_ib(m.a, m.d)""")


def test_fields_that_stand_in_for_each_other_share_their_branches_with_the_next_length(tmp_path: Path) -> None:
    demo = message(tmp_path, "0-3 flexible 0+", "name: string 0-2 ignorable\nid: uuid 3+ ignorable\nitems: []int8")
    assert reader(demo) == dedent("""\
        if version >= 3:
            m.name = ""
            m.id, n = _unpack_uB(b, at)
            at += 17
        else:
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("name is null")
            end = at + n - 1
            m.name = b[at:end].decode("utf-8", "replace")
            at = end
            m.id = ZERO_UUID
            n = b[at]
            at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n > size - at:
            raise count_error("items", n)
        end = at + n
        m.items = [each for (each,) in _iter_b(b[at:end])]
        at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tagged_fields(b, at, tags)""")


def test_a_field_of_some_versions_takes_the_run_before_it_into_both_branches(tmp_path: Path) -> None:
    demo = message(tmp_path, "0-1", "a: int32\ntext: string? 1+ = null\nb: int32")
    assert writer(demo) == dedent("""\
        if version >= 1:
            text = m.text
            text_bytes = b"" if text is None else text.encode()
            out += _pack_ih(m.a, -1 if text is None else len(text_bytes))
            out += text_bytes
        else:
            if m.text is not None:
                raise absent_field_error("text")
            out += _pack_i(m.a)
        out += _pack_i(m.b)""")


def test_structs_of_equal_size_are_read_by_one_iterator(tmp_path: Path) -> None:
    demo = message(tmp_path, "0-1", "pairs: []Pair\n  left: int32\n  right: int32 1+")
    assert reader(demo) == dedent("""\
        n = _unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 4 > size - at:
            raise count_error("pairs", n)
        pairs: list[Pair] = []
        m.pairs = pairs
        if version >= 1:
            end = at + n * 8
            for values in _iter_ii(b[at:end]):
                pair = new(Pair)
                pair.left, pair.right = values
                pairs.append(pair)
        else:
            end = at + n * 4
            for values in _iter_i(b[at:end]):
                pair = new(Pair)
                pair.right = 0
                pair.left, = values
                pairs.append(pair)
        at = end""")


def test_null_is_refused_in_versions_that_do_not_allow_it(tmp_path: Path) -> None:
    demo = message(tmp_path, "0-1", "names: []string?1+")
    assert reader(demo).startswith(
        dedent("""\
        n = _unpack_i(b, at)[0]
        at += 4
        if n < 0:
            if version <= 0:
                raise count_error("names", n)
            m.names = None
        else:
        """)
    )
    assert writer(demo).startswith(
        dedent("""\
        names = m.names
        if names is None and version <= 0:
            raise null_field_error("names")
        out += _pack_i(-1 if names is None else len(names))
        """)
    )


def test_tagged_fields_of_later_versions(tmp_path: Path) -> None:
    demo = message(tmp_path, "0-1 flexible 0+", "a: int8\nlate: int16 1+ tag 0")
    assert writer(demo) == dedent("""\
        out += _pack_b(m.a)
        if m.late != 0:
            if version <= 0:
                raise absent_field_error("late")
            out.append(1)
            part = bytearray()
            part += _pack_h(m.late)
            write_uvarint(out, 0)
            write_uvarint(out, len(part))
            out += part
        else:
            out.append(0)""")
    assert "if tag == 0 and version >= 1:" in reader(demo)


@pytest.mark.parametrize(
    ("low", "high", "parts"),
    [(0, 0, [(0, 9)]), (2, 9, [(0, 1), (2, 9)]), (0, 3, [(0, 3), (4, 9)]), (3, 5, [(0, 2), (3, 5), (6, 9)])],
)
def test_split(low: int, high: int, parts: list[tuple[int, int]]) -> None:
    cut = Versions(low, high) if high else Versions(20, 30)
    assert Versions(0, 9).split([cut]) == [Versions(*part) for part in parts]


def test_difference_and_test_of_versions() -> None:
    scope = Versions(3, 9)
    assert scope - Versions(5, 30) == Versions(3, 4)
    assert scope - Versions(0, 4) == Versions(5, 9)
    assert scope - Versions(10, 12) == scope
    assert [part.test(scope) for part in (Versions(5, 9), Versions(3, 4), Versions(4, 6))] == [
        "version >= 5",
        "version <= 4",
        "4 <= version <= 6",
    ]
