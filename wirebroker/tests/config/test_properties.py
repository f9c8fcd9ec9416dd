"""The .properties syntax, entry by entry as Java reads it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirebroker.config.properties import parse

TEXTS = [
    ("a=b", [("a", "b")]),
    ("a = b ", [("a", "b ")]),
    ("a:b", [("a", "b")]),
    ("a b c", [("a", "b c")]),
    ("a\t=\tb", [("a", "b")]),
    ("a==b", [("a", "=b")]),
    ("a", [("a", "")]),
    ("  a=b\r\n\r\n c=d\re=f", [("a", "b"), ("c", "d"), ("e", "f")]),
    ("# no\n! no\n  # no\na=b # yes", [("a", "b # yes")]),
    ("a=b,\\\n    c,\\\n  d\ne=f", [("a", "b,c,d"), ("e", "f")]),
    ("a=b\\\\\nc=d", [("a", "b\\"), ("c", "d")]),
    ("a=b\\\n# c", [("a", "b# c")]),
    ("a\\ b\\=c=d", [("a b=c", "d")]),
    ("a=\\t\\n\\q\\u0041", [("a", "\t\nqA")]),
    ("a=C:\\\\dir", [("a", "C:\\dir")]),
    ("a=b\na=c", [("a", "b"), ("a", "c")]),
    ("=b", [("", "b")]),
    ("a=b\\", [("a", "b")]),
    ("\\\n\t", []),
    ("\\\n\n#a\nb", [("b", "")]),
    ("\\\n#a", [("#a", "")]),
    ("", []),
    ("\n\n", []),
]


@pytest.mark.parametrize(("text", "entries"), TEXTS)
def test_parse(text: str, entries: list[tuple[str, str]]) -> None:
    assert [(key, value) for key, value, _ in parse(text)] == entries


def test_an_entry_knows_the_line_it_starts_on() -> None:
    assert [(p.key, p.line) for p in parse("# x\na=1,\\\n 2\n\nb=3")] == [("a", 2), ("b", 5)]


def test_a_broken_unicode_escape_names_its_line() -> None:
    with pytest.raises(ValueError, match=r"^line 2: .*four hexadecimal"):
        list(parse("a=b\nc=\\u12x4"))


@given(st.text(alphabet="ab=:\\ \n#u!\t", max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        entries = list(parse(text))
    except ValueError:
        return
    assert len(entries) <= text.count("\n") + 1


_WORDS = st.text(alphabet=st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=12)


@given(st.dictionaries(_WORDS, _WORDS, max_size=5))
def test_escaped_entries_come_back(entries: dict[str, str]) -> None:
    def escape(text: str) -> str:
        return "".join("\\" + letter if letter in "\\=:#! " else letter for letter in text)

    text = "\n".join(f"{escape(key)}={escape(value)}" for key, value in entries.items())
    assert {key: value for key, value, _ in parse(text)} == entries
