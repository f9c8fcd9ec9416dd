"""The first function of a `wirebroker` process; both the installed script and `python -m wirebroker` call it."""

from __future__ import annotations

from wirebroker.cli.interrupt import exit_on_interrupt


def main() -> int:
    """Run the command of `sys.argv` and return its exit code."""
    exit_on_interrupt()
    from wirebroker.cli.main import main as run_command

    try:
        return run_command()
    finally:
        exit_on_interrupt()  # not a traceback of the interpreter's own end
