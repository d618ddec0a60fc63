"""What a split leaves behind: files, a manifest that tells what went where, an experiment file."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from nerscope.corpus.arrays import Ints
from nerscope.dataset.split.context import context_ranges, context_runs
from nerscope.dataset.split.material import Material
from nerscope.dataset.split.options import needed_options, options_text
from nerscope.dataset.split.pieces import Pieces, joined_pieces, part_text
from nerscope.dataset.split.plan import PARTS, TEST, TRAIN
from nerscope.version import VERSION

EXPERIMENT = "nerscope.toml"
ORIGINAL = "original/"  # where sentences are as they were, if larger context makes them longer


class _Layer(NamedTuple):
    """One way to write all sentences: in which folder, and the piece that each belongs to."""

    folder: str
    pieces: Pieces
    run: Ints


def files_of(
    material: Material,
    parts: Mapping[str, Ints],
    settings: Mapping[str, Any],
    options: dict[str, str],
) -> Iterator[tuple[str, bytes]]:
    """Every file of the folder, by its path in it; the options of each split's files are noted."""
    layers = _layers(material, settings["context"])
    for split, part in parts.items():
        files = dict(_part_files(material, layers, split, part))
        options[split] = options_text(needed_options(material.said, material.way, files.values()))
        yield from files.items()
    yield "manifest.json", _manifest(material, parts, settings).encode()
    folder = ORIGINAL if len(layers) > 1 else ""
    about = (options, _relation(parts, settings), settings["context"])
    yield EXPERIMENT, "\n".join(_experiment(parts, folder, *about)).encode()


def _layers(material: Material, context: int) -> list[_Layer]:
    pieces, documents = material.pieces, material.pieces.documents
    plain = _Layer("", pieces, np.arange(len(documents)))
    if context == 1:
        return [plain]
    longer = joined_pieces(pieces, context_ranges(documents, context))
    run = context_runs(documents, context)
    return [_Layer("", longer, run), plain._replace(folder=ORIGINAL)]


def _part_files(
    material: Material, layers: list[_Layer], split: str, part: Ints
) -> Iterator[tuple[str, bytes]]:
    for folder, pieces, run in layers:
        for number in np.unique(part).tolist():
            text = part_text(pieces, np.unique(run[part == number]))
            yield f"{split}/{folder}{PARTS[number]}.conll", material.encoded(text)


def _manifest(material: Material, parts: Mapping[str, Ints], settings: Mapping[str, Any]) -> str:
    """Where every sentence went; numbers are those of the sentences in each source, from 1 on."""
    source = material.source
    position = np.concatenate([np.arange(1, one.sentences + 1) for one in material.origins])
    splits = {
        split: {
            PARTS[number]: [
                _as_ranges(position[(part == number) & (source == place)])
                for place in range(len(material.origins))
            ]
            for number in np.unique(part).tolist()
        }
        for split, part in parts.items()
    }
    content = {
        "nerscope": VERSION,
        "settings": dict(settings),
        "sources": [one._asdict() for one in material.origins],
        "splits": splits,
    }
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def _as_ranges(numbers: Ints) -> str:
    """Numbers in order, written short.

    >>> _as_ranges(np.array([1, 2, 3, 7]))
    '1-3,7'
    """
    first = np.flatnonzero(np.diff(numbers, prepend=-1) != 1)
    last = np.append(first[1:], len(numbers))[: len(first)] - 1
    pairs = zip(numbers[first].tolist(), numbers[last].tolist(), strict=True)
    return ",".join(f"{low}-{high}" if high > low else str(low) for low, high in pairs)


def _relation(parts: Mapping[str, Ints], settings: Mapping[str, Any]) -> list[str]:
    """What the datasets are to each other: splits of one corpus overlap, domains do not."""
    if len(parts) == 1:
        return []
    if settings["leave_out"]:
        return ["[protocol]", 'datasets = "domains"', ""]
    shares = [np.sum(part == TEST) / np.sum(part == TRAIN) for part in parts.values()]
    return ["[protocol]", 'datasets = "splits"', f"ratio = {np.mean(shares):.4g}", ""]


def _experiment(
    parts: Mapping[str, Ints],
    folder: str,
    options: Mapping[str, str],
    relation: list[str],
    context: int,
) -> list[str]:
    lines = [
        "# An experiment over these splits. Name your systems below, then run it with:",
        f"# nerscope evaluate {EXPERIMENT}, or, where systems are to be trained, nerscope run",
        "# All paths are relative to this file. docs/experiments.md explains every key.",
        "",
        *relation,
    ]
    for split, part in parts.items():
        lines.append(f"[datasets.{split}]")
        lines += [
            f'{PARTS[number]} = "{split}/{folder}{PARTS[number]}.conll"'
            for number in np.unique(part).tolist()
        ]
        lines += [f"options = {json.dumps(options[split], ensure_ascii=False)}"] * bool(
            options[split]
        )
        lines.append("")
    ending = "::sentences=any" if folder else ""
    longer = f", context = {context}" if context > 1 else ""
    lines += [
        "[systems]",
        f'# crf = {{ recipe = "crf"{longer} }}  # trained on each split',
        f'# bert = "outputs/{{dataset}}/bert.*.conll{ending}"  # outputs that are there',
        "",
    ]
    return lines
