"""The benchmark of metrics takes their statements out of functions by name, which a change of these must not evade."""

from __future__ import annotations

import pytest

from tools.bench.without_metrics import FUNCTIONS, Measured, without_metrics


@pytest.mark.parametrize("measured", FUNCTIONS, ids=lambda each: each.function)
def test_every_function_has_statements_for_metrics(measured: Measured) -> None:
    code = without_metrics(measured)
    assert code.co_name == measured.function
    assert not set(measured.names) & {*code.co_names, *code.co_varnames}


def test_a_name_that_is_not_used_is_told() -> None:
    with pytest.raises(LookupError, match=r"read_request of .* has no metrics_of_nothing"):
        without_metrics(FUNCTIONS[3]._replace(function="read_request", names={"metrics_of_nothing"}))
