"""Asking other brokers: the small blocking client behind the admin commands.

Open `admin.py`: one connection per broker, versions negotiated by ApiVersions, requests as generated
messages.  May import protocol, record and model; nothing of a running broker.
"""
