"""The `wirebroker` command: `main.py` picks a command, each command is a module here (or the demo's, in `pipelines`).

A command module has `add_arguments(parser)` and `run(args) -> exit code`, and is imported only when it was chosen.
"""
