"""ControllerMoved: this broker is not the controller any more, Kafka's ControllerMovedException."""

from __future__ import annotations


class ControllerMoved(Exception):
    """Another broker was elected, or this broker's session is over: the controller resigns and writes nothing more."""
