"""A first experiment file, written by looking at a folder."""

import json
import re
from collections.abc import Iterable
from pathlib import Path

from nerscope.errors import InputError

_ENDINGS = {".conll", ".txt", ".tsv", ".bio", ".iob", ".iob2", ".conllu"}
_SPLITS = {
    "train": re.compile(r"train", re.IGNORECASE),
    "dev": re.compile(r"dev(elopment)?|valid(ation)?|testa", re.IGNORECASE),
    "test": re.compile(r"testb?", re.IGNORECASE),
}


def starter_text(folder: str | Path) -> str:
    """The text of an experiment file for what is found in a folder."""
    root = Path(folder)
    if not root.is_dir():
        raise InputError(str(folder), "no such folder", "name the folder that holds the data")
    files = sorted(path for path in root.rglob("*") if _is_data(path, root))
    datasets = _datasets(root, files)
    if not datasets:
        raise InputError(
            str(folder),
            "no file with 'test' in its name is found",
            "write the experiment file by hand: docs/experiments.md",
        )
    taken = {path for splits in datasets.values() for path in splits.values()}
    systems = _systems(root, [path for path in files if path not in taken], list(datasets))
    return _text(root, datasets, systems)


def _is_data(path: Path, root: Path) -> bool:
    hidden = any(part.startswith(".") for part in path.relative_to(root).parts)
    plain = path.with_suffix("") if path.suffix == ".gz" else path
    return path.is_file() and not hidden and plain.suffix in _ENDINGS


def _datasets(root: Path, files: Iterable[Path]) -> dict[str, dict[str, Path]]:
    """The datasets with a test file: one a folder, or one for each name before the word for the
    split (a-train, b-train).
    """
    folders: dict[Path, dict[str, dict[str, Path]]] = {}
    for path in files:
        stem = path.name.removesuffix(".gz").rsplit(".", 1)[0]
        split = next((split for split, pattern in _SPLITS.items() if pattern.search(stem)), None)
        if split:
            prefix = _SPLITS[split].sub("", stem).strip("._- ")
            folders.setdefault(path.parent, {}).setdefault(prefix, {}).setdefault(split, path)
    found = {}
    for folder, groups in folders.items():
        own = folder.name if folder != root else root.resolve().name
        for prefix, splits in groups.items():
            if "test" in splits:
                found[_key(prefix if len(groups) > 1 and prefix else own)] = splits
    return found


def _systems(root: Path, files: Iterable[Path], datasets: list[str]) -> dict[str, dict[str, str]]:
    """Outputs by system and dataset: NAME.RUN.txt or NAME.txt, as a pattern over the runs."""
    found: dict[str, dict[str, str]] = {}
    for path in files:
        stem = path.name.removesuffix(".gz").rsplit(".", 1)[0]
        with_run = re.fullmatch(r"(.+?)([._-](?:run|seed)?)\d+", stem, re.IGNORECASE)
        name = with_run[1] if with_run else stem
        file = f"{name}{with_run[2]}*{path.name[len(stem) :]}" if with_run else path.name
        folders = path.relative_to(root).parts[:-1]
        dataset = next(
            (part for part in map(_key, reversed(folders)) if part in datasets), datasets[0]
        )
        found.setdefault(_key(name), {}).setdefault(dataset, "/".join([*folders, file]))
    return found


def _key(name: str) -> str:
    return re.sub(r"[^\w-]+", "-", name, flags=re.ASCII).strip("-") or "data"


def _text(
    root: Path, datasets: dict[str, dict[str, Path]], systems: dict[str, dict[str, str]]
) -> str:
    lines = [
        "# An experiment: which data, which systems, which settings.",
        "# Run it with: nerscope evaluate nerscope.toml",
        "# All paths are relative to this file. docs/experiments.md explains every key.",
        "",
        "[settings]",
        "intervals = true      # 95 % intervals by resampling sentences",
        "# samples = 10000     # how many resamples",
        "# seed = 0            # the same seed gives the same numbers",
        '# resample = "document"  # if the data has -DOCSTART- lines',
        '# facets = ["tmr", "eLen", "tmr & type=ORG"]  # all standard ones unless told',
        "",
    ]
    for name, splits in datasets.items():
        lines.append(f"[datasets.{name}]")
        lines += [
            f"{split} = {_string(splits[split].relative_to(root).as_posix())}"
            for split in ("train", "test")
            if split in splits
        ]
        lines += ['# options = "token=1,label=2"  # where columns differ from first and last', ""]
    lines.append(
        "[systems]  # a pattern for all datasets ({dataset} is its name), or one for each; "
        "every match is one run"
    )
    if not systems:
        lines.append('# bert = "runs/{dataset}/bert.*.txt"')
    for name, patterns in systems.items():
        inner = ", ".join(
            f"{dataset} = {_string(pattern)}" for dataset, pattern in patterns.items()
        )
        lines.append(f"{name} = {{ {inner} }}")
    lines += ["", "[compare]  # all pairs of systems; leave this table out for no comparison"]
    lines += [
        '# baseline = "NAME"    # each system against this one',
        '# correction = "holm"  # or bonferroni, bh, none',
        "",
    ]
    return "\n".join(lines)


def _string(text: str) -> str:
    """A string as TOML writes it."""
    return json.dumps(text, ensure_ascii=False)
