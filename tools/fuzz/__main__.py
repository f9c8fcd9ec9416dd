"""`python -m tools.fuzz decode --seconds 60 [--seed N] [--atheris]`: stops with a traceback at the first finding."""

from __future__ import annotations

import argparse
import sys
import time

from tools.codegen import codecs
from tools.fuzz import decode
from wirebroker.protocol.api import API


def main(arguments: list[str] | None = None) -> int:
    """Fuzz for the given time; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description=__doc__)
    parser.add_argument("target", choices=["decode"])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0, help="the run is the same for the same seed")
    parser.add_argument("--atheris", action="store_true", help="coverage-guided, if the package atheris is installed")
    options = parser.parse_args(arguments)
    if options.atheris:
        return guided(options.seconds)
    deadline = time.monotonic() + options.seconds
    tried = whole = 0
    for frame in decode.frames(options.seed):
        if time.monotonic() >= deadline:
            break
        tried += 1
        try:
            whole += decode.run(frame)
        except Exception:
            print(f"frame {tried} of seed {options.seed}: {frame.hex()}", file=sys.stderr)
            raise
    print(f"{tried} frames, {whole} of them whole requests, {tried - whole} refused, no findings")
    return 0


def guided(seconds: float) -> int:
    """The same target under libFuzzer."""
    try:
        import atheris  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError:
        print("atheris is not installed: pip install atheris", file=sys.stderr)
        return 1
    with atheris.instrument_imports():
        for info in API.values():
            codecs.api_classes(info.key)

    def target(frame: bytes) -> None:
        decode.run(frame)

    atheris.Setup([sys.argv[0], f"-max_total_time={int(seconds)}"], target)
    atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main())
