"""Tests of the room cluster: rules of the controller's requests, and their effects on fakes."""
