"""Every message class, in every version: written, read back, equal."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.codegen.codecs import encode, read
from wirebroker.tests.protocol.samples import all_messages, sample

if TYPE_CHECKING:
    from tools.codegen.model import MessageSpec
    from wirebroker.protocol.message import Message

MESSAGES = [pytest.param(cls, spec, id=spec.name) for cls, spec in all_messages()]
each_message = pytest.mark.parametrize(("cls", "spec"), MESSAGES)


@each_message
def test_every_version_reads_what_it_wrote(cls: type[Message], spec: MessageSpec) -> None:
    assert list(cls.VERSIONS) == list(spec.versions)
    for version in spec.versions:
        for seed in range(4):
            message = sample(cls, spec, version, Random(f"{spec.name} {version} {seed}"))
            data = encode(message, version)
            assert read(cls, data, 0, version) == (message, len(data)), version


@each_message
def test_defaults_survive(cls: type[Message], spec: MessageSpec) -> None:
    for version in spec.versions:
        try:
            data = encode(cls(), version)
        except ValueError as fault:
            assert "may not be null" in str(fault)  # noqa: PT017 - null is the default, but not in this version
            continue
        message, at = read(cls, memoryview(data), 0, version)
        assert at == len(data)
        assert message == cls()


@each_message
@settings(max_examples=8)
@given(data=st.data())
def test_any_message_round_trips(cls: type[Message], spec: MessageSpec, data: st.DataObject) -> None:
    version = data.draw(st.sampled_from(list(spec.versions)))
    message = sample(cls, spec, version, data.draw(st.randoms(use_true_random=False)), most=3)
    written = encode(message, version)
    framed = b"before" + written + b"after"
    assert read(cls, memoryview(framed), 6, version) == (message, 6 + len(written))
