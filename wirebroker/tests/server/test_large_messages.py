"""Large requests are decoded in a thread, and so are large answers encoded."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from tools.codegen import codecs
from wirebroker.handlers.context import RequestContext
from wirebroker.handlers.routes import RouteTable
from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.headers import write_request_header
from wirebroker.protocol.messages.delete_topics import DeletableTopicResult, DeleteTopicsRequest, DeleteTopicsResponse
from wirebroker.protocol.primitives import WireBuffer
from wirebroker.replication.worker_threads import WorkerThreads
from wirebroker.server import dispatch
from wirebroker.server.dispatch import LARGE_REQUEST_BYTES, read_request, serve

if TYPE_CHECKING:
    from collections.abc import Callable

VERSION = 5


class CountedWorkers(WorkerThreads):
    """Counts what is handed to it."""

    calls = 0

    async def run(self, work: Callable[..., Any], *arguments: Any) -> Any:
        self.calls += 1
        return await super().run(work, *arguments)


class Handler:
    """Answers DeleteTopics with the names it was asked about."""

    def __init__(self) -> None:
        self.workers = CountedWorkers()
        self.threads: list[int] = []
        self.yields = 0
        services = SimpleNamespace(replicas=SimpleNamespace(workers=self.workers))
        self.context = RequestContext(cast(Any, services), routes=RouteTable())
        route = self.context.routes.find(DeleteTopicsRequest.API_KEY, VERSION)
        assert route is not None
        self.route: Any = SimpleNamespace(
            api_key=3,
            handler=self.handle,
            has_records=False,
            quick=False,
            flexible_from=route.flexible_from,
            searched_for_errors=None,
            readers={VERSION: self.in_this_thread(route.readers[VERSION])},
            writers={VERSION: self.in_this_thread(route.writers[VERSION])},
        )
        self.context.routes = cast(Any, SimpleNamespace(find=lambda key, version: self.route))

    def in_this_thread(self, codec: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            self.threads.append(threading.get_ident())
            return codec(*arguments)

        return call

    async def handle(self, context: RequestContext, request: DeleteTopicsRequest) -> DeleteTopicsResponse:
        budget = context.start_budget()
        budget.yields += self.yields
        return DeleteTopicsResponse(responses=[DeletableTopicResult(name) for name in request.topic_names])

    async def ask(self, names: list[str], cut: int | None = None) -> list[str | None]:
        out = WireBuffer()
        write_request_header(out, DeleteTopicsRequest.API_KEY, VERSION, 7, "client")
        codecs.write(DeleteTopicsRequest(topic_names=names), out, VERSION)
        request = read_request(memoryview(bytes(out)[:cut]), self.context, WireBuffer())
        assert request is not None
        answer = WireBuffer()
        await serve(request, self.context, answer)
        assert len(answer) == 4 + int.from_bytes(answer[:4], "big")
        response, _ = codecs.read(DeleteTopicsResponse, bytes(answer), 9, VERSION)
        return [each.name for each in response.responses]


NAMES = ["x" * 200] * (LARGE_REQUEST_BYTES // 200)


async def test_small_messages_stay_in_the_loop() -> None:
    handler = Handler()
    assert await handler.ask(["a", "b"]) == ["a", "b"]
    assert handler.threads == [threading.get_ident()] * 2
    assert handler.workers.calls == 0


async def test_a_large_request_is_decoded_in_a_thread_and_its_response_is_encoded_there() -> None:
    handler = Handler()
    assert await handler.ask(NAMES) == NAMES
    assert threading.get_ident() not in handler.threads
    del handler.threads[:]
    assert await handler.ask(["a"]) == ["a"], "the next request is a small one"
    assert handler.threads == [threading.get_ident()] * 2


async def test_a_large_request_that_is_cut_off_is_a_protocol_error() -> None:
    with pytest.raises(ProtocolError, match="malformed request"):
        await Handler().ask(NAMES, cut=-10)


async def test_an_answer_that_took_several_yields_is_encoded_in_a_thread() -> None:
    handler = Handler()
    handler.yields = 1
    assert await handler.ask(["a"]) == ["a"]
    decoded, encoded = handler.threads
    assert decoded == threading.get_ident() != encoded
    handler.yields = 0
    await handler.ask(["a"])
    assert handler.workers.calls == 1, "the next answer is not taken for a long one"


async def test_nothing_of_an_answer_can_be_sent_while_it_is_encoded_in_a_thread() -> None:
    handler, earlier = Handler(), b"the answer before"
    out = WireBuffer(earlier)
    handler.yields = 1
    write, seen = handler.route.writers[VERSION], []

    def write_slowly(response: Any, encoded: WireBuffer, version: int) -> None:
        write(response, encoded, version)
        seen.append(bytes(out))
        del out[:]  # sent meanwhile

    handler.route.writers[VERSION] = write_slowly
    request = dispatch.Request(handler.route, VERSION, 7, DeleteTopicsRequest(topic_names=["a"]))
    await serve(request, handler.context, out)
    assert seen == [earlier]
    assert len(out) == 4 + int.from_bytes(out[:4], "big")
    assert codecs.read(DeleteTopicsResponse, bytes(out), 9, VERSION)[0].responses == [DeletableTopicResult("a")]


async def test_an_answer_that_cannot_be_encoded_in_a_thread_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    handler = Handler()
    handler.yields = 1
    handler.route.writers[VERSION] = lambda response, out, version: out.extend(b"half") or 1 / 0
    monkeypatch.setattr(dispatch.logger, "exception", lambda *_: None)
    with pytest.raises(ProtocolError):
        await handler.ask(["a"])


async def test_a_large_response_is_sent_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wirebroker.server.encoded_pieces.PIECE_BYTES", 1000)
    handler = Handler()
    handler.yields = 1
    request, out = DeleteTopicsRequest(topic_names=["a" * 100] * 100), WireBuffer()
    await serve(dispatch.Request(handler.route, VERSION, 7, request), handler.context, out)
    ((position, records),) = out.detached
    assert position == 9, "behind the header"
    assert len(out) <= 1200, "no more than one piece is copied into the send buffer"
    assert records.file_range() is None
    pieces = list(records.pieces())
    assert len(pieces) >= records.size_bytes // 1200
    assert all(1000 <= len(each) <= 1200 for each in pieces), "it is cut behind an element"
    assert not list(records.pieces()), "a piece is freed when it is sent"
    sent = b"".join([out[:position], *pieces, out[position:]])
    assert len(sent) == 4 + int.from_bytes(out[:4], "big")
    response, _ = codecs.read(DeleteTopicsResponse, sent, 9, VERSION)
    assert [each.name for each in response.responses] == request.topic_names
