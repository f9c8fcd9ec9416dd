"""One small async function per API, one module per family: it reads like the protocol guide.

Open `routes.py` first: the table key -> handler, from which ApiVersions is printed.  Then
`context.py` (what a handler is given).  A handler validates each item, asks one collaborator,
waits if the request says so, and builds the response; it owns no state and no files.
May import: everything below (controller, coordinator, replication, metadata, storage, record, protocol).
"""
