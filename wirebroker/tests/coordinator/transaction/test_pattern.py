"""Patterns match what Python's `re` matches, refuse what they do not know, and never take long."""

from __future__ import annotations

import re
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirebroker.coordinator.transaction.pattern import compile_pattern
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError

_SIMPLE = st.sampled_from(
    ["a", "b", ".", "[ab]", "[^a]", "[a-c-]", r"\d", r"[\D]", r"[^\w]", r"\.", "x", "^", "$", "-", "", r"[]a]", r"\x61"]
)
_PATTERNS = st.recursive(
    _SIMPLE,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda two: f"(?:{two[0]}|{two[1]})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,}", "{0,2}", "*?"])).map(
            lambda two: f"(?:{two[0]}){two[1]}"
        ),
    ),
    max_leaves=8,
)


@given(_PATTERNS, st.text("ab-.c1\n", max_size=8))
def test_as_re(pattern: str, text: str) -> None:
    # `$` of Python also matches before a last newline, RE2's does not
    expected = re.fullmatch(pattern.replace("$", r"\Z"), text) is not None
    assert compile_pattern(pattern)(text) is expected


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("txn-.*", "txn-1", True),
        ("txn", "txn-1", False),
        ("(?i)TXN-[A-Z]", "txn-b", True),
        ("(?s).+", "a\nb", True),
        (r"\Qa.b*\E+", "a.b**", True),
        (r"\Qa.b*\E", "a.b*", True),
        ("(?P<name>a|b)c", "bc", True),
        ("(?<name>a)", "a", True),
        ("é{2}", "éé", True),
        (r"\A$\z", "", True),
        ("a^b", "ab", False),
    ],
)
def test_examples(pattern: str, text: str, expected: bool) -> None:
    assert compile_pattern(pattern)(text) is expected


# fmt: off
_REFUSED = (
    "(", ")", "a)", "[", "[a", "[b-a]", "[[:alpha:]]", "*", "a**", "a{1001}", "a{2,1}", "a{x}", "a{1", "\\", r"\1",
    r"\b", r"\xg0", "(?=a)", "(?<=a)", "(?<1>a)", "(?-i)a", "(" * 200 + ")" * 200, "((a{99}){99}){99}",
)
# fmt: on


@pytest.mark.parametrize(
    "pattern",
    _REFUSED,
)
def test_refused(pattern: str) -> None:
    with pytest.raises(ApiError) as refused:
        compile_pattern(pattern)
    assert refused.value.code == ErrorCode.INVALID_REGULAR_EXPRESSION


def test_no_pattern_takes_long() -> None:
    matches = compile_pattern("(a+)+b|(a|a)*c|(a*)*d")
    started = perf_counter()
    assert not matches("a" * 2000)
    assert perf_counter() - started < 0.5
