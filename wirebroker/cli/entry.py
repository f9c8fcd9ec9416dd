"""The entry point of the installed script `wirebroker` and of `python -m wirebroker`."""

from __future__ import annotations

import gc

from wirebroker.cli.interrupt import exit_on_interrupt


def main() -> int:
    """Run the command of `sys.argv` and return its exit code.

    The garbage collector does nothing while modules are imported, and leaves everything where it is at the end: its
    collections would find no garbage, and take a tenth of the time of a short command.
    """
    gc.disable()  # until the command runs
    exit_on_interrupt()
    from wirebroker.cli.main import main as run_command  # an interrupt during this import is handled

    try:
        return run_command()
    finally:
        gc.freeze()
        exit_on_interrupt()  # while the interpreter shuts down, KeyboardInterrupt would print a traceback
