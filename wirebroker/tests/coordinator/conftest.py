"""Fixtures of the coordinators' tests."""

from wirebroker.tests.coordinator.transaction.whole import lanes

__all__ = ["lanes"]
