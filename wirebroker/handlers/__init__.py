"""The APIs: one small async function each, one module per family.

Open `routes.py` first: the table key -> handler, from which ApiVersions is printed.  Then
`context.py` (the arguments of a handler).  A handler validates each item, asks one collaborator,
waits if the request says so, and builds the response; it owns no state and no files.
May import: everything below (controller, coordinator, replication, metadata, storage, record, protocol).
"""
