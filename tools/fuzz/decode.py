"""Fuzz target: a request frame, header and body, as a connection would read it.

Anything but a decoded message or ProtocolError is a finding; so is a position beyond the frame, a message that cannot
be written again, and one that comes back different.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from tools.codegen import codecs
from tools.codegen.model import Kind
from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.headers import read_request_header, write_request_header
from wirebroker.tests.protocol.samples import all_messages, sample

if TYPE_CHECKING:
    from collections.abc import Iterator

INTERESTING = (
    b"\0",
    b"\1",
    b"\x7f",
    b"\x80",
    b"\xff",
    b"\xff\xff",
    b"\x7f\xff\xff\xff",
    b"\xff\xff\xff\xff\x0f",
    b"\x80\x80",
)


def run(frame: bytes) -> bool:
    """Decode *frame* the way a connection does; True if it was a whole request.  Raises for findings."""
    try:
        key, version, _, _, at = read_request_header(memoryview(frame))
        request_class, _ = codecs.api_classes(key)
        message, end = codecs.read(request_class, memoryview(frame), at, version)
    except ProtocolError:
        return False
    assert at <= end <= len(frame)
    again = codecs.decode(request_class, codecs.encode(message, version), version)
    assert again == message or "nan" in repr(message)
    return True


def frames(seed: int) -> Iterator[bytes]:
    """Endless valid request frames, damaged a little more or less."""
    random = Random(seed)
    requests = [(cls, spec) for cls, spec in all_messages() if spec.kind is Kind.REQUEST]
    while True:
        cls, spec = random.choice(requests)
        version = random.choice(list(spec.versions))
        frame = bytearray()
        write_request_header(frame, cls.API_KEY, version, random.getrandbits(31), random.choice((None, "", "client")))
        frame += codecs.encode(sample(cls, spec, version, random, most=random.choice((1, 2, 5))), version)
        for _ in range(random.choice((0, 1, 1, 2, 5, 20))):
            damage(frame, random)
        yield bytes(frame)


def damage(frame: bytearray, random: Random) -> None:
    """One change in place: overwrite, insert, cut out, cut off, or double a part."""
    at = random.randrange(len(frame) + 1)
    piece = random.choice(INTERESTING)
    match random.randrange(5):
        case 0:
            frame[at : at + len(piece)] = piece
        case 1:
            frame[at:at] = piece
        case 2:
            del frame[at : at + random.randrange(1, 9)]
        case 3:
            del frame[at:]
        case _:
            frame[at:at] = frame[at : at + random.randrange(1, 64)]
