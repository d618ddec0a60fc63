"""A first experiment file, for folders of several layouts."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from tests.scoring.toys import corpus, write

import nerscope
from nerscope.errors import InputError
from nerscope.experiment.init import starter_text

SENTENCES = corpus("Ada/B-PER met Oslo/B-LOC")


def made(folder: Path, *files: str) -> dict[str, Any]:
    for name in files:
        write(folder / name, SENTENCES)
    text = starter_text(folder)
    (folder / "nerscope.toml").write_text(text, encoding="utf-8")
    return tomllib.loads(text)


@pytest.mark.parametrize(
    ("files", "datasets", "systems"),
    [
        # one folder for each dataset, outputs below
        (
            [
                "wnut/train.txt",
                "wnut/dev.txt",
                "wnut/test.txt",
                "wnut/runs/bert.1.txt",
                "wnut/runs/bert.2.txt",
            ],
            {"wnut": {"train": "wnut/train.txt", "test": "wnut/test.txt"}},
            {"bert": {"wnut": "wnut/runs/bert.[0-9]*.txt"}},
        ),
        # outputs apart, by dataset
        (
            [
                "data/a/test.conll",
                "data/b/test.conll",
                "out/a/crf.txt",
                "out/b/crf.txt",
                "out/b/lstm-seed7.tsv",
            ],
            {"a": {"test": "data/a/test.conll"}, "b": {"test": "data/b/test.conll"}},
            {
                "crf": {"a": "out/a/crf.txt", "b": "out/b/crf.txt"},
                "lstm": {"b": "out/b/lstm-seed[0-9]*.tsv"},
            },
        ),
        # names with dots and blanks; CoNLL's own names; runs with numbers of several shapes
        (
            [
                "co nll/eng.train.iob",
                "co nll/eng.testa.iob",
                "co nll/eng.testb.iob",
                "co nll/my_bert_run10.txt",
            ],
            {
                "co-nll": {
                    "train": "co nll/eng.train.iob",
                    "test": "co nll/eng.testb.iob",
                }
            },
            {"my_bert": {"co-nll": "co nll/my_bert_run[0-9]*.txt"}},
        ),
        # no systems yet
        (["d/test.txt"], {"d": {"test": "d/test.txt"}}, {}),
        # what is hidden or no data is left alone
        (
            ["d/test.txt", "d/x.txt", ".git/test.txt", "d/.cache/y.txt", "d/notes.md"],
            {"d": {"test": "d/test.txt"}},
            {"x": {"d": "d/x.txt"}},
        ),
    ],
)
def test_a_folder_becomes_an_experiment(
    tmp_path: Path, files: list[str], datasets: dict[str, Any], systems: dict[str, Any]
) -> None:
    found = made(tmp_path, *files)
    assert found["datasets"] == datasets
    assert found["systems"] == systems
    assert found["settings"] == {"intervals": True}
    assert found["compare"] == {}


def test_files_beside_each_other_are_named_after_their_folder(tmp_path: Path) -> None:
    found = made(tmp_path / "corpus", "train.txt", "test.txt", "crf.txt")
    assert found["datasets"] == {"corpus": {"train": "train.txt", "test": "test.txt"}}
    assert found["systems"] == {"crf": {"corpus": "crf.txt"}}


def test_compressed_files_count(tmp_path: Path) -> None:
    for name in ("d/test.conll.gz", "d/crf.1.conll.gz"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    found = made(tmp_path)
    assert found["datasets"] == {"d": {"test": "d/test.conll.gz"}}
    assert found["systems"] == {"crf": {"d": "d/crf.[0-9]*.conll.gz"}}


def test_what_is_written_can_be_run(tmp_path: Path) -> None:
    made(
        tmp_path,
        "d/train.txt",
        "d/test.txt",
        "d/runs/crf.1.txt",
        "d/runs/crf.2.txt",
        "d/runs/bert.txt",
    )
    experiment = nerscope.load_experiment(tmp_path / "nerscope.toml")
    assert {name: len(runs) for name, runs in experiment.datasets[0].systems.items()} == {
        "bert": 1,
        "crf": 2,
    }


@pytest.mark.parametrize(
    "name",
    [
        "données",
        'a"b',
    ],
)
def test_any_name_gives_a_file_that_can_be_run(tmp_path: Path, name: str) -> None:
    made(tmp_path, f"{name}/test.txt", f"{name}/crf.txt")
    assert len(nerscope.load_experiment(tmp_path / "nerscope.toml").datasets) == 1


def test_datasets_in_one_folder_are_told_apart(tmp_path: Path) -> None:
    found = made(
        tmp_path, "data/a-train.txt", "data/b-test.txt", "data/b-train.txt", "data/a-test.txt"
    )
    for splits in found["datasets"].values():
        assert len({Path(file).name[0] for file in splits.values()}) == 1
    assert len(found["datasets"]) == 2


@pytest.mark.parametrize(
    ("name", "message"),
    [("missing", "no such folder"), ("empty", "no file with 'test' in its name")],
)
def test_a_folder_without_data_is_refused(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=message):
        starter_text(tmp_path / name)


def test_patterns_do_not_overlap(tmp_path: Path) -> None:
    files = [f"d/{name}.{run}.txt" for name in ("crf", "crf.large") for run in (1, 2, 10)]
    made(tmp_path, "d/test.txt", *files)
    experiment = nerscope.load_experiment(tmp_path / "nerscope.toml")
    found = experiment.datasets[0].systems
    assert {name: len(runs) for name, runs in found.items()} == {"crf": 3, "crf-large": 3}


def test_names_that_look_like_patterns_are_found(tmp_path: Path) -> None:
    made(tmp_path, "br[1]/test.txt", "br[1]/crf[x].1.txt", "br[1]/crf[x].2.txt")
    experiment = nerscope.load_experiment(tmp_path / "nerscope.toml")
    assert [len(runs) for runs in experiment.datasets[0].systems.values()] == [2]


def test_folders_that_end_in_the_same_name_are_two_datasets(tmp_path: Path) -> None:
    found = made(
        tmp_path,
        *("news/en/test.txt", "news/en/crf.txt", "web/en/test.txt", "web/en/crf.txt", "x/test.txt"),
    )
    assert found["datasets"] == {
        "news-en": {"test": "news/en/test.txt"},
        "web-en": {"test": "web/en/test.txt"},
        "x": {"test": "x/test.txt"},
    }
    assert found["systems"] == {"crf": {"news-en": "news/en/crf.txt", "web-en": "web/en/crf.txt"}}


def test_gold_is_never_taken_for_a_system(tmp_path: Path) -> None:
    found = made(
        tmp_path,
        *("d/test.txt", "d/test.conll", "d/train.txt", "d/train.big.txt", "d/crf.txt"),
        *("lonely/train.txt", "lonely/dev.txt"),
    )
    assert found["systems"] == {"crf": {"d": "d/crf.txt"}}


@pytest.mark.parametrize("name", ["constrained", "latest", "device", "attest2"])
def test_a_split_is_a_whole_word_of_a_name(tmp_path: Path, name: str) -> None:
    found = made(tmp_path, "d/test.txt", "d/en.train.txt", f"d/{name}.txt")
    assert found["systems"] == {name: {"d": f"d/{name}.txt"}}


def test_outputs_of_one_name_in_two_folders_are_two_systems(tmp_path: Path) -> None:
    found = made(tmp_path, "d/test.txt", "d/old/crf.txt", "d/new/crf.txt")
    assert sorted(own["d"] for own in found["systems"].values()) == [
        "d/new/crf.txt",
        "d/old/crf.txt",
    ]


def test_what_is_written_runs_without_a_note_for_each_absent_output(tmp_path: Path) -> None:
    made(
        tmp_path,
        *(f"{name}/test.txt" for name in "abcdefgh"),
        *(f"{name}/only-{name}.txt" for name in "abcdefgh"),
    )
    assert nerscope.load_experiment(tmp_path / "nerscope.toml").notes == []
