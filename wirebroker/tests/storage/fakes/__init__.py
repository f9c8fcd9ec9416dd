"""Stand-ins for the parts of storage that a test must be able to break."""
