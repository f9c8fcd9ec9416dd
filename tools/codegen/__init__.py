"""Turns `protocol_specs/` into `wirebroker/protocol/{messages,internal}/*.py`, `api.py` and `errors.py`.

Open `parse.py` for the way from text to `model.py`, then `modules.py`, which puts a generated file together out of
`classes.py` (data classes), `readers.py` and `writers.py` (one straight-line function per distinct layout).

    python -m tools.codegen            write what changed
    python -m tools.codegen --check    exit 1 when a committed file is stale

The grammar of the specs is in `protocol_specs/README.md`.
"""
