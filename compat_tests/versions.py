"""The Apache Kafka releases that the tests name, all from Maven Central."""

KAFKA = "3.9.1"  # whose behaviour we promise
KAFKA_4 = "4.1.0"  # whose protocol of transactions has an epoch for each (KIP-890)
NEWEST_KAFKA = "4.3.1"  # the newest release published with its tools
NEWEST_CLIENTS = "4.4.0"  # the newest published kafka-clients
OLD_KAFKA = "2.8.2"  # has what later releases removed
OLDEST_KAFKA = "2.0.1"  # the oldest whose broker runs on the Java at hand
