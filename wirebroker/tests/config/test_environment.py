"""Which environment variables are settings, and which only look like one."""

from __future__ import annotations

import pytest

from wirebroker.config.environment import UnknownVariable, from_environment, unknown_variables


def test_the_environment_names_known_keys_only() -> None:
    found = from_environment(
        {"KAFKA_LOG_DIRS": "/d", "KAFKA_HEAP_OPTS": "-Xmx1g", "LOG_DIRS": "x", "KAFKA_ZOOKEEPER_CLIENTCNXNSOCKET": "n"}
    )
    assert {(each.name, each.text, each.place) for each in found} == {
        ("log.dirs", "/d", "KAFKA_LOG_DIRS"),
        ("zookeeper.clientCnxnSocket", "n", "KAFKA_ZOOKEEPER_CLIENTCNXNSOCKET"),
    }


def test_our_own_prefix_is_the_stronger() -> None:
    (found,) = from_environment({"KAFKA_NUM_PARTITIONS": "1", "WIREBROKER_NUM_PARTITIONS": "2"})
    assert (found.text, found.place) == ("2", "WIREBROKER_NUM_PARTITIONS")


def test_variables_of_kubernetes_are_no_ports() -> None:
    assert from_environment({"KAFKA_PORT": "tcp://10.0.0.1:9092"}) == []


@pytest.mark.parametrize(
    ("variable", "name"),
    [
        ("KAFKA_SUPER_USERS", "super.users"),
        ("KAFKA_AUTHORIZER_CLASS_NAME", "authorizer.class.name"),
        ("KAFKA_LISTENER_NAME_CLIENTS_SSL_CLIENT_AUTH", "listener.name.clients.ssl.client.auth"),
        ("KAFKA_LISTENER_NAME_A_PLAIN_SASL_JAAS_CONFIG", "listener.name.a_plain.sasl.jaas.config"),
    ],
)
def test_keys_of_authorizers_and_of_single_listeners_are_read(variable: str, name: str) -> None:
    assert [each.name for each in from_environment({variable: "x"})] == [name]


@pytest.mark.parametrize(
    ("variable", "suggestion"),
    [
        ("KAFKA_NUM_PARTITONS", "KAFKA_NUM_PARTITIONS"),
        ("WIREBROKER_NUM_PARTITONS", "WIREBROKER_NUM_PARTITIONS"),
        ("KAFKA_ZOOKEEPER_CONECT", "KAFKA_ZOOKEEPER_CONNECT"),
        ("KAFKA_AUTHORISER_CLASS_NAME", "KAFKA_AUTHORIZER_CLASS_NAME"),
        ("KAFKA_CFG_LISTENERS", "KAFKA_LISTENERS"),
        ("KAFKA_TLS_CLIENT_AUTH", "KAFKA_SSL_CLIENT_AUTH"),
    ],
)
def test_a_misspelt_variable_gets_a_suggestion(variable: str, suggestion: str) -> None:
    assert unknown_variables({variable: "7"}) == [UnknownVariable(variable, suggestion)]


OTHERS = """
    KAFKA_BASE_DIR KAFKA_BOOTSTRAP_SERVERS KAFKA_BROKERS KAFKA_CLUSTER_ID KAFKA_DAEMON_USER KAFKA_DATA_DIR KAFKA_DEBUG
    KAFKA_GC_LOG_OPTS KAFKA_GROUP_ID KAFKA_HEAP_OPTS KAFKA_HOME KAFKA_HOST KAFKA_HOSTNAME KAFKA_JMX_HOSTNAME
    KAFKA_JMX_OPTS KAFKA_JMX_PORT KAFKA_JVM_PERFORMANCE_OPTS KAFKA_KRAFT_CLUSTER_ID KAFKA_LOG4J_LOGGERS KAFKA_LOG4J_OPTS
    KAFKA_LOG4J_ROOT_LOGLEVEL KAFKA_LOG_LEVEL KAFKA_MODE KAFKA_OPTS KAFKA_SERVICE_HOST KAFKA_SERVICE_PORT
    KAFKA_TOOLS_LOG4J_LOGLEVEL KAFKA_TOPIC KAFKA_URL KAFKA_VERSION KAFKA_ WIREBROKER_BOOTSTRAP_SERVER PATH KAFKA
    KAFKA_PORT_9092_TCP KAFKA_PORT_9092_TCP_ADDR KAFKA_PORT_9092_TCP_PORT KAFKA_PORT_9092_TCP_PROTO
""".split()  # noqa: SIM905


@pytest.mark.parametrize("variable", OTHERS)
def test_variables_of_scripts_images_and_kubernetes_get_no_warning(variable: str) -> None:
    assert from_environment({variable: "7"}) == []
    assert unknown_variables({variable: "7"}) == []


def test_variables_of_kubernetes_are_no_misspelt_keys() -> None:
    assert unknown_variables({"KAFKA_PORTT": "tcp://10.0.0.1:9092"}) == []
