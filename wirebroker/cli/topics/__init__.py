"""`wirebroker topics ...`: one module for each command; open `explain_retention.py` first.

May import what cli may import; `offline.py` reads data directories without a broker.
"""
