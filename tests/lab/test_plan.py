"""Plan files: every key is checked, and lists make variants."""

from pathlib import Path

import pytest

from nerscope.errors import NerscopeError
from nerscope.formats.base import path_of
from nerscope.lab.run import run_plan

from .conftest import DATA, MEMORY, Planned

COMMAND = '[systems.mine]\ncommand = "cp {test} {output}"\n'


def test_a_list_of_values_makes_a_system_of_each(planned: Planned) -> None:
    plan = planned(DATA + '[systems.m]\nrecipe = "dictionary"\ncontext = [1, 2, 6]\n')
    assert [(one.name, one.context) for one in plan.trained] == [
        ("m.context=1", 1),
        ("m.context=2", 2),
        ("m.context=6", 6),
    ]


@pytest.mark.parametrize(
    ("protocol", "own", "seeds"),
    [
        ("", "", (1,)),
        ("[protocol]\nseeds = [4, 5]\n", "", (4, 5)),
        ("[protocol]\nseeds = [4, 5]\n", "seeds = [7]\n", (7,)),
    ],
)
def test_seeds_are_those_of_the_system_or_else_of_the_plan(
    planned: Planned, protocol: str, own: str, seeds: tuple[int, ...]
) -> None:
    assert planned(protocol + DATA + COMMAND + own).trained[0].seeds == seeds


def test_outputs_that_are_there_may_stand_beside_what_is_trained(planned: Planned) -> None:
    plan = planned(DATA + '[systems]\ngold = "test.conll"\n' + MEMORY)
    assert [one.name for one in plan.trained] == ["memory"]
    assert run_plan(plan).results.systems == ["gold", "memory"]


@pytest.mark.parametrize(
    ("text", "place", "fact"),
    [
        # where data come from
        (MEMORY, "plan.toml", "datasets are missing, or defined both"),
        (DATA + '[protocol]\ndata = ["a"]\nfolds = 2\n' + MEMORY, "plan.toml", "defined both in"),
        ('[protocol]\ndata = ["a"]\n' + MEMORY, ":1", "0 ways to split"),
        ('[protocol]\ndata = ["a"]\nfolds = 2\nrandom = 3\n' + MEMORY, ":1", "2 ways to split"),
        ("[protocol]\ndata = []\nfolds = 2\n" + MEMORY, ":2", r"invalid value \[\] for 'data'"),
        ("[protocol]\nseeds = [1.5]\n" + DATA + MEMORY, ":2", "invalid value"),
        ("[protocol]\nsplits = 3\n" + DATA + MEMORY, ":2", "unknown key 'splits'"),
        (
            "[protocol]\nstratify = true\n" + DATA + MEMORY,
            ":2",
            "is an option of splitting, but no data are split",
        ),
        # systems
        (DATA, "plan.toml", "no system is defined"),
        (DATA + MEMORY + "context = [2, 2]\n", ":4", "have the name 'memory.context=2'"),
        (DATA + '[systems.m]\nrecipe = "dictionery"\n', "recipe 'dictionery'", "did you mean"),
        (DATA + "[systems.m]\nrecipe = 3\n", ":4", "invalid value recipe = 3"),
        (DATA + MEMORY + "rounds = 3\n", ":4", "has no option 'rounds'"),
        (DATA + MEMORY + "seeds = []\n", ":4", r"invalid value seeds = \[\]"),
        (DATA + MEMORY + "seeds = [1, 1]\n", ":4", "a seed is repeated"),
        (DATA + MEMORY + "context = 0\n", ":4", "invalid value context = 0"),
        (DATA + MEMORY + "context = []\n", ":4", "has 0 variants"),
        (DATA + MEMORY + "timeout = -1\n", ":4", "invalid value timeout = -1"),
        (DATA + MEMORY + '[systems.Memory]\nrecipe = "dictionary"\n', "Memory", "another system"),
        (DATA + MEMORY + 'command = "x {output}"\n', ":4", "both a recipe and a command"),
        # commands
        (DATA + '[systems.m]\ncommand = "cp {test} out"\n', ":4", "has no {output}"),
        (DATA + "[systems.m]\ncommand = 3\n", ":4", "invalid value command = 3"),
        (DATA + COMMAND + "rounds = 3\n", ":6", "unknown key 'rounds'"),
        (DATA + COMMAND + "options = 3\n", ":4", "invalid value options = 3"),
    ],
)
def test_a_plan_that_cannot_be_used_is_refused_with_its_place(
    planned: Planned, text: str, place: str, fact: str
) -> None:
    with pytest.raises(NerscopeError, match=fact) as caught:
        planned(text)
    assert place in caught.value.place


def test_outputs_that_are_read_are_inputs(planned: Planned) -> None:
    plan = planned(
        DATA + '[systems]\nx = "{dataset}*.conll::scheme=bio"\ny = { toy = "t*.conll" }\n'
    )
    assert {Path(path_of(name)).name for name in plan.inputs} == {"train.conll", "test.conll"}


def test_paths_of_options_are_relative_to_the_plan(
    planned: Planned, monkeypatch: pytest.MonkeyPatch
) -> None:
    from nerscope.lab.plan import _resolve

    plan = planned(DATA + MEMORY)
    assert _resolve(plan.folder, "train.conll") == str(plan.folder / "train.conll")
    assert _resolve(plan.folder, "some/model-name") == "some/model-name"
