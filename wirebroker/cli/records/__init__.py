"""`wirebroker produce`, `wirebroker consume` and `wirebroker records delete`: records into topics and out of them.

`produce.py` reads its records with `input_lines.py` or, for JSON lines, `json_record.py`; `consume.py` begins where
`positions.py` says and prints with `templates.py`, `json_record.py` or `formatters.py`.  `client_library.py` is the
only file that imports confluent-kafka, and has the options and errors of all commands that use it.  `delete.py` and
`deletion.py` are `records delete`.
"""
