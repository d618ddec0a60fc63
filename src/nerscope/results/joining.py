"""Join two evaluations of the same gold data, and pair their systems."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from nerscope.corpus.units import MENTION, TOKEN
from nerscope.errors import InputError, UsageError, suggest
from nerscope.facets.facet import FACETS
from nerscope.results.conditions import Condition
from nerscope.results.results import Results
from nerscope.scoring.cluster_units import units_in_words
from nerscope.scoring.evidence import Evidence, joined_runs, only_runs, unit_at

NEW, OLD = "new", "baseline"
# Settings that must be equal on both sides, so that only the systems differ.
_SAME = ("repair", "ter", "buckets", "zero_division", "case", "map")


class SystemOnDataset(NamedTuple):
    """A system on a dataset."""

    evidence: Evidence
    system: str


class Pairing(NamedTuple):
    """A system of the results and its counterpart in the baseline; one of them may be missing."""

    dataset: str
    system: str
    new: SystemOnDataset | None
    old: SystemOnDataset | None
    missing: str = ""  # what the results lack: the system or the dataset


def pairings(results: Results, baseline: Results | None, condition: Condition) -> list[Pairing]:
    """The systems and datasets that a condition applies to."""
    new = {part.dataset: part for part in results.evidence}
    old = {part.dataset: part for part in baseline.evidence} if baseline else {}
    names = list(dict.fromkeys([*new, *old]))
    if condition.dataset is not None:
        _check_dataset(condition, names, list(old))
        names = [condition.dataset]
    chosen = [
        pairing
        for name in names
        for pairing in _on_dataset(name, new.get(name), old.get(name), condition)
    ]
    if not chosen:
        known = {system for part in (*new.values(), *old.values()) for system in part.systems}
        raise UsageError(
            condition.place_of("system", condition.system or ""),
            f"it is not in the results for {', '.join(names)}",
            suggest(condition.system or "", known),
        )
    return chosen


def _check_dataset(condition: Condition, names: list[str], old: list[str]) -> None:
    dataset = condition.dataset or ""
    place = condition.at("dataset", f"dataset '{dataset}'")
    if dataset not in names:
        raise UsageError(place, "it is not in the results", suggest(dataset, names))
    if condition.compares and dataset not in old:
        raise UsageError(place, "it is not in the baseline", suggest(dataset, old))


def _on_dataset(
    dataset: str, new: Evidence | None, old: Evidence | None, condition: Condition
) -> Iterator[Pairing]:
    chosen = condition.system
    if new is None or old is None:
        evidence = new or old
        assert evidence is not None
        for system in evidence.systems:
            if chosen in (None, system):
                side = SystemOnDataset(evidence, system)
                if new is None:
                    yield Pairing(dataset, system, None, side, "the dataset is gone")
                else:
                    yield Pairing(dataset, system, side, None)
        return
    for name, old_name in _systems(new, old, condition):
        ours = SystemOnDataset(new, name) if name is not None else None
        theirs = SystemOnDataset(old, old_name) if old_name is not None else None
        gone = "" if ours else "the system is gone"
        yield Pairing(dataset, name or old_name or "", ours, theirs, gone)


def _systems(
    new: Evidence, old: Evidence, condition: Condition
) -> list[tuple[str | None, str | None]]:
    """The names on both sides; systems that are gone come last."""
    chosen = condition.system
    if chosen is not None:
        if condition.compares and chosen in new.systems and chosen not in old.systems:
            raise UsageError(
                condition.place_of("system", chosen),
                f"it is not in the results for {old.dataset} of the baseline",
                suggest(chosen, old.systems),
            )
        here, there = (chosen if chosen in part.systems else None for part in (new, old))
        return [(here, there)] if here or there else []
    # If each side has one system, it is the same project under a new name: bert-v1, bert-v2.
    if len(new.systems) == 1 and len(old.systems) == 1:
        return [(new.systems[0], old.systems[0])]
    if not set(new.systems) & set(old.systems):
        raise UsageError(
            "systems",
            f"{new.systems} and {old.systems} have no name in common",
            "give the systems the same name in both evaluations",
        )
    present = [(name, name if name in old.systems else None) for name in new.systems]
    return [*present, *((None, name) for name in old.systems if name not in new.systems)]


def join_pair(new: SystemOnDataset, old: SystemOnDataset) -> Evidence:
    """The joint evidence of both systems; raise an error if their gold data differ."""
    check_comparable(new.evidence, old.evidence)
    return joined_runs([_renamed(new, NEW), _renamed(old, OLD)])


def joint_version(parts: Sequence[Evidence]) -> str:
    """The versions of nerscope that made these parts, as in a signature: 0.2.0+0.3.0."""
    return "+".join(dict.fromkeys(part.signature.version for part in parts))


def version_note(dataset: str, versions: Sequence[str]) -> str:
    """A note on results that were made by several versions of nerscope."""
    return (
        f"{dataset}: the results were made by nerscope {' and '.join(versions)}, "
        "with the same settings"
    )


def check_comparable(ours: Evidence, theirs: Evidence) -> None:
    """Raise an InputError unless both were evaluated on the same data with the same settings."""
    _check_settings(ours, theirs)
    if (ours.folded is None) != (theirs.folded is None):
        raise InputError(
            ours.dataset,
            "either the results or the baseline keep only sums, the other single mentions",
            "evaluate both with --keep-mentions, or both without",
        )
    units = [part.folded.unit for part in (ours, theirs) if part.folded is not None]
    if len(set(units)) > 1:
        raise InputError(
            ours.dataset,
            f"the results keep sums over groups of {units_in_words(units[0])}, the baseline "
            f"over groups of {units_in_words(units[1])}",
            "evaluate both with the same --resample",
        )
    if len(ours.documents) != len(theirs.documents) or not _same_units(ours, theirs):
        raise InputError(
            ours.dataset,
            "results and baseline were made on different gold data or training data",
            "evaluate both with the same test and training files",
        )


def _check_settings(new: Evidence, old: Evidence) -> None:
    for setting in _SAME:
        ours, theirs = (getattr(part.signature, setting) for part in (new, old))
        # The order of --map and --drop has no effect.
        if ours != theirs and (setting != "map" or _parts(ours) != _parts(theirs)):
            same = "--map and --drop" if setting == "map" else "options"
            raise InputError(
                new.dataset,
                f"the results have {setting} {ours}, the baseline {theirs}",
                f"evaluate both with the same {same}",
            )
    policies = [part.signature.answers for part in (new, old)]
    # A side without answers of language models has no policy.
    if "none" not in policies and not _parts(policies[0]) & _parts(policies[1]):
        raise InputError(
            new.dataset,
            f"the results have the answer policy {policies[0]}, the baseline {policies[1]}",
            "evaluate both with the same FILE::policy=NAME",
        )
    for side, here, there in (("baseline", old, new), ("results", new, old)):
        lacking = [name for name in there.facets if name not in here.facets]
        if lacking:
            trained = needs_train(lacking) and not needs_train(here.facets)
            raise InputError(
                new.dataset,
                f"facets missing in the {side}: {', '.join(lacking)}",
                f"evaluate both with the same {'--train FILE' if trained else 'options'}",
            )


def needs_train(facets: Iterable[str]) -> bool:
    """Whether one of these facets compares with training data."""
    return any(name in FACETS and FACETS[name].needs_train for name in facets)


def _parts(setting: str) -> set[str]:
    return set(setting.split("+"))


def _same_units(new: Evidence, old: Evidence) -> bool:
    """Whether the gold units are the same, in the same levels."""
    for unit, ledger in new.ledgers.items():
        if unit not in old.ledgers:
            return False
        ours, theirs = ledger.gold, old.ledgers[unit].gold
        pairs = [(ours.sentence, theirs.sentence), (ours.weight, theirs.weight)]
        pairs += [(ours.start, theirs.start), (ours.length, theirs.length)]
        pairs += [(ours.codes[facet], theirs.codes.get(facet)) for facet in ours.codes]
        if not all(
            np.array_equal(a, b) if a is not None and b is not None else a is b for a, b in pairs
        ):
            return False
        if unit_at(unit) != TOKEN and [new.types[kind] for kind in ours.type] != [
            old.types[kind] for kind in theirs.type
        ]:
            return False
    return True


def _renamed(side: SystemOnDataset, name: str) -> Evidence:
    part = only_runs(side.evidence, side.evidence.runs_of(side.system))
    return replace(part, runs=tuple((name, number) for _, number in part.runs))


def join_results(
    first: Results, second: Results, name: str, other_name: str
) -> tuple[Results, list[tuple[str, str]]]:
    """The joint results, with file names after equal system names, and the pairs to compare.

    For a system in both, the newer results (the second file) come first.
    """
    if Path(name).resolve() == Path(other_name).resolve():
        raise InputError(name, "it is given twice", "give two files of results")
    shared = {part.dataset: part for part in second.evidence}
    pairs = [(part, shared[part.dataset]) for part in first.evidence if part.dataset in shared]
    if not pairs:
        raise InputError(
            other_name,
            f"it has none of the datasets of {name}",
            "evaluate both on the same data, with the same --dataset NAME",
        )
    protocol = first.protocol or second.protocol
    if second.protocol not in (None, protocol):
        raise InputError(
            other_name,
            f"its [protocol] differs from the one of {name}",
            "evaluate both with the same [protocol]",
        )
    both = [system for system in first.systems if system in second.systems]
    if Path(name).stem != Path(other_name).stem:
        name, other_name = Path(name).stem, Path(other_name).stem
    evidence = []
    for mine, theirs in pairs:
        check_comparable(mine, theirs)
        parts = [_with_file_names(mine, both, name), _with_file_names(theirs, both, other_name)]
        joined = joined_runs(parts)
        matches = _common_matches(joined, (mine, theirs), (name, other_name))
        signature = replace(joined.signature, version=joint_version([mine, theirs]))
        if mine.signature.match != theirs.signature.match:
            signature = replace(signature, match="+".join(matches))
        evidence.append(replace(joined, signature=signature))
    versions = [(f"{system} ({other_name})", f"{system} ({name})") for system in both]
    crossed = [(theirs, mine) for theirs in second.systems for mine in first.systems]
    losses = [*first.losses, *second.losses]
    return Results(evidence, losses, protocol=protocol), versions or crossed


def _common_matches(
    joined: Evidence, parts: tuple[Evidence, Evidence], names: tuple[str, str]
) -> list[str]:
    """The matches of mentions that both results have; raise an InputError if none."""
    of_mentions = (table for table in joined.tables if table.unit == MENTION)
    matches = list(dict.fromkeys(match for table in of_mentions for match in table.matches))
    if not matches:
        mine, theirs = (part.signature.match for part in parts)
        raise InputError(
            names[1],
            f"it was evaluated with the match {theirs}, {names[0]} with {mine}",
            "evaluate both with the same --match",
        )
    return matches


def _with_file_names(evidence: Evidence, both: list[str], name: str) -> Evidence:
    runs = tuple(
        (f"{system} ({name})" if system in both else system, number)
        for system, number in evidence.runs
    )
    return replace(evidence, runs=runs)
