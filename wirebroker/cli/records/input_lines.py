"""Lines of standard input as records: what separates them, and where headers, key and value are in one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.cli.records.json_record import OutgoingRecord

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import BufferedIOBase

_CHUNK: Final = 1 << 16


class LineLayout(NamedTuple):
    """Where a line has headers, key and value: `a:1,b:2<tab>key<separator>value`."""

    key_separator: bytes | None = None
    """None for lines without a key."""
    headers_delimiter: bytes | None = None
    """Ends the headers of a line; None for lines without headers."""
    headers_separator: bytes = b","
    headers_key_separator: bytes = b":"
    null_marker: bytes | None = None
    """The text that stands for null, as key, value or value of a header."""
    ignore_error: bool = False
    """Whether a line without a separator is a value alone, and no error."""


def split(source: BufferedIOBase, delimiter: bytes) -> Iterator[bytes]:
    """Yield what is between the delimiters, as soon as each has come; a last part that is empty is left out."""
    if delimiter == b"\n":
        for line in source:
            yield line.removesuffix(b"\n")
        return
    rest = b""
    while chunk := source.read1(_CHUNK):
        *parts, rest = (rest + chunk).split(delimiter)
        yield from parts
    if rest:
        yield rest


def parse_line(line: bytes, layout: LineLayout) -> OutgoingRecord:
    """Return the record of one line.

    Raises:
        ValueError: a separator is missing.
    """
    headers: tuple[tuple[str, bytes | None], ...] = ()
    key: bytes | None = None
    if layout.headers_delimiter is not None:
        before, is_there, after = line.partition(layout.headers_delimiter)
        if is_there:
            line = after
            if before != layout.null_marker:
                headers = tuple(_header(each, layout) for each in before.split(layout.headers_separator) if before)
        elif not layout.ignore_error:
            raise ValueError(f"no headers delimiter {_shown(layout.headers_delimiter)}")
    if layout.key_separator is not None:
        before, is_there, after = line.partition(layout.key_separator)
        if is_there:
            key, line = _not_null(before, layout), after
        elif not layout.ignore_error:
            raise ValueError(f"no key separator {_shown(layout.key_separator)}")
    return OutgoingRecord(_not_null(line, layout), key, headers)


def _header(text: bytes, layout: LineLayout) -> tuple[str, bytes | None]:
    name, is_there, value = text.partition(layout.headers_key_separator)
    if not is_there and not layout.ignore_error:
        raise ValueError(f"no separator {_shown(layout.headers_key_separator)} in header {_shown(text)}")
    return name.decode(), _not_null(value, layout) if is_there else None


def _not_null(text: bytes, layout: LineLayout) -> bytes | None:
    return None if text == layout.null_marker else text


def _shown(text: bytes) -> str:
    return repr(text.decode(errors="backslashreplace"))
