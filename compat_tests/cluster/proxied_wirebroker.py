"""wirebroker whose connections to other brokers go through proxies, so that what it asks of others can be cut, too.

    python -m compat_tests.cluster.proxied_wirebroker start --listener ...

The environment variable PROXIED_PORTS has a JSON object: port of a broker -> port of the proxy in front of it.  The
broker has no code for this: `trio.open_tcp_stream`, with which it connects to brokers, is replaced before it starts.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any, Final

import trio

PROXIED_PORTS: Final = "PROXIED_PORTS"


def install(proxies: dict[str, int]) -> None:
    """Have every connection to a port of *proxies* go to its proxy."""
    connect = trio.open_tcp_stream

    async def open_tcp_stream(host: str | bytes, port: int, **options: Any) -> trio.SocketStream:
        return await connect(host, proxies.get(str(port), port), **options)

    trio.open_tcp_stream = open_tcp_stream


def main() -> int:
    from wirebroker.cli.main import main as command

    install(json.loads(os.environ[PROXIED_PORTS]))
    return command(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
