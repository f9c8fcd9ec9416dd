"""Unit tests, one folder a room; no network, no sleeping."""
