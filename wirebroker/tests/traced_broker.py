"""TracedBroker: a broker in this process and a client that records which functions a request calls."""

from __future__ import annotations

import sys
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from struct import Struct
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

import trio

from tools.codegen.codecs import decode, encode
from wirebroker.broker import Ready, run_broker
from wirebroker.config.server import BrokerConfig
from wirebroker.config.settings import Origin, Setting
from wirebroker.protocol.headers import read_response_header, write_request_header
from wirebroker.protocol.primitives import WireBuffer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping
    from types import FrameType

    import pytest

    from wirebroker.protocol.message import Message

M = TypeVar("M", bound="Message")

ROOT: Final = Path(__file__).parents[1]
_INT32: Final = Struct(">i")


class Call(NamedTuple):
    """A call of a function, or the continuation of a coroutine, in the event loop or in a thread."""

    file: str
    """Relative to the package `wirebroker`."""
    function: str
    """The qualified name, `Class.method`."""


class TracedBroker:
    """A running broker, with one connection to it."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self._stream = stream
        self._calls: list[Call] = []

    async def request(self, request: Message, version: int, response_class: type[M]) -> M:
        """Send *request*, and return its response."""
        frame = _frame(request, version)
        return _response(await self._exchange(frame), response_class, request, version)

    async def trace(
        self, monkeypatch: pytest.MonkeyPatch, request: Message, version: int, response_class: type[M]
    ) -> tuple[M, list[Call]]:
        """Send *request*; return its response, and every call that the broker has made meanwhile, in their order."""
        frame = _frame(request, version)
        self._calls = []
        with monkeypatch.context() as patch:
            run_sync: Any = trio.to_thread.run_sync
            patch.setattr(trio.to_thread, "run_sync", partial(_run_sync, run_sync, self._on_event))
            sys.setprofile(self._on_event)
            try:
                answer = await self._exchange(frame)
            finally:
                sys.setprofile(None)
        return _response(answer, response_class, request, version), self._calls

    def _on_event(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(f"{ROOT}/"):
            self._calls.append(Call(code.co_filename[len(str(ROOT)) + 1 :], code.co_qualname))

    async def _exchange(self, frame: bytes) -> bytes:
        await self._stream.send_all(frame)
        data = b""
        while len(data) < 4 or len(data) < 4 + _INT32.unpack_from(data)[0]:
            data += await self._stream.receive_some()
        return data[4:]


async def _run_sync(run_sync: Any, on_event: Any, function: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """Do as `trio.to_thread.run_sync`, and trace the thread, which may be older than the trace."""

    def traced() -> Any:
        sys.setprofile(on_event)
        try:
            return function(*args)
        finally:
            sys.setprofile(None)

    return await run_sync(traced, **options)


def _frame(request: Message, version: int) -> bytes:
    out = WireBuffer()
    write_request_header(out, request.API_KEY, version, 1, "client")
    out += encode(request, version)
    return _INT32.pack(len(out)) + out


def _response(data: bytes, response_class: type[M], request: Message, version: int) -> M:
    _, at = read_response_header(data, request.API_KEY, version)
    return decode(response_class, data[at:], version)


@asynccontextmanager
async def run_traced_broker(directory: Path, settings: Mapping[str, object]) -> AsyncIterator[TracedBroker]:
    """Run a broker on a free port with its data in *directory*."""
    names = {"listeners": "PLAINTEXT://127.0.0.1:0", "log.dirs": directory, "broker.id": 0, **settings}
    config = BrokerConfig({name: Setting(name, str(value), Origin.FLAG, "test") for name, value in names.items()})
    started: list[Ready] = []
    is_ready, stop = trio.Event(), trio.Event()

    def ready(values: Ready) -> None:
        started.append(values)
        is_ready.set()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(run_broker, config, stop, ready)
        await is_ready.wait()
        port = int(started[0].listeners[0].rpartition(":")[2])
        async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
            yield TracedBroker(stream)
        stop.set()
