"""Jobs are keyed by the content they rest on: names and places do not matter, everything else
does.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from nerscope.errors import NerscopeError
from nerscope.lab.jobs import _option_content, make_jobs
from nerscope.lab.plan import RunPlan

from .conftest import DATA, MEMORY, TRAIN, Planned

SCRIPT = '[systems.mine]\ncommand = "python script.py {train} {test} {output} {seed}"\n'


def keys(plan: RunPlan) -> list[str]:
    return [job.key for job in make_jobs(plan.trained, plan.data, plan.folder)]


def written(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text)


CHANGES: dict[str, tuple[str, str, Callable[[Path], None]]] = {
    "the training data": (DATA, MEMORY, lambda to: written(to, "train.conll", TRAIN + "\nx O\n")),
    "the test data": (DATA, MEMORY, lambda to: written(to, "test.conll", "x O\n")),
    "dev data": (DATA + 'dev = "train.conll"\n', MEMORY, lambda to: None),
    "how a file is read": (DATA + 'options = "scheme=bio"\n', MEMORY, lambda to: None),
    "the context": (DATA, MEMORY + "context = 2\n", lambda to: None),
}


@pytest.mark.parametrize("change", CHANGES)
def test_content_that_changes_makes_another_job(
    planned: Planned, folder: Path, change: str
) -> None:
    before = keys(planned(DATA + MEMORY))
    data, systems, made = CHANGES[change]
    made(folder)
    assert keys(planned(data + systems)) != before


def test_the_other_file_of_a_pair_counts_by_its_content(planned: Planned, folder: Path) -> None:
    text = DATA.replace("train.conll", "a.txt") + MEMORY
    written(folder, "a.txt", "Ada spoke.\n")
    written(folder, "a.ann", "T1\tPER 0 3\tAda\n")
    before = keys(planned(text))
    written(folder, "a.ann", "T1\tLOC 0 3\tAda\n")
    assert keys(planned(text)) != before


def test_another_seed_is_another_job_only_where_there_is_chance(planned: Planned) -> None:
    by_chance = DATA + '[systems.m]\nrecipe = "perceptron"\nseeds = [8, 9]\n'
    assert len(set(keys(planned(by_chance)))) == 2
    assert len(set(keys(planned(DATA + MEMORY + "seeds = [8, 9]\n")))) == 1


def test_names_and_places_make_no_other_job(planned: Planned, folder: Path, tmp_path: Path) -> None:
    before = keys(planned(DATA + MEMORY))
    renamed = DATA.replace("toy", "other").replace("train.conll", "elsewhere/t.conll")
    (folder / "elsewhere").mkdir()
    written(folder, "elsewhere/t.conll", TRAIN)
    assert keys(planned(renamed + MEMORY.replace("memory", "m"))) == before


def test_a_script_that_changes_makes_another_job(planned: Planned, folder: Path) -> None:
    written(folder, "script.py", "print(1)")
    before = keys(planned(DATA + SCRIPT))
    assert keys(planned(DATA + SCRIPT)) == before
    written(folder, "script.py", "print(2)")
    assert keys(planned(DATA + SCRIPT)) != before


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("python run.py --config=c.json {output}", "c.json"),
        ("cd src && python run.py {output}", "src/run.py"),
    ],
)
def test_settings_and_scripts_count_wherever_a_command_names_them(
    planned: Planned, folder: Path, command: str, name: str
) -> None:
    (folder / "src").mkdir()
    written(folder, name, "1")
    text = f'{DATA}[systems.m]\ncommand = "{command}"\n'
    before = keys(planned(text))
    written(folder, name, "22")
    assert keys(planned(text)) != before


def test_files_that_options_name_count_by_their_content(tmp_path: Path) -> None:
    written(tmp_path, "a.txt", "1")
    (tmp_path / "model").mkdir()
    written(tmp_path, "model/w", "2")
    options = [str(tmp_path / "a.txt"), str(tmp_path / "model"), "some/name", "x" * 300, None]
    before = list(map(_option_content, options))
    assert before[2:] == options[2:]
    written(tmp_path, "a.txt", "x")
    written(tmp_path, "model/w", "y")
    after = list(map(_option_content, options))
    assert before[0] != after[0]
    assert before[1] != after[1]


def test_a_word_that_is_no_name_of_a_file_is_no_script(planned: Planned) -> None:
    long = f'[systems.m]\ncommand = "python -c {"x" * 300} {{output}}"\n'
    assert len(keys(planned(DATA + long))) == 1


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ('[datasets.d]\ntest = "test.conll"\n' + MEMORY, "no training data"),
        (DATA.replace("train.conll", "none.conll") + MEMORY, "cannot be read"),
        (DATA + '[systems.m]\ncommand = "x {dev} {output}"\n', "uses {dev}"),
    ],
)
def test_jobs_that_cannot_be_are_refused(planned: Planned, text: str, fact: str) -> None:
    with pytest.raises(NerscopeError, match=fact):
        keys(planned(text))
