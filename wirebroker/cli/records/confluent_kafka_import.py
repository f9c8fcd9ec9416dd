"""The import of confluent-kafka without the modules that its `__init__.py` imports and commands do not use.

That file imports asyncio, and the clients of the schema registry: nine tenths of the time of the import.  The C module
`confluent_kafka.cimpl` has all that commands need.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import PathFinder
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec

_NAME: Final = "confluent_kafka"


class _LazyPackage(ModuleType):
    """The package with the names of its C module; `__init__.py` runs when another name is asked for."""

    def __init__(self, spec: ModuleSpec) -> None:
        super().__init__(spec.name)
        self.__spec__, self.__loader__ = spec, spec.loader
        self.__file__, self.__package__ = spec.origin, spec.name
        self.__path__ = list(spec.submodule_search_locations or ())
        self._is_complete = False

    def __getattr__(self, name: str) -> Any:
        core = sys.modules.get(f"{_NAME}.cimpl")
        if not name.startswith("__") and hasattr(core, name):  # also after Ctrl-C has ended `__init__.py` early
            return getattr(core, name)
        if not name.startswith("__") and not self._is_complete:
            self._is_complete = True
            assert self.__spec__ is not None
            assert self.__spec__.loader is not None
            self.__spec__.loader.exec_module(self)
            if name in self.__dict__:
                return self.__dict__[name]
        raise AttributeError(f"module {_NAME!r} has no attribute {name!r}")


def import_confluent_kafka() -> Any:
    """Return the package.

    Raises:
        ImportError: it is not installed.
    """
    spec = None if _NAME in sys.modules else PathFinder.find_spec(_NAME)
    if spec is None or spec.loader is None:  # it is imported already, or in no directory of sys.path
        return import_module(_NAME)
    package = sys.modules[_NAME] = _LazyPackage(spec)
    try:
        import_module(f"{_NAME}.cimpl")
    except BaseException:
        del sys.modules[_NAME]
        raise
    return package
