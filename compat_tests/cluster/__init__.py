"""wirebroker as a member of ZooKeeper clusters whose controller and other brokers are Apache Kafka."""
