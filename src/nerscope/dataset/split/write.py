"""The files of a split: its parts, a manifest of all sentences, an experiment file."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Ints
from nerscope.dataset.split.material import Material, options_text, options_to_read
from nerscope.dataset.split.options import SplitSettings
from nerscope.dataset.split.plan import PARTS, TEST, TRAIN, SplitPlan
from nerscope.dataset.split.texts import (
    SentenceTexts,
    context_ranges,
    context_runs,
    join_sentences,
    selected_text,
)
from nerscope.version import VERSION

EXPERIMENT = "nerscope.toml"
MANIFEST = "manifest.json"
ORIGINAL = "original/"  # folder of the original sentences if context joins them


class _Version(NamedTuple):
    """A version of all sentences: joined by context, or original."""

    folder: str
    texts: SentenceTexts
    run: Ints  # by sentence of the sources: the number of the sentence in `texts`


class SplitFolder(NamedTuple):
    """The input of all files in the folder."""

    material: Material
    plan: SplitPlan
    options: SplitSettings  # with the default of `by` filled in
    file_options: Mapping[str, str]  # by split: the options after `FILE::` to read its parts


def plan_folder(material: Material, plan: SplitPlan, options: SplitSettings) -> SplitFolder:
    """Determine the file options that the parts of each split need.

    The parts are made here and again when they are written, so that only one part is in memory at a
    time.
    """
    versions = _versions(material, options.context)
    file_options = {
        split: options_text(
            options_to_read(
                material, (data for _, data in _part_files(material, versions, split, part))
            )
        )
        for split, part in plan.parts.items()
    }
    return SplitFolder(material, plan, options, file_options)


def folder_files(folder: SplitFolder) -> Iterator[tuple[str, bytes]]:
    """The path in the folder and the content of every file."""
    versions = _versions(folder.material, folder.options.context)
    for split, part in folder.plan.parts.items():
        yield from _part_files(folder.material, versions, split, part)
    yield MANIFEST, _manifest(folder).encode()
    yield EXPERIMENT, "\n".join(_experiment(folder)).encode()


def _versions(material: Material, context: int) -> list[_Version]:
    texts, documents = material.texts, material.texts.documents
    original = _Version("", texts, np.arange(len(documents)))
    if context == 1:
        return [original]
    longer = join_sentences(texts, context_ranges(documents, context))
    return [
        _Version("", longer, context_runs(documents, context)),
        original._replace(folder=ORIGINAL),
    ]


def _part_files(
    material: Material, versions: list[_Version], split: str, part: Ints
) -> Iterator[tuple[str, bytes]]:
    for folder, texts, run in versions:
        for number in np.unique(part).tolist():
            text = selected_text(texts, np.unique(run[part == number]))
            yield f"{split}/{folder}{PARTS[number]}.conll", material.encoded(text)


def _manifest(folder: SplitFolder) -> str:
    """The part of every sentence, by its number in its source, counted from 1."""
    origins, source = folder.material.origins, folder.material.source_of_sentence
    position = np.concatenate([np.arange(1, origin.sentences + 1) for origin in origins])
    splits = {
        split: {
            PARTS[number]: [
                _as_ranges(position[(part == number) & (source == place)])
                for place in range(len(origins))
            ]
            for number in np.unique(part).tolist()
        }
        for split, part in folder.plan.parts.items()
    }
    content = {
        "nerscope": VERSION,
        "settings": asdict(folder.options),
        "sources": [origin._asdict() for origin in origins],
        "splits": splits,
    }
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def _as_ranges(numbers: Ints) -> str:
    """Ascending numbers in short form.

    >>> _as_ranges(np.array([1, 2, 3, 7]))
    '1-3,7'
    """
    first = np.flatnonzero(np.diff(numbers, prepend=-1) != 1)
    last = np.append(first[1:], len(numbers))[: len(first)] - 1
    pairs = zip(numbers[first].tolist(), numbers[last].tolist(), strict=True)
    return ",".join(f"{low}-{high}" if high > low else str(low) for low, high in pairs)


def _protocol_lines(folder: SplitFolder) -> list[str]:
    """How the datasets are related: splits of one corpus overlap, domains do not."""
    parts = folder.plan.parts
    if len(parts) == 1:
        return []
    if folder.options.leave_out:
        return ["[protocol]", 'datasets = "domains"', ""]
    ratios = [np.sum(part == TEST) / np.sum(part == TRAIN) for part in parts.values()]
    return ["[protocol]", 'datasets = "splits"', f"ratio = {np.mean(ratios):.4g}", ""]


def _experiment(folder: SplitFolder) -> list[str]:
    context = folder.options.context
    # Systems are evaluated on the original sentences, also if they are trained with context.
    subfolder = ORIGINAL if context > 1 else ""
    lines = [
        "# An experiment over these splits. Add your systems below, then run it with:",
        f"# nerscope evaluate {EXPERIMENT} (nerscope run {EXPERIMENT} if systems must be trained)",
        "# All paths are relative to this file. docs/experiments.md explains every key.",
        "",
        *_protocol_lines(folder),
    ]
    for split, part in folder.plan.parts.items():
        lines.append(f"[datasets.{split}]")
        lines += [
            f'{PARTS[number]} = "{split}/{subfolder}{PARTS[number]}.conll"'
            for number in np.unique(part).tolist()
        ]
        if folder.file_options[split]:
            lines.append(f"options = {json.dumps(folder.file_options[split], ensure_ascii=False)}")
        lines.append("")
    ending = "::sentences=any" if subfolder else ""
    longer = f", context = {context}" if context > 1 else ""
    lines += [
        "[systems]",
        f'# crf = {{ recipe = "crf"{longer} }}  # trained on each split',
        f'# bert = "outputs/{{dataset}}/bert.*.conll{ending}"  # existing outputs',
        "",
    ]
    return lines
