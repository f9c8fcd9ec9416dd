"""`wirebroker groups ...`: what kafka-consumer-groups.sh does, one small module a command.

`common.py` holds the options that name groups and the requests about a group; `cli/connection.py` and `cli/output.py`
are every command's options and printers.
"""
