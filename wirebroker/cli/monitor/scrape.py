"""The metrics of a running broker, read from its port of metrics (`wirebroker.metrics.port`)."""

from __future__ import annotations

import argparse
import http.client
import json
import re
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

DEFAULT_ADDRESS: Final = "127.0.0.1:9404"
_TIMEOUT_S: Final = 10.0
_LINE: Final = re.compile(r"([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)")
_LABEL: Final = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
_ESCAPES: Final = {r"\\": "\\", r"\"": '"', r"\n": "\n"}
_ESCAPE: Final = re.compile(r"\\[\\\"n]")


class ScrapeError(Exception):
    """The metrics cannot be read; the message is one line for the user."""


class Series(NamedTuple):
    """One line of /metrics."""

    name: str
    labels: Mapping[str, str]
    value: float

    def __str__(self) -> str:
        labels = ",".join(f'{name}="{value}"' for name, value in self.labels.items())
        return f"{self.name}{{{labels}}}" if labels else self.name


def add_address(parser: argparse.ArgumentParser) -> None:
    """Add `--address`."""
    parser.add_argument(
        "--address",
        type=host_and_port,
        default=host_and_port(DEFAULT_ADDRESS),
        metavar="HOST:PORT",
        help=f"where a broker with wirebroker.metrics.port serves its metrics (default: {DEFAULT_ADDRESS})",
    )


def host_and_port(text: str) -> tuple[str, int]:
    """Return the parts of an address.

    Raises:
        argparse.ArgumentTypeError: it is none.
    """
    host, _, port = text.rpartition(":")
    if not host or not port.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not HOST:PORT")
    return host.strip("[]"), int(port)


def read(address: tuple[str, int], path: str) -> str:
    """Return the body of *path*.

    Raises:
        ScrapeError: nobody answers there, or with an error.
    """
    host, port = address
    connection = http.client.HTTPConnection(host, port, timeout=_TIMEOUT_S)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        body = response.read().decode()
    except (OSError, http.client.HTTPException) as problem:
        hint = f"start the broker with --set wirebroker.metrics.port={port}"
        reason = getattr(problem, "strerror", None) or problem or type(problem).__name__
        raise ScrapeError(f"no metrics at {host}:{port}: {reason}; {hint}") from None
    finally:
        connection.close()
    if response.status != http.client.OK:
        raise ScrapeError(f"{host}:{port}{path}: {response.status} {response.reason}")
    return body


def parse(text: str) -> list[Series]:
    """Return the lines of the text format of Prometheus."""
    found: list[Series] = []
    for line in text.splitlines():
        match = None if line.startswith("#") else _LINE.fullmatch(line)
        if match is not None:
            labels = {name: _ESCAPE.sub(lambda each: _ESCAPES[each[0]], value) for name, value in _labels(match[2])}
            found.append(Series(match[1], labels, float(match[3])))
    return found


def _labels(text: str | None) -> list[tuple[str, str]]:
    return [] if text is None else _LABEL.findall(text)


def read_metrics(address: tuple[str, int]) -> list[Series]:
    """Return every line of /metrics.  Raises ScrapeError."""
    return parse(read(address, "/metrics"))


def read_mbeans(address: tuple[str, int]) -> list[tuple[str, dict[str, float]]]:
    """Return the name and attributes of every MBean.  Raises ScrapeError."""
    return [(name, attributes) for name, attributes in json.loads(read(address, "/jmx"))]


def number(value: float) -> int | float:
    """Return *value* as it is shown: whole numbers without a point, others with six digits."""
    return int(value) if value.is_integer() else float(f"{value:.6g}")
