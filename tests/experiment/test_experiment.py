"""Experiment files: what they say, and that a cache, workers or an order never move a number."""

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from tests.scoring.toys import Corpus, corpus, drawn, noisy, write

import nerscope
from nerscope.errors import InputError, NerscopeError, UsageError
from nerscope.experiment.cache import Cache
from nerscope.experiment.config import Experiment
from nerscope.formats.base import path_of
from nerscope.registry import load_plugins
from nerscope.results.compare import Comparison
from nerscope.results.protocol import Protocol
from nerscope.results.results import Results

GOLD, TRAIN = drawn(25, seed=1), drawn(25, seed=2)
HEAD = '[datasets.d]\ntest = "test.txt"\ntrain = "train.txt"\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A dataset, two runs of x and one of y."""
    write(tmp_path / "test.txt", GOLD)
    write(tmp_path / "train.txt", TRAIN)
    for name, rate, seed in [("x.1", 0.1, 3), ("x.2", 0.2, 4), ("y.1", 0.4, 5)]:
        write(tmp_path / "runs" / "d" / f"{name}.txt", noisy(GOLD, rate, seed))
    return tmp_path


STANDARD = (
    HEAD
    + '[systems]\nx = "runs/{dataset}/x.*.txt"\ny = "runs/{dataset}/y.*.txt"\n'
    + "[settings]\nsamples = 30\n[compare]\n"
)


def loaded(folder: Path, text: str = STANDARD) -> Experiment:
    path = folder / "nerscope.toml"
    path.write_text(text, encoding="utf-8")
    return nerscope.load_experiment(path)


def everything(found: tuple[Results, Comparison | None]) -> tuple[Any, ...]:
    results, comparison = found
    assert comparison is not None
    return results.rows, results.settings, results.losses, comparison.rows, comparison.notes


def test_every_key_is_understood(folder: Path) -> None:
    text = """
        [datasets.d]
        test = "test.txt"
        train = "train.txt"
        options = "separator=space"
        [systems]
        x = "runs/d/x.*.txt::token=0,label=-1"
        [settings]
        facets = ["tmr", "eLen"]
        matches = ["exact"]
        metrics = ["recall"]
        repair = "strict"
        token_repair = "conlleval"
        token_match = "io"
        zero_division = 0
        buckets = 3
        bucketing = "equal-width"
        case = "fold"
        edges = { eLen = [1, 2] }
        samples = 7
        seed = 3
        resample = "sentence"
        intervals = false
        [compare]
        baseline = "x"
        method = "randomisation"
        correction = "bh"
    """
    found = loaded(folder, text)
    assert found.settings == nerscope.Settings.of(
        {
            "facets": ["tmr", "eLen"],
            "matches": ["exact"],
            "metrics": ["recall"],
            "repair": "strict",
            "token_repair": "conlleval",
            "token_match": "io",
            "zero_division": 0,
            "buckets": 3,
            "bucketing": "equal-width",
            "case": "fold",
            "edges": {"eLen": [1, 2]},
        }
    )
    assert found.sampling == nerscope.Sampling("sentence", 7, 3)
    assert (found.intervals, found.comparison) == (
        False,
        {"baseline": "x", "method": "randomisation", "correction": "bh"},
    )
    (dataset,) = found.datasets
    assert dataset.test == f"{folder / 'test.txt'}::separator=space"
    assert dataset.train == (f"{folder / 'train.txt'}::separator=space",)
    # what a file says of itself stands instead of what the dataset says
    assert dataset.systems["x"] == [
        f"{folder / 'runs' / 'd' / name}::token=0,label=-1" for name in ("x.1.txt", "x.2.txt")
    ]
    assert found.inputs == [dataset.test, *dataset.train, *dataset.systems["x"]]


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        # misspelt keys, with their line
        ("[dataset.d]\n", ":1", "unknown key 'dataset'. Fix: did you mean 'datasets'"),
        (
            HEAD + 'tets = "x"\n[systems]\nx = "x"\n',
            ":4",
            r"unknown key 'tets' in \[datasets.d\]. Fix: did you mean 'test'",
        ),
        (
            HEAD + '[systems]\nx = "x"\n[settings]\nsample = 3\n',
            ":7",
            r"unknown key 'sample' in \[settings\]. Fix: did you mean 'samples'",
        ),
        (HEAD + '[systems]\nx = "x"\n[compare]\nbase = "x"\n', ":7", "did you mean 'baseline'"),
        (HEAD + 'deev = "test.txt"\n[systems]\nx = "x"\n', ":4", "unknown key 'deev'"),
        (HEAD + '[systems.x]\nrecipie = "crf"\n', ":4", "did you mean 'recipe'"),
        (HEAD + "[systems]\nx = 3\n", ":5", "invalid value 3 for system 'x'"),
        ('# tets = 1\n[datasets.d]\ntets = "x"\n[systems]\nx = "x"\n', ":3", "unknown key 'tets'"),
        # not a table
        ("settings = 3\n", ":1", "'settings' is not a table"),
        ("systems = 3\n", ":1", "'systems' is not a table"),
        # not TOML
        ("[datasets", "", "invalid TOML"),
        ("x = [1, 2", "", "invalid TOML"),
        # something is missing
        ("", "", "no dataset is defined"),
        ('[systems]\nx = "x"\n', "", "no dataset is defined"),
        (HEAD, "", "no system is defined"),
        (
            '[datasets.d]\ntrain = "train.txt"\n[systems]\nx = "x"\n',
            ":1",
            "dataset 'd' has no test file",
        ),
        (HEAD + '[systems]\nx = "nowhere.*"\n', ":1", "no output of any system for 'd'"),
        # values that do not exist
        (
            HEAD + '[systems]\nx = "test.txt"\n[settings]\nrepair = "conleval"\n',
            "",
            "did you mean 'conlleval'",
        ),
        # what datasets are to each other
        *(
            (HEAD + '[systems]\nx = "test.txt"\n[protocol]\n' + line, ":6", message)
            for line, message in [
                ('datasets = "folds"', r"\[protocol\]: unknown kind of datasets 'folds'"),
                ('datasets = "splits"', r"\[protocol\]: splits overlap, and no ratio was given"),
                ('datasets = "drawn"\nratio = 0.2', r"\[protocol\]: only splits have a ratio"),
            ]
        ),
        (
            HEAD + '[systems]\nx = "test.txt"\n[protocol]\nratio = "1/4"',
            ":7",
            r"invalid value '1/4' for 'ratio' in \[protocol\]",
        ),
        # tables that are none
        ("compare = 3\n" + HEAD + '[systems]\nx = "test.txt"\n', "", "'compare' is not a table"),
        ('[datasets]\nd = "test.txt"\n[systems]\nx = "test.txt"\n', "", "'d' is not a table"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_with_its_place(
    folder: Path, text: str, place: str, message: str
) -> None:
    with pytest.raises(NerscopeError, match=message) as caught:
        loaded(folder, text)
    assert place in caught.value.place


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('samples = "many"', "samples"),
        ("samples = 0", "samples"),
        ('intervals = "no"', "intervals"),
        ('buckets = "4"', "buckets"),
    ],
)
def test_a_setting_of_the_wrong_type_is_refused(folder: Path, line: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        nerscope.run_experiment(
            loaded(folder, HEAD + f'[systems]\nx = "test.txt"\n[settings]\n{line}\n')
        )


@pytest.mark.slow(quick=2)
@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        ("", None),
        ("[protocol]\n", None),
        ('[protocol]\ndatasets = "splits"\nratio = 0.25\n', Protocol("splits", 0.25)),
        ('[protocol]\ndatasets = "domains"\n', Protocol("domains")),
    ],
)
@pytest.mark.parametrize("intervals", ["true", "false"])
def test_what_datasets_are_to_each_other_reaches_results_and_comparison(
    folder: Path, lines: str, wanted: Protocol | None, intervals: str
) -> None:
    settings = f"[settings]\nintervals = {intervals}\n"
    experiment = loaded(folder, STANDARD.replace("[settings]\n", settings) + lines)
    results, comparison = nerscope.run_experiment(experiment)
    assert comparison is not None
    assert experiment.protocol == results.protocol == comparison.protocol == wanted
    assert comparison.settings.get("over") == (wanted and wanted.datasets)


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        nerscope.load_experiment(tmp_path / "nothing.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="invalid TOML"):
        nerscope.load_experiment(tmp_path / "bytes.toml")


def test_runs_are_numbered_in_the_order_of_their_numbers(folder: Path) -> None:
    for number in (10, 9, 1, 2):
        write(folder / "z" / f"run{number}.txt", GOLD)
    found = loaded(folder, HEAD + '[systems]\nz = "z/run*.txt"\n')
    assert [Path(path_of(file)).name for file in found.datasets[0].systems["z"]] == [
        "run1.txt",
        "run2.txt",
        "run9.txt",
        "run10.txt",
    ]


def test_patterns_may_differ_between_datasets(folder: Path) -> None:
    write(folder / "test2.txt", GOLD)
    text = (
        HEAD
        + '[datasets.e]\ntest = "test2.txt"\n'
        + '[systems]\nx = { d = "runs/d/x.1.txt" }\ny = "runs/d/y.*.txt"\n'
    )
    found = loaded(folder, text)
    assert [(one.name, list(one.systems), not one.train) for one in found.datasets] == [
        ("d", ["x", "y"], False),
        ("e", ["y"], True),
    ]
    assert found.notes == []  # the table says so itself
    outputs = loaded(
        folder, HEAD + f'[systems]\nx = "{folder.as_posix()}/runs/d/x.*.txt"\nz = "no*.txt"\n'
    )
    assert len(outputs.datasets[0].systems["x"]) == 2
    assert outputs.notes == ["d: no file of z matches no*.txt; the system is left out here"]


def test_an_experiment_gives_the_rows_of_its_evaluations(folder: Path) -> None:
    said: list[str] = []
    results, comparison = nerscope.run_experiment(loaded(folder), say=said.append)
    alone = nerscope.evaluate(
        str(folder / "test.txt"),
        {
            "x": [str(folder / "runs/d/x.1.txt"), str(folder / "runs/d/x.2.txt")],
            "y": str(folder / "runs/d/y.1.txt"),
        },
        train=str(folder / "train.txt"),
        dataset="d",
        intervals=nerscope.Sampling(samples=30),
    )
    assert results.rows == alone.rows
    assert results.signature == alone.signature
    assert results.settings["facets"] == alone.settings["facets"]
    assert comparison is not None
    assert comparison.rows == nerscope.compare(alone, "x", "y", samples=30).rows
    assert said == [
        "d: 3 runs of 2 systems",
        "d: intervals of 2 systems",
        "d: comparisons of 1 pairs",
    ]


def test_without_comparison_and_intervals_nothing_is_resampled(folder: Path) -> None:
    text = HEAD + '[systems]\nx = "runs/d/x.*.txt"\n[settings]\nintervals = false\n'
    results, comparison = nerscope.run_experiment(loaded(folder, text))
    assert comparison is None
    assert all("low" not in row for row in results.rows)
    assert "samples" not in results.signature


def test_a_baseline_is_compared_with_everybody(folder: Path) -> None:
    text = STANDARD.replace("[compare]", '[compare]\nbaseline = "x"')
    _, comparison = nerscope.run_experiment(loaded(folder, text))
    assert comparison is not None
    assert {(row["system_a"], row["system_b"]) for row in comparison.rows} == {("y", "x")}


class Counting:
    """Tells which runs are scored, and which systems are resampled."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.scored: list[tuple[str, str]] = []
        self.resampled: list[Any] = []
        module = import_module("nerscope.experiment.run")
        score, bound = module._score_share, module.bounds_of
        compare = module.compared_cells

        def counted_score(state: Any, runs: Any) -> Any:
            self.scored += runs
            return score(state, runs)

        def counted_bounds(evidence: Any, systems: Any, sampling: Any) -> Any:
            self.resampled += systems
            return bound(evidence, systems, sampling)

        def counted_cells(evidence: Any, pairs: Any, *options: Any) -> Any:
            self.resampled += [f"{a}-{b}" for a, b in pairs]
            return compare(evidence, pairs, *options)

        patch.setattr(module, "_score_share", counted_score)
        patch.setattr(module, "bounds_of", counted_bounds)
        patch.setattr(module, "compared_cells", counted_cells)

    def taken(self) -> tuple[list[tuple[str, str]], list[Any]]:
        counted = self.scored, self.resampled
        self.scored, self.resampled = [], []
        return counted


@pytest.mark.slow
def test_a_cache_changes_no_number_and_only_what_changed_is_done_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = Counting(monkeypatch)
    without = everything(nerscope.run_experiment(loaded(folder)))
    assert work.taken() == ([("x", "1"), ("x", "2"), ("y", "1")], ["x", "y", "x-y"])
    cache = Cache(folder / "cache")
    assert everything(nerscope.run_experiment(loaded(folder), cache=cache)) == without
    assert work.taken() == ([("x", "1"), ("x", "2"), ("y", "1")], ["x", "y", "x-y"])
    assert everything(nerscope.run_experiment(loaded(folder), cache=cache)) == without
    assert work.taken() == ([], [])
    # one run changes
    write(folder / "runs" / "d" / "x.2.txt", noisy(GOLD, 0.3, 9))
    changed = everything(nerscope.run_experiment(loaded(folder)))
    assert changed != without
    work.taken()
    assert everything(nerscope.run_experiment(loaded(folder), cache=cache)) == changed
    assert work.taken() == ([("x", "2")], ["x", "x-y"])
    # a baseline changes: of the pair, the other way round
    turned = loaded(folder, STANDARD.replace("[compare]", '[compare]\nbaseline = "x"'))
    nerscope.run_experiment(turned, cache=cache)
    assert work.taken() == ([], ["y-x"])
    # without a comparison, the intervals are known
    nerscope.run_experiment(loaded(folder, STANDARD.replace("[compare]", "")), cache=cache)
    assert work.taken() == ([], [])
    # a setting changes
    loaded_again = loaded(folder, STANDARD.replace("samples = 30", "samples = 31"))
    nerscope.run_experiment(loaded_again, cache=cache)
    assert work.taken() == ([], ["x", "y", "x-y"])
    nerscope.run_experiment(
        loaded(folder, STANDARD.replace("samples = 30", "samples = 30\nbuckets = 3")), cache=cache
    )
    assert len(work.taken()[0]) == 3


def test_training_files_in_a_list_are_one_training_set(folder: Path) -> None:
    write(folder / "a.txt", TRAIN[:10])
    write(folder / "b.txt", TRAIN[10:])
    parts = STANDARD.replace('"train.txt"', '["a.txt", "b.txt"]')
    assert [path_of(text) for text in loaded(folder, parts).datasets[0].train] == [
        str(folder / "a.txt"),
        str(folder / "b.txt"),
    ]
    whole, joined = (nerscope.run_experiment(loaded(folder, text)) for text in (STANDARD, parts))
    assert joined[0].rows == whole[0].rows


@pytest.mark.parametrize("value", ["[]", "[3]", '["train.txt", ["a.txt"]]', "3", "true"])
def test_other_training_data_are_refused(folder: Path, value: str) -> None:
    with pytest.raises(UsageError, match=r":3: .*train"):
        loaded(folder, STANDARD.replace('"train.txt"', value))


def test_each_training_file_is_part_of_what_the_cache_knows(folder: Path) -> None:
    write(folder / "more.txt", drawn(5, seed=60))
    text, cache = STANDARD.replace('"train.txt"', '["train.txt", "more.txt"]'), Cache(folder / "c")
    nerscope.run_experiment(loaded(folder, text), cache=cache)
    write(folder / "more.txt", drawn(25, seed=50))
    again = nerscope.run_experiment(loaded(folder, text), cache=cache)
    assert again[0].rows == nerscope.run_experiment(loaded(folder, text))[0].rows


def test_the_training_data_is_part_of_what_the_cache_knows(folder: Path) -> None:
    cache = Cache(folder / "cache")
    nerscope.run_experiment(loaded(folder), cache=cache)
    write(folder / "train.txt", drawn(25, seed=50))
    assert everything(nerscope.run_experiment(loaded(folder), cache=cache)) == everything(
        nerscope.run_experiment(loaded(folder))
    )


PAIRS = ("Ada met Bo.\n" * 5, "T1\tPER 0 3\tAda\n", "T1\tPER 0 3\tAda\nT2\tPER 8 10\tBo\n")
NAMES = ("O\nB-X\nB-Y", "O\nB-X\nO")
NUMBERED = '{"tokens": ["Ada", "met", "Bo"], "ner_tags": [1, 0, 2]}\n'
OF_TWO_FILES: list[tuple[str, dict[str, str], str, str]] = [
    ("a.txt", {"a.txt": PAIRS[0], "a.ann": PAIRS[1]}, "a.ann", PAIRS[2]),
    ("a.ann", {"a.txt": PAIRS[0], "a.ann": PAIRS[1]}, "a.txt", PAIRS[0] + "Ada left.\n"),
    (
        "a.jsonl::names=own.txt",
        {"a.jsonl": NUMBERED, "own.txt": NAMES[0]},
        "own.txt",
        NAMES[1],
    ),
    (f"a.jsonl::names=O+{'+'.join(300 * ['B-X'])}", {"a.jsonl": NUMBERED}, "a.jsonl", 2 * NUMBERED),
]


@pytest.mark.parametrize(("name", "files", "changed", "content"), OF_TWO_FILES)
def test_every_file_that_is_read_is_part_of_what_the_cache_knows(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    files: dict[str, str],
    changed: str,
    content: str,
) -> None:
    monkeypatch.chdir(tmp_path)  # where names= is looked for
    for file, text in files.items():
        (tmp_path / file).write_text(text)
    experiment = loaded(tmp_path, f'[datasets.d]\ntest = "{name}"\n[systems]\nx = "{name}"\n')
    cache = Cache(tmp_path / "cache")
    before = nerscope.run_experiment(experiment, cache=cache)[0].rows
    (tmp_path / changed).write_text(content)
    after = nerscope.run_experiment(experiment, cache=cache)[0].rows
    assert before != after == nerscope.run_experiment(experiment)[0].rows


def test_a_dataset_may_be_renamed_with_a_warm_cache(folder: Path) -> None:
    cache = Cache(folder / "cache")
    nerscope.run_experiment(loaded(folder), cache=cache)
    renamed = STANDARD.replace("datasets.d", "datasets.e").replace("{dataset}", "d")
    assert everything(nerscope.run_experiment(loaded(folder, renamed), cache=cache)) == everything(
        nerscope.run_experiment(loaded(folder, renamed))
    )


def test_a_file_may_be_renamed_with_a_warm_cache(folder: Path) -> None:
    cache = Cache(folder / "cache")
    write(
        folder / "y" / "old.txt",
        [(tokens, [label.replace("B-", "I-") for label in own]) for tokens, own in GOLD],
    )
    for name in ("old", "new"):
        next((folder / "y").iterdir()).rename(folder / "y" / f"{name}.txt")
        text = (
            HEAD
            + f'[systems]\nx = "test.txt::scheme=bio"\ny = "y/{name}.txt::scheme=bio"\n'
            + "[settings]\nsamples = 5\n[compare]\n"
        )
        found = everything(nerscope.run_experiment(loaded(folder, text), cache=cache))
        assert found == everything(nerscope.run_experiment(loaded(folder, text)))


def test_a_longer_sentence_is_noticed_by_a_warm_cache(folder: Path) -> None:
    cache = Cache(folder / "cache")
    text = '[datasets.d]\ntest = "g.txt"\n[systems]\nx = "x.txt"\ny = "y.txt"\n'
    text += "[settings]\nsamples = 5\n[compare]\n"
    short: dict[str, Corpus] = {
        "g": corpus("a b/B-PER", "c/B-PER"),
        "x": corpus("a/B-PER b", "c/B-PER"),
        "y": corpus("a/B-PER b", "c"),
    }
    long: dict[str, Corpus] = {
        "g": corpus("a more b/B-PER", "c/B-PER"),
        "x": corpus("a/B-PER more/I-PER b", "c/B-PER"),
        "y": corpus("a/B-PER more/I-PER b", "c"),
    }
    for files in (short, long):
        for name, sentences in files.items():
            write(folder / f"{name}.txt", sentences)
        found = everything(nerscope.run_experiment(loaded(folder, text), cache=cache))
        assert found == everything(nerscope.run_experiment(loaded(folder, text)))


def as_bytes(found: tuple[Results, Comparison | None]) -> tuple[str, object]:
    results, comparison = found
    return results.to_json(), comparison and comparison.as_dict()


@pytest.mark.slow(quick=1)
@pytest.mark.parametrize("options", [{"workers": 2}, {"workers": 3}, {"engine": "local"}])
def test_workers_change_no_byte(folder: Path, options: dict[str, Any]) -> None:
    alone = as_bytes(nerscope.run_experiment(loaded(folder)))
    assert as_bytes(nerscope.run_experiment(loaded(folder), **options)) == alone


def test_a_cache_changes_no_byte(folder: Path) -> None:
    alone = as_bytes(nerscope.run_experiment(loaded(folder)))
    cache = Cache(folder / "cache")
    for _ in range(2):
        assert as_bytes(nerscope.run_experiment(loaded(folder), cache=cache)) == alone
    write(folder / "runs" / "d" / "x.2.txt", noisy(GOLD, 0.3, 9))
    fresh = as_bytes(nerscope.run_experiment(loaded(folder)))
    assert as_bytes(nerscope.run_experiment(loaded(folder), cache=cache, workers=2)) == fresh


@pytest.mark.parametrize("workers", [0, -1, True])
def test_workers_that_cannot_be_are_refused(folder: Path, workers: Any) -> None:
    with pytest.raises(UsageError, match=r"workers: invalid value"):
        nerscope.run_experiment(loaded(folder), workers=workers)


PLUGIN = """
import numpy as np
from nerscope import attribute

@attribute("letters")
def letters(view):
    return np.array([{factor} * len(text) for text in view.texts()], float)
"""
OWN = STANDARD.replace("samples = 30", 'samples = 5\nfacets = ["letters"]')


@pytest.mark.usefixtures("registries")
@pytest.mark.parametrize("workers", [1, 2])
def test_with_plugins_nothing_is_cached(folder: Path, workers: int) -> None:
    path, cache, found = folder / "mine.py", Cache(folder / "cache"), []
    for factor in (1, 2):
        path.write_text(PLUGIN.replace("{factor}", str(factor)))
        load_plugins([str(path)])
        results, _ = nerscope.run_experiment(
            loaded(folder, OWN), cache=cache, workers=workers, plugins=[str(path)]
        )
        found.append(results.settings["facets"]["letters"]["edges"])
    assert [2 * edge for edge in found[0]] == found[1]
    assert not (folder / "cache").exists()


def test_a_type_that_only_one_system_predicts_may_be_asked_for(folder: Path) -> None:
    write(
        folder / "runs" / "d" / "y.1.txt", [(tokens, ["B-NEW", *own[1:]]) for tokens, own in GOLD]
    )
    text = STANDARD.replace("samples = 30", 'samples = 5\nfacets = ["type=NEW"]')
    together = everything(nerscope.run_experiment(loaded(folder, text)))
    cache = Cache(folder / "cache")
    nerscope.run_experiment(loaded(folder, text), cache=cache)
    write(folder / "runs" / "d" / "x.2.txt", GOLD)
    nerscope.run_experiment(loaded(folder, text), cache=cache)
    assert any(row["facet"] == "type=NEW" for row in together[0])


def test_the_order_of_systems_in_the_file_changes_no_number(folder: Path) -> None:
    turned = (
        HEAD
        + '[systems]\ny = "runs/d/y.*.txt"\nx = "runs/d/x.*.txt"\n'
        + "[settings]\nsamples = 30\n[compare]\n"
    )
    first, one = nerscope.run_experiment(loaded(folder))
    second, other = nerscope.run_experiment(loaded(folder, turned))
    assert one is not None
    assert other is not None
    for system in ("x", "y"):
        assert second.select(system=system) == first.select(system=system)
    assert [row["system_a"] for row in other.rows] == ["y"] * len(one.rows)
    for there, back in zip(one.rows, other.rows, strict=True):
        assert (there["a"], there["b"], there["p"]) == (back["b"], back["a"], back["p"])


def test_damaged_and_foreign_cache_entries_are_said_and_made_again(folder: Path) -> None:
    said: list[str] = []
    without = everything(nerscope.run_experiment(loaded(folder)))
    nerscope.run_experiment(loaded(folder), cache=Cache(folder / "cache"))
    entries = sorted((folder / "cache").iterdir())
    entries[0].write_bytes(b"foreign")
    entries[1].write_bytes(entries[1].read_bytes()[:-20])
    entries[2].write_bytes(b"")
    assert (
        everything(
            nerscope.run_experiment(loaded(folder), cache=Cache(folder / "cache", said.append))
        )
        == without
    )
    assert len(said) == 3
    assert all("cannot be used" in note and "computed again" in note for note in said)
    said.clear()
    assert (
        everything(
            nerscope.run_experiment(loaded(folder), cache=Cache(folder / "cache", said.append))
        )
        == without
    )
    assert said == []


def test_an_entry_under_the_key_of_another_is_not_taken_for_it(folder: Path) -> None:
    said: list[str] = []
    without = everything(nerscope.run_experiment(loaded(folder)))
    nerscope.run_experiment(loaded(folder), cache=Cache(folder / "cache"))
    entries = sorted((folder / "cache").iterdir())
    contents = [path.read_bytes() for path in entries]
    for path, content in zip(entries, [*contents[1:], contents[0]], strict=True):
        path.write_bytes(content)
    cache = Cache(folder / "cache", said.append)
    assert everything(nerscope.run_experiment(loaded(folder), cache=cache)) == without
    assert len(said) == len(entries)
    assert all("its digest does not match" in note for note in said)


def test_a_cache_that_cannot_be_written_costs_only_time(folder: Path) -> None:
    said: list[str] = []
    (folder / "cache").write_text("a file, not a folder")
    found = nerscope.run_experiment(loaded(folder), cache=Cache(folder / "cache", said.append))
    assert everything(found) == everything(nerscope.run_experiment(loaded(folder)))
    assert len(said) == 1
    assert "the cache cannot be written" in said[0]


def test_a_test_file_that_is_missing_is_said(folder: Path) -> None:
    (folder / "test.txt").unlink()
    with pytest.raises(InputError, match=r"test\.txt"):
        nerscope.run_experiment(loaded(folder), cache=Cache(folder / "cache"))


def test_losses_are_told_once(folder: Path) -> None:
    broken = [(tokens, [label.replace("B-", "I-") for label in own]) for tokens, own in TRAIN]
    write(folder / "train.txt", broken)
    text = STANDARD.replace('train = "train.txt"', 'train = "train.txt::scheme=bio"')
    results, _ = nerscope.run_experiment(loaded(folder, text))
    sources = [Path(loss["source"]).name for loss in results.losses]
    assert sources.count("train.txt") == 1
    assert len(sources) == len(set(sources))
