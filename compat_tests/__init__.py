"""Published clients, Apache Kafka's own tools and Apache Kafka itself, against or beside a wirebroker process.

Needs Java and the package registries (tools/jvm fetches what PyPI does not carry): not part of the quick tests.
conftest.py offers the brokers; broker.py runs ours; wire.py speaks raw requests; comparison.py asks both brokers the
same and compares, apart from what differences.py lists with a reason each.
"""
