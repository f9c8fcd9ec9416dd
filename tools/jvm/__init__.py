"""Java and jars for tests, benchmarks and the demo, from PyPI and Maven Central only.

    from tools.jvm import java, java_options, resolve
    jars = resolve(["org.apache.kafka:kafka-clients:3.9.1"])  # list[Path], fetched once, then from the cache
    subprocess.run([java(), *java_options(), "-cp", classpath(jars), "some.Main"])

The runtime and the jars are those of `wirebroker.jvm`.  Open
bridge.py for Java objects in Python (py4j), kafka.py for Apache Kafka's tools and a broker, zookeeper.py for a broker
with its metadata in ZooKeeper.  Imports nothing else of wirebroker, which never imports this package.
"""

from wirebroker.jvm.ivy import ResolveError, classpath, resolve
from wirebroker.jvm.java import java, java_options

__all__ = ["ResolveError", "classpath", "java", "java_options", "resolve"]
