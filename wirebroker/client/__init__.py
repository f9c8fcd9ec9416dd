"""Connections to brokers, as their client: of the admin commands, and of a broker to the others of its cluster.

Open `admin.py` for the blocking client of the commands: the cluster, with one `connection.py` per broker, whose
versions are negotiated by ApiVersions; `security.py` names TLS and SASL, which `tls.py` and `sasl.py` do.
`broker_channel.py` is a broker's connection to another one, for trio, with versions that the inter-broker protocol
fixes; `channel_socket.py` is its socket, and `request_deadline.py` one limit of time for many requests.  Requests and
responses are the generated classes; `tools/codegen/usage.py` lists those that can be sent.  May import protocol, record
and model; nothing of a running broker.
"""
