"""Where the work is done: in this process, in several, or on a cluster; one module an engine."""

from nerscope.engines.base import Engine
from nerscope.engines.local import Local
from nerscope.engines.pool import Pool
from nerscope.engines.ray import Ray

__all__ = ["Engine", "Local", "Pool", "Ray"]
