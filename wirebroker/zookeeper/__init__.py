"""ZooKeeper, for a broker of a cluster whose metadata are there; imported only if `zookeeper.connect` is set.

Open `connection.py` first: `open_zookeeper`, the session of a broker.  `operations.py` is ZooKeeperClient, the
operations and events of a connection, which `client.py` implements with kazoo; `errors.py` has its errors.
`session.py` keeps the session alive, `watches.py` hands out contents and their changes, `doubt.py` notices pauses of
the process.  `znodes/` has all data formats.

Above them: `registration.py` (/brokers/ids/N and the broker epoch), `cluster_znodes.py` (persistent paths, cluster id,
generated broker ids), `controller_watch.py`, `admin_zk_client.py` (topics), `producer_ids.py`, `log_dir_events.py`,
`partition_states.py` and `isr_change_notifications.py` (changes of ISRs), `consumer_offsets.py` (of old consumers).

May import: protocol, config, model and the like; nothing of storage, metadata or replication.
"""
