"""`wirebroker transactions ...`: what kafka-transactions.sh does, one small module a command.

`common.py` prints the tables, which are the original's to the last tab, and sends the requests that several commands
need.
"""
