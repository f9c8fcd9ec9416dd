"""The error codes in a response, at its top level and in the lists below it, for the metric ErrorsPerSec."""

from __future__ import annotations

import re
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.handlers.context import RequestContext

    ErrorCounter = Callable[[Any, Counter[int]], None]

_LIST: Final = re.compile(r"list\[(\w+)\]")


def error_counter(response_class: type) -> ErrorCounter | None:
    """Return a function that adds the error codes of a response to a counter; None if the class has no error codes."""
    annotations = response_class.__annotations__
    has_code = "error_code" in annotations
    module = sys.modules[response_class.__module__]
    lists: list[tuple[str, ErrorCounter]] = []
    for name, annotation in annotations.items():
        found = _LIST.match(annotation)
        element = getattr(module, found.group(1), None) if found else None
        inner = error_counter(element) if isinstance(element, type) and hasattr(element, "__annotations__") else None
        if inner is not None:
            lists.append((name, inner))
    if not has_code and not lists:
        return None

    def count(response: Any, errors: Counter[int]) -> None:
        if has_code and response.error_code:
            errors[response.error_code] += 1
        for name, count_inner in lists:
            for each in getattr(response, name) or ():
                count_inner(each, errors)

    return count


def count_errors_now(context: RequestContext, response: Any) -> None:
    """Add the error codes of *response* to the metrics of its API."""
    route = context.routes.find(context.api_key, context.version)
    if route is not None and route.error_counter is not None:
        route.error_counter(response, route.metrics.errors)


async def count_errors(context: RequestContext, response: Any) -> None:
    """Add the error codes of *response* to the metrics of its API, in a thread if the response is large."""
    route = context.routes.find(context.api_key, context.version)
    if route is None or route.error_counter is None:
        return
    budget = context.loop_budget
    if budget is None or not budget.yields:
        route.error_counter(response, route.metrics.errors)
        return
    found: Counter[int] = Counter()
    await context.services.replicas.workers.run(route.error_counter, response, found)
    route.metrics.errors.update(found)
