"""A broker of a cluster with ZooKeeper: obeys the controller, which may be this broker or one of Apache Kafka.

Open `controller_requests.py` first: LeaderAndIsr, StopReplica and UpdateMetadata, carried out one after the other.
`fencing.py`, `leader_and_isr.py`, `stop_replica.py` and `update_metadata.py` have the rules, all pure;
`replica_states.py` has the effects on logs, roles and fetchers.  Settings are read, followed and written by
`config_store.py`, altered by `config_administration.py`, and published by `config_publisher.py`; `administration.py` is
what handlers ask.
`txn_marker_channels.py` sends markers to other brokers, `controlled_shutdown.py` hands leaders over at the end,
`zk_alter_partition_manager.py` and `default_alter_partition_manager.py` change ISRs, `leadership_guard.py` has requests
wait after a start and after a pause.  Only a broker with `zookeeper.connect` imports this package.

May import: controller, coordinator, replication, metadata and everything below.
"""
