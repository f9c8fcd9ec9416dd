"""The listeners of a BrokerConfig: for clients, controllers and other brokers, and the addresses that are told of them.

Facts: KIP-103, KIP-291, and what Apache Kafka 3.9 refuses to start with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.config.endpoints import (
    Listener,
    advertised,
    check_listeners,
    parse_listeners,
    parse_protocol_map,
    split_listeners,
)
from wirebroker.config.values import ConfigError

if TYPE_CHECKING:
    from wirebroker.config.server import BrokerConfig

_ANY_HOST: Final = ("0.0.0.0", "::")


def is_advertised(config: BrokerConfig, name: str) -> bool:
    """Whether other brokers and clients are told of a listener: advertised.listeners names it, or is not given."""
    text = config.text("advertised.listeners")
    return not text or name in {each for each, _, _ in split_listeners(text)}


def _controller_names(config: BrokerConfig) -> set[str]:
    return {name.strip().upper() for name in (config.text("controller.listener.names") or "").split(",")}


def _listeners_text(config: BrokerConfig) -> str:
    text = config.text("listeners") or ""
    if "listeners" not in config.sources.static and (config.is_set("port") or config.is_set("host.name")):
        text = f"PLAINTEXT://{config.text('host.name') or ''}:{config.value('port')}"
    return text


def _named_listeners(config: BrokerConfig) -> tuple[Listener, ...]:
    """Return the listeners for controllers and for clients."""
    protocols = parse_protocol_map(config.text("listener.security.protocol.map") or "")
    for_controllers = dict.fromkeys(_controller_names(config), "PLAINTEXT")
    key = "port" if "listeners" not in config.sources.static and config.is_set("port") else "listeners"
    return parse_listeners(key, _listeners_text(config), for_controllers | protocols)


def controller_listeners(config: BrokerConfig) -> tuple[Listener, ...]:
    """Return the listeners in controller.listener.names."""
    names = _controller_names(config)
    return tuple(listener for listener in _named_listeners(config) if listener.name in names)


def unserved_listeners(config: BrokerConfig) -> tuple[Listener, ...]:
    """Return the listeners for clients that need TLS or SASL."""
    names = _controller_names(config)
    named = _named_listeners(config)
    return tuple(listener for listener in named if listener.name not in names and listener.protocol != "PLAINTEXT")


def client_listeners(config: BrokerConfig) -> tuple[Listener, ...]:
    """Return the listeners that are opened; ConfigError if there is none, or two are alike."""
    text = _listeners_text(config)
    closed = _controller_names(config) | _waived_listeners(config)
    listeners = tuple(listener for listener in _named_listeners(config) if listener.name not in closed)
    if not listeners:
        raise ConfigError(f"listeners={text}: no listener is left for clients")
    given = config.sources.static.get("listeners")
    check_listeners(text, listeners, by_address=given is not None and given.place == "--listener")
    return listeners


def advertised_addresses(config: BrokerConfig) -> dict[str, tuple[str, int]]:
    """Return listener name -> host and port in advertised.listeners; ConfigError for an invalid one."""
    text = config.text("advertised.listeners") or ""
    if not text and (config.is_set("advertised.host.name") or config.is_set("advertised.port")):
        host = config.text("advertised.host.name") or config.text("host.name") or ""
        text = f"PLAINTEXT://{host}:{config.value('advertised.port') or config.value('port')}"
    closed = _controller_names(config) | _waived_listeners(config)
    protocols = {listener.name: listener.protocol for listener in config.listeners}
    named = parse_listeners("advertised.listeners", text, {**dict.fromkeys(closed, "PLAINTEXT"), **protocols})
    return advertised(text, [each for each in named if each.name not in closed], config.listeners)


def _waived_listeners(config: BrokerConfig) -> set[str]:
    """Return the names of unserved listeners that stay closed because the operator accepts that."""
    if not config.sources.waivers.cover("listeners"):
        return set()
    return {listener.name for listener in config.unserved_listeners}


def inter_broker_listener(config: BrokerConfig) -> str:
    """Return the name of the listener for other brokers; ConfigError if they could not use it."""
    named = config.text("inter.broker.listener.name")
    if config.in_cluster:
        _check_inter_broker_listener(config, named)
    if named is None or named.upper() in _waived_listeners(config):
        # security.inter.broker.protocol can name no other protocol; a broker alone does without such a listener
        return next((each.name for each in config.listeners if each.name == "PLAINTEXT"), config.listeners[0].name)
    if named.upper() not in {listener.name for listener in config.listeners}:
        raise ConfigError(f"inter.broker.listener.name={named}: there is no such listener")
    return named.upper()


def _check_inter_broker_listener(config: BrokerConfig, named: str | None) -> None:
    """Refuse what Apache Kafka refuses: without one way to this broker that the others know they could not use it."""
    if named is not None and config.is_set("security.inter.broker.protocol"):
        reason = "only one of it and security.inter.broker.protocol can be set"
        raise ConfigError(f"inter.broker.listener.name={named}: {reason}")
    name = "PLAINTEXT" if named is None else named.upper()
    of_brokers = next((each for each in config.listeners if each.name == name), None)
    if named is None and of_brokers is None:
        raise ConfigError(
            f"listeners={_listeners_text(config)}: no listener is called PLAINTEXT, so inter.broker.listener.name has "
            "to say which one the brokers use"
        )
    if not is_advertised(config, name):
        text = config.text("advertised.listeners")
        raise ConfigError(f"advertised.listeners={text}: it has to name {name}, the listener of other brokers")
    for each in config.listeners:
        if each.host in _ANY_HOST and is_advertised(config, each.name) and each.name not in config.advertised:
            raise ConfigError(
                f"listeners={_listeners_text(config)}: other machines cannot connect to {each.host}; name an address "
                f"for {each.name} in advertised.listeners"
            )


def control_plane_listener(config: BrokerConfig) -> str | None:
    """Return the name of the listener for the controller, None without one; ConfigError for an unusable one."""
    named = config.text("control.plane.listener.name")
    if named is None or not config.in_cluster:
        return None
    name = named.upper()
    if name not in {listener.name for listener in config.listeners}:
        raise ConfigError(f"control.plane.listener.name={named}: there is no such listener")
    if name == config.inter_broker_listener:
        reason = "that is the listener for other brokers; the controller's is another one"
        raise ConfigError(f"control.plane.listener.name={named}: {reason}")
    return name
