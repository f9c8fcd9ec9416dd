"""`wirebroker transactions ...`: what kafka-transactions.sh does, one small module a command.

`common.py` holds the table, which is the original's to the last tab, and the questions that several commands ask.
"""
