"""Sockets: the thin trio shell around frames, routes and handlers.

Open `listener.py` (accepts peers, as far as `connection_quotas.py` lets it, for which `host_addresses.py` resolves host
names), then `processor.py` (polls all sockets with `socket_wait.py` and serves those that are ready), `connection.py`
(the requests of one peer, in their order) and `dispatch.py` (frame -> route -> handler -> response).
`response_sender.py` sends the responses of one connection: `delayed_responses.py` keeps their order behind one that
waits for replicas, `sending.py` writes memory and file ranges, and `suspended_sends.py` goes on with those that the
socket had no room for.  `loop_lag.py` measures how late the event loop is, and logs the request that held it;
`foreign_protocols.py` logs peers that speak HTTP or TLS.  May import handlers and everything below.
"""
