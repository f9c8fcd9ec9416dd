"""Every tool of Apache Kafka's releases that asks a cluster prints and ends as on three brokers of Apache Kafka.

Each test runs with the tools of one release against brokers of one release, and fails at its end with all differences.
"""
