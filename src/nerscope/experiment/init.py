"""Write a first experiment file from the files in a folder."""

import glob
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from nerscope.errors import InputError
from nerscope.formats.packing import without_packing

_ENDINGS = {".conll", ".txt", ".tsv", ".bio", ".iob", ".iob2", ".conllu"}
# A split is a whole word of the name: constrained.conll is no training data.
_SPLITS = {
    split: re.compile(rf"(?<![a-z])({words})(?![a-z])", re.IGNORECASE)
    for split, words in (
        ("train", "train(ing)?"),
        ("dev", "dev(elopment)?|valid(ation)?|testa"),
        ("test", "testb?"),
    )
}


def starter_text(folder: str | Path) -> str:
    """The text of an experiment file for the data and outputs in a folder."""
    root = Path(folder)
    if not root.is_dir():
        raise InputError(str(folder), "no such folder", "give the folder of the data")
    files = sorted(path for path in root.rglob("*") if _is_data(path, root))
    datasets = _datasets(root, files)
    if not datasets:
        raise InputError(
            str(folder),
            "no file with 'test' in its name",
            "rename the test file, or write the experiment file by hand (docs/experiments.md)",
        )
    outputs = [path for path in files if _split_of(path) is None]
    systems = _systems(root, outputs, datasets)
    return _text(root, datasets, systems)


def _is_data(path: Path, root: Path) -> bool:
    hidden = any(part.startswith(".") for part in path.relative_to(root).parts)
    return path.is_file() and not hidden and Path(without_packing(path.name)).suffix in _ENDINGS


def _split_of(path: Path) -> str | None:
    """The split in the name of a file; such a file is data, never the output of a system."""
    stem = without_packing(path.name).rsplit(".", 1)[0]
    return next((split for split, pattern in _SPLITS.items() if pattern.search(stem)), None)


def _datasets(root: Path, files: Iterable[Path]) -> dict[str, dict[str, Path]]:
    """The datasets with a test file: one per folder, or one per prefix (a-train, b-train)."""
    folders: dict[Path, dict[str, dict[str, Path]]] = {}
    for path in files:
        split = _split_of(path)
        if split:
            stem = without_packing(path.name).rsplit(".", 1)[0]
            prefix = _SPLITS[split].sub("", stem).strip("._- ")
            folders.setdefault(path.parent, {}).setdefault(prefix, {}).setdefault(split, path)
    tested = [
        (folder, prefix if len(groups) > 1 else "", splits)
        for folder, groups in folders.items()
        for prefix, splits in groups.items()
        if "test" in splits
    ]
    names = _distinct([_path_of_names(root, folder, prefix) for folder, prefix, _ in tested])
    return {name: splits for name, (_, _, splits) in zip(names, tested, strict=True)}


def _path_of_names(root: Path, folder: Path, prefix: str) -> list[str]:
    """The names for a dataset: the prefix of its files, then its folders, innermost first."""
    folders = [root.resolve().name, *folder.relative_to(root).parts]
    return [_key(name) for name in (*folders, prefix) if name][::-1]


def _distinct(paths: Sequence[Sequence[str]]) -> list[str]:
    """A unique name for each path, made of as few of its first names as possible.

    Paths are given from the end: [en, dev] and [en, test] become dev-en and test-en.
    """
    depths, names = [1] * len(paths), list[str]()
    for _ in range(sum(map(len, paths))):
        names = ["-".join(path[:depth][::-1]) for path, depth in zip(paths, depths, strict=True)]
        again = [
            place
            for place, name in enumerate(names)
            if names.count(name) > 1 and depths[place] < len(paths[place])
        ]
        if not again:
            break
        for place in again:
            depths[place] += 1
    return [
        name if names.count(name) == 1 else f"{name}-{place + 1}"
        for place, name in enumerate(names)
    ]


def _systems(
    root: Path, files: Sequence[Path], datasets: Mapping[str, Mapping[str, Path]]
) -> dict[str, dict[str, str]]:
    """The output patterns by system and dataset; files are named NAME.RUN.txt or NAME.txt.

    A second pattern for the same system and dataset (in another folder, with another ending) is
    another system.
    """
    patterns: dict[str, dict[str, str]] = {}
    for path in files:
        name, pattern = _pattern(root, path)
        dataset = _dataset_of(root, path, datasets)
        folders = [_key(part) for part in path.relative_to(root).parts[-2::-1]]
        ending = without_packing(path.name).rsplit(".", 1)[-1]
        key = _key(name)
        for more in (*folders, ending, path.name):
            if patterns.get(key, {}).get(dataset, pattern) == pattern:
                break
            key = f"{key}-{_key(more)}"
        patterns.setdefault(key, {})[dataset] = pattern
    return patterns


def _pattern(root: Path, path: Path) -> tuple[str, str]:
    """The system of an output, and the pattern of its runs; a run is a number."""
    stem = without_packing(path.name).rsplit(".", 1)[0]
    folder = "".join(f"{glob.escape(part)}/" for part in path.relative_to(root).parts[:-1])
    run = re.fullmatch(r"(.+?)([._-](?:run|seed)?)\d+", stem, re.IGNORECASE)
    if not run:
        return stem, folder + glob.escape(path.name)
    ending = glob.escape(path.name[len(stem) :])
    return run[1], f"{folder}{glob.escape(run[1] + run[2])}[0-9]*{ending}"


def _dataset_of(root: Path, path: Path, datasets: Mapping[str, Mapping[str, Path]]) -> str:
    """The dataset of an output.

    This is the dataset whose folder contains it, or else the one that shares the most names with
    its path, or else the first one.
    """
    folders = path.relative_to(root).parts[:-1]
    words = {*map(_key, folders), *re.split(r"[._-]", path.name)}

    def nearness(name: str) -> tuple[bool, int, int]:
        folder = datasets[name]["test"].relative_to(root).parts[:-1]
        inside = bool(folder) and folders[: len(folder)] == folder
        shared = len(words & {name, *map(_key, folder)})
        return inside, len(folder) if inside else shared, shared

    return max(datasets, key=nearness)


def _key(name: str) -> str:
    return re.sub(r"[^\w-]+", "-", name, flags=re.ASCII).strip("-") or "data"


def _text(
    root: Path, datasets: dict[str, dict[str, Path]], systems: dict[str, dict[str, str]]
) -> str:
    lines = [
        "# An experiment: settings, datasets and systems.",
        "# Run it with: nerscope evaluate nerscope.toml",
        "# All paths are relative to this file. docs/experiments.md explains every key.",
        "",
        "[settings]",
        "intervals = true      # 95 % intervals",
        "# samples = 10000     # random permutations in the test of a comparison",
        "# seed = 0            # the same seed gives the same numbers",
        '# resample = "sentence"  # default: document, if documents are marked',
        '# facets = ["tmr", "eLen", "tmr & type=ORG"]  # default: all standard facets',
        "",
    ]
    for name, splits in datasets.items():
        lines.append(f"[datasets.{name}]")
        lines += [
            f"{split} = {_string(splits[split].relative_to(root).as_posix())}"
            for split in ("train", "test")
            if split in splits
        ]
        lines += ['# options = "token=1,label=2"  # default: the first and the last column', ""]
    lines.append(
        "[systems]  # one pattern for all datasets ({dataset} is the name), or one per dataset; "
        "every file that matches is one run"
    )
    if not systems:
        lines.append('# bert = "runs/{dataset}/bert.*.txt"')
    for name, patterns in systems.items():
        inner = ", ".join(
            f"{dataset} = {_string(pattern)}" for dataset, pattern in patterns.items()
        )
        lines.append(f"{name} = {{ {inner} }}")
    lines += ["", "[compare]  # all pairs of systems; remove this table for no comparison"]
    lines += [
        '# baseline = "NAME"    # compare each system with this one',
        '# correction = "step-down"  # or holm, bonferroni, bh, none',
        "",
    ]
    return "\n".join(lines)


def _string(text: str) -> str:
    """A string as TOML writes it."""
    return json.dumps(text, ensure_ascii=False)
