"""Results of two evaluations of the same gold data, as one."""

from dataclasses import replace
from pathlib import Path

from nerscope.errors import InputError
from nerscope.results.pairing import check_same, joint_version
from nerscope.results.results import Results
from nerscope.scoring.evidence import Evidence, joined_runs


def joined_results(
    one: Results, other: Results, name: str, other_name: str
) -> tuple[Results, list[tuple[str, str]]]:
    """Both, with systems of the same name told apart by their files; and the pairs to compare.

    Of a system that both have, the newer results (the second file) come first.
    """
    if Path(name).resolve() == Path(other_name).resolve():
        raise InputError(name, "it is given twice", "give two files of results")
    shared = {part.dataset: part for part in other.evidence}
    pairs = [(part, shared[part.dataset]) for part in one.evidence if part.dataset in shared]
    if not pairs:
        raise InputError(
            other_name,
            f"it has none of the datasets of {name}",
            "evaluate both on the same data, and name datasets alike with --dataset",
        )
    protocol = one.protocol or other.protocol
    if other.protocol not in (None, protocol):
        raise InputError(
            other_name,
            f"it says something else of its datasets than {name}",
            "evaluate both with the same [protocol]",
        )
    both = [system for system in one.systems if system in other.systems]
    if Path(name).stem != Path(other_name).stem:
        name, other_name = Path(name).stem, Path(other_name).stem
    evidence = []
    for mine, theirs in pairs:
        check_same(mine, theirs)
        parts = [_told_apart(mine, both, name), _told_apart(theirs, both, other_name)]
        joined = joined_runs(parts)
        signature = replace(joined.signature, version=joint_version([mine, theirs]))
        evidence.append(replace(joined, signature=signature))
    versions = [(f"{system} ({other_name})", f"{system} ({name})") for system in both]
    crossed = [(theirs, mine) for theirs in other.systems for mine in one.systems]
    losses = [*one.losses, *other.losses]
    return Results(evidence, losses, protocol=protocol), versions or crossed


def _told_apart(evidence: Evidence, both: list[str], name: str) -> Evidence:
    runs = tuple(
        (f"{system} ({name})" if system in both else system, number)
        for system, number in evidence.runs
    )
    return replace(evidence, runs=runs)
