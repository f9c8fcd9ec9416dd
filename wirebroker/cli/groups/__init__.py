"""`wirebroker groups ...`: what kafka-consumer-groups.sh does, one small module a command.

`common.py` holds the options they share, the look at a group, and the tables.
"""
