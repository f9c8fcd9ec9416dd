"""The entry point of the installed script `wirebroker` and of `python -m wirebroker`."""

from __future__ import annotations

from wirebroker.cli.interrupt import exit_on_interrupt


def main() -> int:
    """Run the command of `sys.argv` and return its exit code."""
    exit_on_interrupt()
    from wirebroker.cli.main import main as run_command  # an interrupt during this import is handled

    try:
        return run_command()
    finally:
        exit_on_interrupt()  # while the interpreter shuts down, KeyboardInterrupt would print a traceback
