"""Log lines of connections: requests that were served, and why a connection is closed.

The logger is that of `connection.py`; this module is imported with the first line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.protocol.api import API
from wirebroker.protocol.exceptions import ForeignProtocolError, ProtocolError
from wirebroker.server.connection import logger
from wirebroker.server.sending import PeerStalled

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.handlers.context import RequestContext


def log_request(context: RequestContext, total_s: float) -> None:
    """Log the last request of a connection, which took *total_s*, at DEBUG."""
    logger.debug(
        "api=%s version=%d client_id=%s peer=%s size_bytes=%d: served in %.3f ms",
        API[context.api_key].name,
        context.version,
        context.client_id,
        context.client_host,
        context.request_bytes,
        total_s * 1000,
    )


def log_failure(
    fault: Exception, context: RequestContext, on_foreign_protocol: Callable[[str, str], None] | None
) -> None:
    """Log why a connection is closed: at WARNING for what a peer does wrong, with a traceback for our faults."""
    peer = context.client_host
    if isinstance(fault, ForeignProtocolError) and on_foreign_protocol is not None:
        on_foreign_protocol(peer, fault.protocol)
    elif isinstance(fault, ProtocolError | PeerStalled):
        logger.warning("peer=%s client_id=%s: closing: %s", peer, context.client_id, fault)
    elif isinstance(fault, ConnectionError | TimeoutError):
        logger.debug("peer=%s: gone: %s", peer, fault)
    else:
        logger.error("peer=%s: connection failed", peer, exc_info=fault)
