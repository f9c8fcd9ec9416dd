"""record: record batches and legacy message sets as bytes.  Read, build, validate, convert; pure functions and views.

Open ``record_batch.py`` first: it draws the layout of message format 2 and has the view that other rooms pass around.
``builder.py`` and ``control.py`` build batches and transaction markers, ``rewrite.py`` changes produced ones,
``compaction.py`` removes records by key.
``validate.py`` decides what a leader appends, with ``record_scan.py`` and ``record_run_scan.py`` for the records
inside; ``timestamp_search.py`` finds a record by time.  Formats 0 and 1: ``legacy.py`` reads them,
``validate_legacy.py`` and ``message_set.py`` append them, ``convert.py`` with ``legacy_encoder.py`` converts.
``compression.py`` has the codecs (``lz4_header.py`` a checksum that old clients got wrong), ``varint.py`` and
``crc32c.py`` numbers and checksums.

Imports nothing of wirebroker.  No files, no clock, no sockets, no error codes: ``errors.py`` has the exceptions.
"""
