"""What pytest collects depends on what is installed."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("torch") else ["src/nerscope/lab/neural/*"]
