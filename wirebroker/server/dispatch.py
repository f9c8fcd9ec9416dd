"""From a frame to the bytes of the response: header, route, decode, handler, encode.

Exceptions end here as error codes, or go on as the ProtocolError for which `Connection` closes the socket:

    malformed request, unknown key, unserved version          ProtocolError
    ApiError out of a handler                                 its code at the response's top level
    anything else out of a handler                            traceback in the log, UNKNOWN_SERVER_ERROR

ApiVersions at an unknown version is the one request that is answered without being decoded (KIP-511).
"""

from __future__ import annotations

import logging
from struct import Struct
from struct import error as StructError
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

from wirebroker.handlers.response_errors import count_errors
from wirebroker.handlers.throttling import throttle_by_request_time
from wirebroker.protocol.api import API, ApiKey
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError, ProtocolError
from wirebroker.protocol.headers import read_request_header
from wirebroker.protocol.primitives import WireBuffer, read_uvarint
from wirebroker.server.encoded_pieces import encode_in_pieces

if TYPE_CHECKING:
    from wirebroker.handlers.context import RequestContext
    from wirebroker.handlers.routes import BoundRoute
    from wirebroker.metrics.request_metrics import RequestCounter
    from wirebroker.protocol.message import Reader
    from wirebroker.replication.delayed_operation import DelayedOperation

logger = logging.getLogger(__name__)

_HEAD: Final = Struct(">ii")
_INT32: Final = Struct(">i")
LARGE_REQUEST_BYTES: Final = 64 << 10
"""A larger request is decoded in a thread, unless it is large for its records: 64 kB of small entries take 10 ms."""
_MANY_TOPICS: Final = 1024
"""A Produce that is large and has more topics is decoded in a thread, though it has records."""
_INT16: Final = Struct(">h")
_PRODUCE_FLEXIBLE_SINCE: Final = 9
_PRODUCE_TRANSACTIONAL_SINCE: Final = 3
_ACKS_AND_TIMEOUT_BYTES: Final = 6
_API_VERSIONS: Final = int(ApiKey.API_VERSIONS)
_MALFORMED: Final = (StructError, IndexError, UnicodeDecodeError, ValueError, OverflowError)


class _Undecoded:
    """The body of a large request, which is decoded in a thread."""

    __slots__ = ("_at", "_frame")

    def __init__(self, frame: bytes | memoryview, at: int) -> None:
        self._frame = frame
        self._at = at

    def decode(self, reader: Reader, version: int) -> Any:
        """The decoded body.

        Raises:
            ProtocolError: the connection has to be closed.
        """
        try:
            return reader(self._frame, self._at, version)[0]
        except _MALFORMED as fault:
            raise _malformed(fault) from fault


class Request:
    """A decoded request on its way to its handler."""

    __slots__ = ("body", "correlation_id", "route", "version")

    def __init__(self, route: BoundRoute, version: int, correlation_id: int, body: Any) -> None:
        self.route = route
        self.version = version
        self.correlation_id = correlation_id
        self.body = body


def read_request(frame: memoryview, context: RequestContext, out: WireBuffer) -> Request | None:
    """Decode *frame*; None when the answer is already in *out*.

    Raises:
        ProtocolError: the connection has to be closed.
    """
    try:
        api_key, version, correlation_id, client_id, at = read_request_header(frame)
        route = context.routes.find(api_key, version)
        if route is None:
            if api_key != _API_VERSIONS or not context.routes.serves(api_key):
                raise ProtocolError(f"{_name(api_key)} version {version} is not served here")
            from wirebroker.handlers.api_versions import answer_unsupported_version  # as other handlers

            start = _begin(out, correlation_id)
            answer_unsupported_version(context.routes, out)
            _finish(out, start, 0)
            return None
        if route.has_records:
            if len(frame) > LARGE_REQUEST_BYTES and _topics_of_produce(frame, at, version) > _MANY_TOPICS:
                body = _Undecoded(frame, at)
            else:
                body, _ = route.readers[version](frame, at, version)
        elif len(frame) <= LARGE_REQUEST_BYTES:
            body, _ = route.readers[version](bytes(frame), at, version)
        else:
            body = _Undecoded(bytes(frame), at)
    except _MALFORMED as fault:
        raise _malformed(fault) from fault
    context.api_key = api_key
    context.version = version
    context.client_id = client_id
    context.request_bytes = len(frame)
    return Request(route, version, correlation_id, body)


def _topics_of_produce(frame: memoryview, at: int, version: int) -> int:
    """Return how many topics the Produce request has whose body begins at *at*."""
    if version >= _PRODUCE_FLEXIBLE_SINCE:
        length, at = read_uvarint(frame, at)  # of the transactional id, one more than it is
        return read_uvarint(frame, at + max(length - 1, 0) + _ACKS_AND_TIMEOUT_BYTES)[0] - 1
    if version >= _PRODUCE_TRANSACTIONAL_SINCE:
        at += 2 + max(_INT16.unpack_from(frame, at)[0], 0)
    count: int = _INT32.unpack_from(frame, at + _ACKS_AND_TIMEOUT_BYTES)[0]
    return count


class DelayedResponse:
    """A response whose handler has returned, and that an operation completes later."""

    __slots__ = (
        "_request",
        "_response",
        "_size_bytes",
        "after",
        "counter",
        "handled_at",
        "operation",
        "requests",
        "started_at",
    )

    def __init__(self, request: Request, size_bytes: int, response: Any, operation: DelayedOperation) -> None:
        """Hold back *response* to *request*, whose size is *size_bytes*."""
        self._request, self._size_bytes = request, size_bytes
        self._response = response
        self.operation = operation
        self.counter: RequestCounter = request.route
        """Counts the request when its response is complete."""
        self.after = WireBuffer()
        """The responses of the connection's next requests, which leave after this one."""
        self.requests = 1
        """The number of requests that are answered with this response and *after*."""
        self.started_at = self.handled_at = perf_counter()
        """When the request had come, which the connection knows, and when its handler returned."""

    def encode(self, out: WireBuffer) -> None:
        """Append the response, which is complete, to *out*.

        Raises:
            ProtocolError: the connection has to be closed.
        """
        request = self._request
        route, version = request.route, request.version
        before = len(out.detached)
        start = _begin(out, request.correlation_id)
        if version >= route.flexible_from:
            out.append(0)
        try:
            route.writers[version](self._response, out, version)
        except Exception as fault:
            raise _cannot_encode(request, fault) from fault
        _finish(out, start, before)
        counter = self.counter
        counter.left = left = counter.left - 1
        if not left and (metrics := counter.restart(now := perf_counter())) is not None:
            metrics.record(now - self.started_at, 0.0, now - self.handled_at, 0.0, 0, self._size_bytes)


async def serve(request: Request, context: RequestContext, out: WireBuffer) -> DelayedResponse | None:
    """Run the handler and put its answer into *out*; an answer of None (Produce with acks=0) puts nothing.

    Returns the response if it is not complete yet; then nothing is in *out*.

    Raises:
        ProtocolError: the connection has to be closed.
    """
    route = request.route
    body = request.body
    if type(body) is _Undecoded:
        body = await context.services.replicas.workers.run(body.decode, route.readers[request.version], request.version)
        if route.has_records:
            request.body = body  # for the fast path, which is asked afterwards whether it takes such requests
        context.loop_budget = None
        context.start_budget().yields = 1  # its response may be as large, and is encoded in a thread, too
    try:
        response = await route.handler(context, body)
    except ProtocolError:
        raise
    except ApiError as fault:
        response = _failed(context, route, fault.code, fault.detail)
    except Exception:
        logger.exception(
            "api=%s version=%d client_id=%s peer=%s: handler failed",
            _name(context.api_key),
            request.version,
            context.client_id,
            context.client_host,
        )
        response = _failed(context, route, ErrorCode.UNKNOWN_SERVER_ERROR, None)
        context.delayed = None
    if route.searched_for_errors is not None:
        await count_errors(context, response)
    if context.request_time is not None:
        await throttle_by_request_time(context, response)
    if response is None:
        context.loop_budget = None
        return None
    if context.delayed is not None:
        delayed = DelayedResponse(request, context.request_bytes, response, context.delayed)
        context.delayed = context.loop_budget = None
        return delayed
    version = request.version
    write, encoded = route.writers[version], None
    start = len(out)
    before = len(out.detached)
    try:
        budget = context.loop_budget
        if budget is not None:
            context.loop_budget = None
            if budget.yields:
                # *out* may be sent while this waits, so the answer is appended when it is complete.
                encoded = WireBuffer()
                await context.services.replicas.workers.run(encode_in_pieces, write, response, encoded, version)
                start, before = len(out), len(out.detached)
        out += _HEAD.pack(0, request.correlation_id)
        if version >= route.flexible_from:
            out.append(0)
        if encoded is None:
            write(response, out, version)
        else:
            encoded.move_to(out)
    except Exception as fault:
        # Half an answer must not reach the peer.
        del out[start:], out.detached[before:]
        raise _cannot_encode(request, fault) from fault
    _finish(out, start, before)
    return None


def _cannot_encode(request: Request, fault: Exception) -> ProtocolError:
    api = _name(request.route.api_key)
    logger.error("api=%s version=%d: answer cannot be encoded", api, request.version, exc_info=fault)
    return ProtocolError("the answer could not be encoded")


def _malformed(fault: Exception) -> ProtocolError:
    return ProtocolError(f"malformed request: {type(fault).__name__}: {fault}")


def _begin(out: WireBuffer, correlation_id: int) -> int:
    start = len(out)
    out += _HEAD.pack(0, correlation_id)
    return start


def _finish(out: WireBuffer, start: int, before: int) -> None:
    size_bytes = len(out) - start - 4
    detached = out.detached
    if len(detached) > before:
        for _, part in detached[before:]:
            size_bytes += part.size_bytes
    _INT32.pack_into(out, start, size_bytes)


def _failed(context: RequestContext, route: BoundRoute, code: ErrorCode, detail: str | None) -> Any:
    """Return a response with *code* at its top level, and count it unless all responses of *route* are searched.

    Raises:
        ProtocolError: the response of this API has no field for it, so the connection has to be closed.
    """
    _, response_class = API[context.api_key].load()
    response = response_class()
    if not hasattr(response, "error_code"):
        raise ProtocolError(f"{_name(context.api_key)} failed with {code.name}: {detail}")
    response.error_code = int(code)
    if hasattr(response, "error_message"):
        response.error_message = detail or code.meaning
    if route.searched_for_errors is None:
        route.metrics.errors[code] += 1
    return response


def _name(api_key: int) -> str:
    info = API.get(api_key)
    return info.name if info else f"API key {api_key}"
