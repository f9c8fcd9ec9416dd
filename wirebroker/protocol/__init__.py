"""Kafka's wire protocol: messages, headers and frames as bytes, and the records of internal topics.

Open `api.py` first (which APIs and versions there are), then `message.py` (what every generated class can do).
`python -m tools.codegen` generates `messages/`, `internal/`, `api_table.py`, `errors.py` and `error_table.py` from
`protocol_specs/`.  `headers.py` and `frames.py` have what goes around a message, `primitives.py` has the functions that
generated code calls and `WireBuffer`, `exceptions.py` has ProtocolError and ApiError.  Imports nothing but the standard
library and does no I/O.
"""
