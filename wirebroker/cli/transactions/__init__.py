"""`wirebroker transactions ...`: what kafka-transactions.sh does, one module a command.

`requests.py` has the requests that several commands send, and prints tables like the original, to the last tab.
"""
