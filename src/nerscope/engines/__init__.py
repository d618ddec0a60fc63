"""Engines: work in this process, in several processes, or on a cluster; one module each."""

from typing import TYPE_CHECKING, Any

from nerscope.engines.base import Engine

if TYPE_CHECKING:
    from nerscope.engines.local import Local
    from nerscope.engines.pool import Pool
    from nerscope.engines.ray import Ray

__all__ = ["Engine", "Local", "Pool", "Ray"]


def __getattr__(name: str) -> Any:
    # Lazy imports: an evaluation in one process needs neither the pool nor the cluster engine.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{name.lower()}"), name)
