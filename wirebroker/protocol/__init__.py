"""Bytes on the wire and in internal topics: what the messages are, and how they are read and written.

Open `api.py` first (which APIs and versions there are), then `message.py` (what every generated class can do).
`messages/` and `internal/` are made from `protocol_specs/` by `python -m tools.codegen`; `headers.py` and `frames.py`
are what goes around a message; `primitives.py` has WireBuffer, which keeps file slices apart from bytes; `errors.py`
are the codes, `faults.py` the two exceptions.  Imports nothing but the standard library and does no I/O.
"""
