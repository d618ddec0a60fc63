"""HardEval's out-of-domain protocol: train on all other domains, test on this one, side by side."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.cli.conftest import Run, run  # noqa: F401  a fixture
from tests.scoring.toys import Corpus, write

import nerscope
from nerscope.errors import UsageError
from nerscope.lab.run import PlanResult, run_plan
from nerscope.results.domains import DomainRow

from .conftest import Planned

pytestmark = pytest.mark.slow  # each trains systems on generated domains

# Each domain has its own names and its own spelling of the types.
DOMAINS = {"news": ("PER", "LOC"), "chat": ("person", "location"), "law": ("PER", "LOC")}
MAP = {"person": "PER", "location": "LOC"}
PLAN = (
    "[protocol]\nout_of_domain = true\n"
    + "".join(
        f'[datasets.{name}]\ntrain = "{name}-train.conll"\ntest = "{name}-test.conll"\n'
        for name in DOMAINS
    )
    + '[settings]\nmap = { person = "PER", location = "LOC" }\ndrop = ["MISC"]\n'
    + '[systems.memory]\nrecipe = "dictionary"\n'
)


def domain(name: str, sentences: int, seed: int) -> Corpus:
    """Sentences with names of which some are shared by all domains, and some label-shifted."""
    random, (person, location) = Random(f"{name}{seed}"), DOMAINS[name]
    found: Corpus = []
    for _ in range(sentences):
        words, labels = ["the"], ["O"]
        for _ in range(random.randint(2, 6)):
            number, kind = random.randrange(12), random.choice([person, location, "MISC", ""])
            shared = random.random() < 0.4
            hint = kind[:1].lower() if random.random() < 0.7 else ""  # without it, words shift
            words.append(f"{'shared' if shared else name}{number}{hint}")
            labels.append(f"B-{kind}" if kind else "O")
        found.append((words, labels))
    return found


@pytest.fixture
def domains(folder: Path) -> Path:
    for name in DOMAINS:
        write(folder / f"{name}-train.conll", domain(name, 60, seed=1))
        write(folder / f"{name}-test.conll", domain(name, 40, seed=2))
    return folder


@pytest.fixture
def ran(domains: Path, planned: Planned) -> PlanResult:
    return run_plan(planned(PLAN))


def direct(folder: Path, name: str, training: list[str]) -> nerscope.Results:
    """The same by hand: a dictionary of these training files, evaluated against them."""
    train = [str(folder / f"{part}-train.conll") for part in training]
    test = str(folder / f"{name}-test.conll")
    settings: dict[str, Any] = {"map": MAP, "drop": ["MISC"]}
    tagged = [
        (list(words), [MAP_LABELS.get(label, label) for label in labels])
        for part in training
        for words, labels in domain(part, 60, seed=1)
    ]
    output = folder / "direct.conll"
    nerscope.baseline(tagged, test, output, recipe="dictionary")
    return nerscope.evaluate(test, {"memory": str(output)}, train=train, **settings)


MAP_LABELS = {"B-person": "B-PER", "B-location": "B-LOC", "B-MISC": "O"}
NUMBERS = {
    ("all", "f1"): {"facet": "all", "match": "exact", "metric": "f1"},
    ("unseen", "ter"): {"facet": "hard", "level": "unseen", "metric": "ter"},
    ("diff", "ter"): {"facet": "hard", "level": "diff", "metric": "ter"},
    ("score", "hardeval"): {"facet": "hard", "level": "score", "metric": "hardeval"},
}


def row_of(ran: PlanResult, dataset: str, level: str, metric: str) -> DomainRow:
    assert ran.out_of_domain is not None
    (row,) = (
        row
        for row in ran.out_of_domain.rows
        if (row.dataset, row.level, row.metric) == (dataset, level, metric)
    )
    return row


def test_each_number_stands_in_domain_beside_out_of_domain(ran: PlanResult, domains: Path) -> None:
    for name in DOMAINS:
        others = [other for other in DOMAINS if other != name]
        inside, outside = direct(domains, name, [name]), direct(domains, name, others)
        for (level, metric), which in NUMBERS.items():
            row = row_of(ran, name, level, metric)
            assert row.in_domain == pytest.approx(inside.value(**which))
            assert row.out_of_domain == pytest.approx(outside.value(**which))
            assert row.in_domain is not None
            assert row.out_of_domain is not None
            assert row.difference == pytest.approx(row.out_of_domain - row.in_domain)
    assert row_of(ran, "news", "unseen", "ter").n_in_domain != 0


def test_the_two_results_do_not_mix(ran: PlanResult) -> None:
    """A mean over both would count each test set twice."""
    assert ran.out_of_domain is not None
    assert [part.dataset for part in ran.results.evidence] == list(DOMAINS)
    assert [part.dataset for part in ran.out_of_domain.results.evidence] == [
        f"{name}-out-of-domain" for name in DOMAINS
    ]
    assert len(ran.jobs) == 6


def test_differences_are_tested_on_the_same_sentences(ran: PlanResult) -> None:
    """The interval of F1 is the one of two systems on one test set."""
    assert ran.out_of_domain is not None
    outputs = {job.job.data.name: job.output for job in ran.outcomes}
    for name in DOMAINS:
        both = {"in": outputs[name], "out": outputs[f"{name}-out-of-domain"]}
        systems = {side: str(output).split("::")[0] for side, output in both.items()}
        test = ran.outcomes[0].job.data.test.split("::")[0].replace("news", name)
        joint = nerscope.evaluate(test, systems, map=MAP, drop=["MISC"])
        (expected,) = (
            row
            for row in nerscope.compare(joint, "out", "in").rows
            if (row.facet, row.match, row.metric, row.type) == ("all", "exact", "f1", None)
        )
        row = row_of(ran, name, "all", "f1")
        assert row.difference == pytest.approx(expected.difference)
        assert (row.low, row.high) == pytest.approx((expected.low, expected.high), abs=1e-3)
        assert row.p is not None
        assert row.low is not None
        assert row.high is not None
        assert (row.p < 0.05) == (row.low > 0 or row.high < 0)


def test_p_values_are_corrected_over_the_rows_of_a_number(ran: PlanResult) -> None:
    assert ran.out_of_domain is not None
    for row in ran.out_of_domain.rows:
        assert row.p is not None
        assert row.p_corrected is not None
        assert row.p <= row.p_corrected <= 1


def test_domains_that_do_not_differ_have_no_difference(domains: Path, planned: Planned) -> None:
    for name in DOMAINS:
        write(domains / f"{name}-train.conll", domain("news", 60, seed=1))
        write(domains / f"{name}-test.conll", domain("news", 40, seed=2))
    same = run_plan(planned(PLAN)).out_of_domain
    assert same is not None
    assert {(row.difference, row.p_corrected) for row in same.rows} == {(0.0, 1.0)}


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ('[datasets.a]\ntrain = "x"\ntest = "y"\n', "there is only one"),
        (
            '[datasets.a]\ntrain = "x"\ntest = "y"\n[datasets.b]\ntest = "y"\n',
            "dataset 'b' has no training data",
        ),
    ],
)
def test_domains_need_training_data(planned: Planned, text: str, fact: str) -> None:
    system = '[systems.memory]\nrecipe = "dictionary"\n'
    with pytest.raises(UsageError, match=fact):
        planned("[protocol]\nout_of_domain = true\n" + text + system)


def test_data_that_are_split_are_no_domains(planned: Planned) -> None:
    with pytest.raises(UsageError, match="splits data"):
        planned('[protocol]\nout_of_domain = true\ndata = ["train.conll"]\nfolds = 2\n' + MEMORY)


MEMORY = '[systems.memory]\nrecipe = "dictionary"\n'


def test_types_are_renamed_in_one_step(planned: Planned) -> None:
    chain = PLAN.replace('person = "PER"', 'person = "PER", PER = "ORG"')
    with pytest.raises(UsageError, match="map every type directly to its final name"):
        planned(chain)


def test_dev_data_are_of_the_other_domains(planned: Planned, domains: Path) -> None:
    text = PLAN.replace('train = "', 'dev = "train.conll"\ntrain = "')
    (first, *_) = planned(text).held_out
    assert len(first.dev) == 2
    assert [Path(path.split("::")[0]).name for path in first.train] == [
        "chat-train.conll",
        "law-train.conll",
    ]


def test_both_results_are_written(domains: Path, run: Run) -> None:  # noqa: F811
    twin = PLAN.replace("[systems.memory]", "[systems.other]").partition("[systems.other]")
    (domains / "plan.toml").write_text(PLAN + "".join(twin[1:]) + "[compare]\n")
    output = domains / "results.json"
    outcome = run("run", domains / "plan.toml", "-o", output)
    assert outcome.code == 0, outcome.err
    assert "In domain and out of domain" in outcome.out
    assert len(json.loads(output.read_text())["domains"]) == 24
    outside = nerscope.Results.load(domains / "results.out-of-domain.json")
    assert [part.dataset for part in outside.evidence] == [
        f"{name}-out-of-domain" for name in DOMAINS
    ]
    assert "results.out-of-domain.json" in outcome.err
