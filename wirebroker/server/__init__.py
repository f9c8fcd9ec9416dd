"""Sockets: the thin trio shell around frames, routes and handlers.

Open `listener.py` (accept), then `processor.py` (polls all sockets with `socket_wait.py`, serves those that are ready),
then `connection.py` (one peer: bytes in, answers out, in order), then `dispatch.py` (frame -> route -> handler ->
bytes).  `sending.py` writes bytes and file ranges.  `loop_lag.py` measures how late the event loop is, and logs
what held it.  May import handlers and everything below.
"""
