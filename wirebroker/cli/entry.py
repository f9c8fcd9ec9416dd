"""The entry point of the installed script `wirebroker` and of `python -m wirebroker`."""

from __future__ import annotations

import gc

from wirebroker.cli.interrupt import exit_on_interrupt

THRESHOLDS = gc.get_threshold()
"""How often the collector runs while a command does."""
_NEW_OBJECTS = 5000
_NEVER = 1 << 30


def main() -> int:
    """Run the command of `sys.argv` and return its exit code.

    While modules are imported the garbage collector looks at new objects alone: classes that are made twice leave
    garbage among them, 0.7 MB in a broker.  At the end it leaves everything where it is.  Full collections would take a
    tenth of the time of a short command.
    """
    gc.set_threshold(_NEW_OBJECTS, _NEVER)  # until the command runs
    exit_on_interrupt()
    from wirebroker.cli.main import main as run_command  # an interrupt during this import is handled

    try:
        return run_command()
    finally:
        gc.freeze()
        exit_on_interrupt()  # while the interpreter shuts down, KeyboardInterrupt would print a traceback
