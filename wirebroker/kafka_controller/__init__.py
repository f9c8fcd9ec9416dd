"""The controller of a cluster with ZooKeeper: elects leaders, and tells all brokers; Apache Kafka's kafka.controller.

Open `kafka_controller.py` first: election, failover, resignation, and the event that each change calls for.
`context.py` is all that the active controller knows, without I/O; `states.py` has the states of partitions and replicas
as tables, `election.py` the rules by which leaders are elected.  `partition_state_machine.py` and
`replica_state_machine.py` change states, write to ZooKeeper and tell the brokers, through
`controller_broker_request_batch.py` and `controller_channel_manager.py`.  `broker_changes.py`, `topic_changes.py`,
`topic_deletion_manager.py` and `partition_reassignments.py` are the parts of the work; `assembly.py` builds them.

May import: controller, zookeeper, client, metadata and everything below; only a broker with `zookeeper.connect` imports
this package.
"""
