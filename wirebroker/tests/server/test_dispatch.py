"""Answers are complete in the connection's buffer, or not in it: what it holds is sent whenever a request waits."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from wirebroker.handlers.context import RequestContext
from wirebroker.handlers.routes import RouteTable
from wirebroker.protocol.messages.list_groups import ListedGroup, ListGroupsResponse
from wirebroker.protocol.primitives import WireBuffer
from wirebroker.server.dispatch import Request, serve

if TYPE_CHECKING:
    from collections.abc import Callable

RESPONSE = ListGroupsResponse(groups=[ListedGroup("g", "consumer", "Stable", "classic")])


async def answer(out: WireBuffer, yields: int, workers: object = None) -> None:
    context = RequestContext(
        cast("Any", SimpleNamespace(replicas=SimpleNamespace(workers=workers))), routes=RouteTable()
    )

    async def handler(*_: object) -> ListGroupsResponse:
        context.start_budget().yields = yields
        return RESPONSE

    route: Any = SimpleNamespace(
        api_key=16, handler=handler, flexible_from=3, writers=ListGroupsResponse.WRITERS, searched_for_errors=None
    )
    await serve(Request(route, 4, 77, None), context, out)


async def test_the_buffer_may_be_sent_while_a_thread_encodes() -> None:
    short, long = WireBuffer(), WireBuffer(b"earlier answers")
    await answer(short, 0)

    class Workers:
        async def run(self, work: Callable[..., Any], *arguments: Any) -> Any:
            assert long == b"earlier answers"
            work(*arguments)
            long.clear()  # they were sent

    await answer(long, 1, Workers())
    assert long == short
