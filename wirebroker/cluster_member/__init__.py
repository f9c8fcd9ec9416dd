"""A member of a cluster with ZooKeeper: `composition.Mode` of a broker with `zookeeper.connect`.

Open `cluster_mode.py` first: start, registration and end, in Apache Kafka's order.  `member_storage.py` finds out the
identity of the broker and loads its logs; `member_services.py` builds what handlers use, with the replicas of
`member_replicas.py` and the controller of `member_controller.py`.  `member.py` has what these share.

May import: composition and everything below.
"""
