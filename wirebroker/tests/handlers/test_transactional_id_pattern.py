"""The pattern filter of ListTransactions: RE2's syntax, whole texts, and time in proportion to the text."""

from __future__ import annotations

from time import perf_counter

import pytest

from wirebroker.handlers.transactions import _compile_pattern
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError


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
        ("[[:alpha:]]+", "ab", True),
        (r"\bab\b", "ab", True),
        (r"\pL+", "é", True),
    ],
)
def test_examples(pattern: str, text: str, expected: bool) -> None:
    assert bool(_compile_pattern(pattern)(text)) is expected


# fmt: off
_REFUSED = (
    "(", ")", "a)", "[", "[a", "[b-a]", "*", "a**", "a{1001}", "a{2,1}", "\\", r"\1",
    r"\xg0", "(?=a)", "(?<=a)", "((a{99}){99}){99}",
)
# fmt: on


@pytest.mark.parametrize(
    "pattern",
    _REFUSED,
)
def test_refused(pattern: str) -> None:
    with pytest.raises(ApiError) as refused:
        _compile_pattern(pattern)
    assert refused.value.code == ErrorCode.INVALID_REGULAR_EXPRESSION


def test_no_pattern_takes_long() -> None:
    matches = _compile_pattern("(a+)+b|(a|a)*c|(a*)*d")
    started = perf_counter()
    assert not matches("a" * 2000)
    assert perf_counter() - started < 0.5
