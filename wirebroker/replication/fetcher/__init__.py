"""Followers: fetch records from the leaders of partitions, and truncate what the leaders do not have.

Open `replica_fetcher_manager.py` first (which partitions are fetched from which broker), then `replica_fetcher.py` (the
task for one leader).  `leader_endpoint.py` sends its requests, `response_appends.py` appends what it gets (large
responses while they arrive: `streamed_response.py`), `log_truncator.py` truncates, and `fetcher_partitions.py` has the
partitions with their delays and failures.  The rules are values in, values out: `offset_truncation.py` (KIP-101,
KIP-279), `fetch_session_handler.py` (KIP-227), `partition_states.py`, `fetch_response_decoder.py`; `fetch_frame.py` is
a request that is sent again and again with another offset.  May import what `replication` may, and the client.  A
broker without a cluster imports nothing of this package.
"""
