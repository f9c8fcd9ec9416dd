"""`wirebroker quickstart`: a broker, a topic and two records in one terminal, with the commands that did it.

Each command is run as its own process, as a user would run it, and printed with its output.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from wirebroker.cli.interrupt import raise_on_terminate
from wirebroker.cli.records.client_library import library
from wirebroker.cli.standard_streams import print_error
from wirebroker.client.connection import ClientError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

TOPIC: Final = "quickstart"
RECORDS: Final = "hello\nworld\n"
_STOP_S: Final = 30.0
_START: Final = ("start", "--ephemeral", "--topic", f"{TOPIC}:1", "--listener", "PLAINTEXT://127.0.0.1:0")
_STEPS: Final = (
    (("topics", "describe", TOPIC), ""),
    (("produce", TOPIC, "--verbose"), RECORDS),
    (("consume", TOPIC, "--from-beginning", "--exit", "--template", "offset %o: %s\\n"), ""),
)
"""Commands, without the address, and their standard input."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add nothing: there are no options."""


def run(args: argparse.Namespace) -> int:
    """Start a broker, create a topic, produce, consume, and stop the broker; return the exit code."""
    started = time.monotonic()
    raise_on_terminate()  # else the broker would go on
    try:
        library()
        with _broker() as address:
            for words, stdin in _STEPS:
                _step((*words, "-b", address), stdin)
    except ClientError as problem:
        print_error(str(problem))
        return 1
    elapsed_s = time.monotonic() - started
    print(
        f"\nStarted a broker with the topic {TOPIC!r}, wrote two records and read them, in {elapsed_s:.1f} s. "
        "Nothing is left of it;\n"
        "`wirebroker start` runs a broker that keeps its data, `wirebroker help` lists all commands."
    )
    return 0


def _program(*words: str) -> list[str]:
    return [sys.executable, "-m", "wirebroker", *words]


def _shown(words: tuple[str, ...], stdin: str = "") -> str:
    """The command line as one would type it."""
    command = shlex.join(("wirebroker", *words))
    return f"$ printf {shlex.quote(stdin.encode('unicode_escape').decode())} | {command}" if stdin else f"$ {command}"


def _step(words: tuple[str, ...], stdin: str) -> None:
    """Print and run one command.

    Raises:
        ClientError: it failed.
    """
    print(_shown(words, stdin), flush=True)
    ended = subprocess.run(_program(*words), input=stdin, text=True, check=False)
    if ended.returncode:
        raise ClientError(f"`wirebroker {words[0]}` ended with exit code {ended.returncode}")


@contextmanager
def _broker() -> Iterator[str]:
    """Run a broker until the block ends; the value is its address.

    Raises:
        ClientError: it did not start.
    """
    print(f"{_shown(_START)} &", flush=True)
    # its warnings are about a machine that is busy, which is no news of the commands that are shown
    process = subprocess.Popen(_program(*_START, "--log-level", "error"), stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        ready = process.stdout.readline()
        print(ready, end="", flush=True)
        _, found, rest = ready.partition("PLAINTEXT://")
        if not found:
            raise ClientError("the broker did not start")
        yield rest.partition(",")[0]
    finally:
        process.terminate()
        try:
            process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
