"""The group coordinator: classic groups (join, sync, heartbeat) and committed offsets.

`shard.py` routes requests of one __consumer_offsets partition; `classic.py` is one group's state
machine with `member.py`; `offsets.py` keeps committed offsets; `records.py` is the codec of both.
"""
