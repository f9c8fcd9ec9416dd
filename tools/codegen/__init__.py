"""Generates `wirebroker/protocol/{messages,internal}` and the tables of APIs and error codes from `protocol_specs/`.

Open `parse.py` for the way from text to `model.py`, then `modules.py`, which puts a generated file together out of
`classes.py` (data classes), `readers.py` and `writers.py`; what these two share is in `emitter.py`.  `usage.py` says
which messages are generated, and in which direction; `codecs.py` has the others, for tests and tools.

    python -m tools.codegen            write what changed
    python -m tools.codegen --check    exit 1 when a committed file is stale

The grammar of the specs is in `protocol_specs/README.md`.
"""
