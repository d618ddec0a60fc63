"""Bad input of every kind: exit code 2, one message with place, fact and fix, and nothing left
behind.
"""

import gzip
import json
import shlex
from pathlib import Path

import pytest
from tests.cli.conftest import GOLD, Run

BOTH = "--system good=good.txt --system poor=poor.txt"
TRAINED = "evaluate gold.txt --train train.txt --system good=good.txt"
EVALUATE = "evaluate gold.txt --system good=good.txt"
PLUGIN = """
import numpy as np
from nerscope import attribute

@attribute({name!r})
def values(view):
    return {body}
"""
EMPTY = '{"nerscope": "0.0.1", "format": 1, "rows": [], "losses": [], "settings": {}}'
EXPERIMENT = '[datasets.toy]\ntest = "gold.txt"\n[systems]\ngood = "good.txt"\npoor = "poor.txt"\n'


def refused(run: Run, folder: Path, command: str, place: str, fact: str) -> str:
    """Run a command that must be refused; gives the message."""
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    outcome = run(*shlex.split(command))
    assert outcome.code == 2, outcome
    assert outcome.out == ""
    assert outcome.err.startswith(f"nerscope: {place}"), outcome.err
    assert fact in outcome.err
    assert outcome.err.count("Fix: ") == 1 and "Traceback" not in outcome.err
    assert outcome.err.count("\n") == 1 and outcome.err.endswith("\n"), "one message on one line"
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before, (
        "nothing is written"
    )
    return outcome.err


def write(path: Path, content: str | bytes) -> None:
    path.write_bytes(content.encode() if isinstance(content, str) else content)


@pytest.mark.parametrize(
    ("content", "place", "fact"),
    [
        # nothing in it
        ("", "bad.txt", "the file contains no sentences"),
        ("\n\n \n\t\n", "bad.txt", "the file contains no sentences"),
        # no text, or another encoding
        (b"\x7fELF\0\0\0", "bad.txt", "it looks like a program, not like text"),
        (
            "Zoë B-PER\n".encode("latin-1"),
            "bad.txt: byte 2",
            "not valid utf-8. Fix: bad.txt::encoding=",
        ),
        (gzip.compress(GOLD.encode(), mtime=0)[:40], "bad.txt", "the packed file is damaged"),
        # columns
        ("Ada B-PER\nmet\n", "bad.txt:2", "1 space-separated column where 2 are needed"),
        # labels
        ("Ada PER\n", "bad.txt:1", "label 'PER' has no prefix"),
        ("Ada O\n\nmet X-PER\n", "bad.txt:3", "label 'X-PER' has an unknown prefix"),
        ("Ada\tO\nmet\t\n", "bad.txt:2", "the label is empty"),
    ],
)
@pytest.mark.parametrize(
    "command",
    [
        "evaluate bad.txt --system good=good.txt -o out.json",
        "evaluate gold.txt --system bad=bad.txt --errors out.csv",
        "evaluate gold.txt --system good=good.txt --train bad.txt -o out.json",
        "describe bad.txt",
        "describe --train bad.txt",
        "describe --train train.txt --test bad.txt",
        "validate bad.txt",
        "convert bad.txt out.txt --to bioes",
        "split bad.txt -o out --folds 2",
        "split gold.txt bad.txt -o out --leave-out",
    ],
)
def test_files_that_cannot_be_read(
    content: str | bytes, place: str, fact: str, command: str, data: Path, run: Run
) -> None:
    write(data / "bad.txt", content)
    refused(run, data, command, place, fact)


@pytest.mark.parametrize(
    ("command", "place", "fact"),
    [
        # no file, and a folder
        ("evaluate none.txt --system good=good.txt -o out.json", "none.txt", "no such file"),
        ("evaluate gold.txt --system good=none.txt", "none.txt", "no such file"),
        ("evaluate gold.txt --system good=good.txt --train none.txt", "none.txt", "no such file"),
        ("evaluate . --system good=good.txt", ".", "this is a folder"),
        ("evaluate none.toml", "none.toml", "it cannot be read (No such file or directory)"),
        ("describe --train none.txt", "none.txt", "no such file"),
        ("validate none.txt", "none.txt", "no such file"),
        ("convert none.txt out.txt --to bio", "none.txt", "no such file"),
        ("compare none.json", "none.json", "no such file"),
        ("compare .", ".", "it cannot be read"),
        ("diagnose none.json", "none.json", "no such file"),
        ("gate none.json --baseline none.json", "none.json", "no such file"),
        ("init none", "none", "no such folder"),
        (f"{EVALUATE} --plugin none.py", "none.py", "no such file"),
        # systems
        ("evaluate gold.txt", "gold.txt", "no system is given"),
        (
            "evaluate gold.txt --system =good.txt",
            "--system =good.txt",
            "a name or a file is missing",
        ),
        ("evaluate gold.txt --system good=", "--system good=", "a name or a file is missing"),
        (
            "evaluate gold.txt good.txt --system good.txt",
            "--system good.txt",
            "another system has the same name",
        ),
        ("evaluate gold.txt none.txt", "none.txt", "no such file"),
        (
            "evaluate gold.txt --system a=good.txt --system A=poor.txt",
            "system 'A'",
            "another system has the name 'a'",
        ),
        # outputs
        (f"{EVALUATE} -o none/out.json", "none/out.json", "its folder does not exist"),
        (f"{EVALUATE} -o .", ".", "this is a folder"),
        (f"{EVALUATE} --errors none/out.csv", "none/out.csv", "its folder does not exist"),
        (f"{EVALUATE} --errors out.xls", "out.xls", "the ending '.xls' is unknown"),
        ("convert gold.txt none/out.txt --to bio", "none/out.txt", "its folder does not exist"),
        ("convert gold.txt . --to bio", ".", "this is a folder"),
        ("demo gold.txt", "gold.txt", "it cannot be written"),
        # names that do not exist
        (f"{TRAINED} --facet tmrr", "facet 'tmrr'", "did you mean 'tmr'?"),
        (
            f"{TRAINED} --facet 'tmr=sen'",
            "facet 'tmr=sen'",
            "'tmr' has no level 'sen'. Fix: did you mean 'seen'?",
        ),
        (f"{TRAINED} --facet 'tmr & type=PERS'", "facet 'tmr & type=PERS'", "did you mean 'PER'?"),
        (f"{TRAINED} --facet 'tmr &'", "facet 'tmr &'", "invalid expression"),
        (f"{EVALUATE} --match overlp", "match 'overlp'", "did you mean 'overlap'?"),
        (
            f"{EVALUATE} --match 'iou(treshold=1)'",
            "match 'iou(treshold=1)'",
            "'iou' has no such option",
        ),
        (f"{EVALUATE} --metric recal", "metric 'recal'", "did you mean 'recall'?"),
        (
            f"{EVALUATE} --format jsn",
            "format 'jsn'",
            "unknown format. Fix: did you mean 'json'?",
        ),
        (
            f"{EVALUATE} --repair conleval",
            "repair",
            "unknown value 'conleval'. Fix: did you mean 'conlleval'?",
        ),
        (f"{EVALUATE} --token-repair discard", "token_repair", "unknown value 'discard'"),
        (f"{EVALUATE} --token-match biluo", "token_match", "did you mean 'bilou'?"),
        (
            f"{EVALUATE} --bucketing equal-size",
            "bucketing",
            "unknown value 'equal-size'. Fix: did you mean 'equal-",
        ),
        (
            f"{EVALUATE} --list hart",
            "--list",
            "unknown name 'hart'. Fix: did you mean 'hard'?",
        ),
        (
            f"{EVALUATE} --resample word --intervals",
            "resample",
            "unknown cluster unit 'word'",
        ),
        (
            "evaluate gold.txt::lable=1 --system good=good.txt",
            "gold.txt::lable=1",
            "did you mean 'label'?",
        ),
        (
            "evaluate gold.txt::scheme=bilous --system good=good.txt",
            "scheme",
            "did you mean 'bilou'?",
        ),
        (
            "evaluate gold.txt::encoding=utf-88 --system good=good.txt",
            "gold.txt",
            "unknown encoding 'utf-88'",
        ),
        (
            "evaluate gold.txt::label=x --system good=good.txt",
            "gold.txt::label=x",
            "invalid value label=x",
        ),
        ("validate gold.txt --scheme bilous", "scheme", "did you mean 'bilou'?"),
        ("convert gold.txt out.txt", "--to", "no scheme is given and the format stays the same"),
        ("convert gold.txt out.txt --to bilous", "scheme", "did you mean 'bilou'?"),
        ("convert gold.txt out.txt --to bio --repair strikt", "repair", "did you mean 'strict'?"),
        ("describe --train train.txt --format jsn", "format 'jsn'", "did you mean 'json'?"),
        ("validate gold.txt --format jsn", "format 'jsn'", "did you mean 'json'?"),
        ("judged pairs.csv --format jsn", "format 'jsn'", "did you mean 'json'?"),
        ("judged none.csv", "none.csv", "it cannot be read"),
        (f"{EVALUATE} --engine pol", "engine 'pol'", "did you mean 'pool'?"),
        (f"{EVALUATE} --workers 0", "workers", "invalid value 0"),
        ("validate gold.txt --format conlleval", "--format conlleval", "no exact scores to show"),
        ("describe --train train.txt --repair strikt", "repair", "did you mean 'strict'?"),
        # numbers
        (f"{EVALUATE} --edges eLen=3,1", "edges of eLen", "[3.0, 1.0] are not increasing numbers"),
        (f"{EVALUATE} --edges eLen=1,1", "edges of eLen", "are not increasing numbers"),
        (f"{EVALUATE} --edges eLen=a", "--edges eLen=a", "not of the form ATTRIBUTE=E1,E2"),
        (f"{EVALUATE} --edges eLen", "--edges eLen", "not of the form ATTRIBUTE=E1,E2"),
        (f"{EVALUATE} --edges elen=1", "facet 'elen'", "did you mean 'eLen'?"),
        (f"{EVALUATE} --edges tmr=1", "edges of tmr", "this facet has no buckets"),
        (f"{EVALUATE} --facet eLen --edges eLen=nan,2", "edges of eLen", "nan"),
        (f"{EVALUATE} --buckets 1", "buckets", "invalid value 1"),
        (f"{EVALUATE} --zero-division none", "--zero-division", "invalid value 'none'"),
        (f"{TRAINED} --zero-division inf --format json", "zero_division", "invalid value inf"),
        # what is missing
        (f"{EVALUATE} --facet tmr", "facet tmr", "it needs training data"),
        (f"{EVALUATE} --list hard", "--list hard", "this list needs training data"),
        # a format of its own numbers
        (
            f"{EVALUATE} --format conlleval --metric f1",
            "--format conlleval",
            "exact scores and nothing else",
        ),
        (
            f"{EVALUATE} --format conlleval --match left",
            "--format conlleval",
            "exact scores and nothing else",
        ),
    ],
)
def test_options_that_cannot_be_followed(
    command: str, place: str, fact: str, data: Path, run: Run
) -> None:
    refused(run, data, command, place, fact)


@pytest.mark.parametrize(
    ("output", "place", "fact"),
    [
        # other tokens, another split, a cut, too few, too many, another document line
        (GOLD.replace("Ada", "Eve"), "gold.txt:3", "sentence 1 differs from bad.txt:3"),
        (
            GOLD.replace("Lovelace I-PER\n", "Lovelace I-PER\n\n"),
            "gold.txt:5",
            "bad.txt::sentences=any (same tokens with different sentence breaks)",
        ),
        (GOLD.replace("met O\nBob B-PER\n", ""), "gold.txt:5", "the shorter sentence is cut off"),
        (
            GOLD[: GOLD.index("Oslo")],
            "bad.txt",
            "it ends after 2 sentences, but gold.txt:15 continues",
        ),
        (GOLD + "\nmore O\n", "gold.txt", "it ends after 3 sentences, but bad.txt:20 continues"),
        (
            GOLD.replace("-DOCSTART- O", "DOCSTART O"),
            "gold.txt:3",
            "write -DOCSTART- lines in both files or in neither",
        ),
    ],
)
def test_outputs_that_are_not_the_gold_sentences(
    output: str, place: str, fact: str, data: Path, run: Run
) -> None:
    write(data / "bad.txt", output)
    refused(
        run,
        data,
        "evaluate gold.txt --system good=good.txt --system bad=bad.txt -o out.json",
        place,
        fact,
    )


def test_mentions_that_conlleval_cannot_show(data: Path, run: Run) -> None:
    spans = '[[0, 8, "LOC"], [4, 13, "ORG"]]'
    write(data / "nested.jsonl", f'{{"text": "New York City", "spans": {spans}}}\n')
    command = "evaluate nested.jsonl --system m=nested.jsonl --format conlleval -q -o o.json"
    refused(run, data, command, "--format conlleval", "mentions overlap or have holes")


def test_a_gold_file_without_mentions(data: Path, run: Run) -> None:
    write(data / "gold.txt", "Ada O\n\nmet O\n")
    write(data / "good.txt", "Ada B-PER\n\nmet O\n")
    refused(run, data, f"{EVALUATE} -o out.json", "gold.txt", "no mentions: every label is O")


def test_labels_that_the_repair_none_forbids(data: Path, run: Run) -> None:
    write(data / "good.txt", GOLD.replace("Bob B-PER", "Bob I-PER"))
    refused(
        run,
        data,
        f"{EVALUATE} --repair none -o out.json",
        "good.txt:6",
        "I-PER after O is not allowed in bio",
    )
    refused(
        run,
        data,
        "convert good.txt out.txt --to bilou --repair none",
        "good.txt:6",
        "I-PER after O is not allowed in bio",
    )


@pytest.mark.parametrize(
    ("name", "body", "fact"),
    [
        ("shouting", "np.full(len(view.mentions), np.nan)", "it returns NaN or infinity"),
        ("endless", "np.full(len(view.mentions), np.inf)", "it returns NaN or infinity"),
        (
            "shorter",
            "np.zeros(len(view.mentions) - 1)",
            "it returns values of shape (5,) for 6 mention units",
        ),
        (
            "flat",
            "np.zeros((len(view.mentions), 1))",
            "it returns values of shape (6, 1) for 6 mention units",
        ),
    ],
)
def test_attributes_that_give_no_numbers(
    name: str, body: str, fact: str, data: Path, run: Run
) -> None:
    write(data / "plugin.py", PLUGIN.format(name=f"bad-{name}", body=body))
    refused(
        run,
        data,
        f"{EVALUATE} --plugin plugin.py --facet bad-{name} -o out.json",
        f"attribute 'bad-{name}'",
        fact,
    )


def test_a_facet_that_is_built_in(data: Path, run: Run) -> None:
    write(data / "plugin.py", PLUGIN.format(name="tmr", body="np.zeros(len(view.mentions))"))
    refused(
        run, data, f"{EVALUATE} --plugin plugin.py", "facet 'tmr'", "a built-in facet has this name"
    )


@pytest.mark.parametrize("code", ["x = (\n", "raise ValueError('no')\n", "import no_such_module\n"])
def test_a_plugin_that_fails(code: str, data: Path, run: Run) -> None:
    write(data / "plugin.py", code)
    refused(run, data, f"{EVALUATE} --plugin plugin.py", "plugin.py", "")


@pytest.mark.parametrize(
    ("content", "place", "fact"),
    [
        # no results at all
        ("not JSON", "bad.json", "it is not JSON"),
        ("", "bad.json", "it is not JSON"),
        ('{"nerscope": "0.1"', "bad.json", "it is not JSON"),
        (b"\xff\xfe", "bad.json", "it cannot be read"),
        ("[1, 2]", "bad.json", "it holds no nerscope results"),
        ('{"rows": []}', "bad.json", "it holds no nerscope results"),
        # of another time
        (
            EMPTY.replace('"format": 1', '"format": 999'),
            "bad.json",
            "its format is 999 (nerscope 0.0.1), this version reads 2. Fix: pip install",
        ),
        (EMPTY.replace('"format": 1, ', ""), "bad.json", "it holds no nerscope results"),
        # damaged
        (EMPTY.replace("{}}", '{}, "evidence": [{}]}'), "bad.json", "the results are damaged"),
        (EMPTY.replace('"rows": []', '"rows": [{}]'), "bad.json", "the results are damaged"),
        (EMPTY.replace('"losses": []', '"losses": [5]'), "bad.json", "the results are damaged"),
        (EMPTY.replace('"rows": []', '"rows": 5'), "bad.json", "it holds no nerscope results"),
        pytest.param("[" * 50_000, "bad.json", "it is not JSON", id="deep"),
    ],
)
@pytest.mark.parametrize(
    "command", ["compare bad.json", "diagnose bad.json", "gate bad.json --baseline bad.json"]
)
def test_results_that_are_none(
    content: str | bytes, place: str, fact: str, command: str, data: Path, run: Run
) -> None:
    write(data / "bad.json", content)
    refused(run, data, command, place, fact)


# Results that do not fit those of the fixture: one system, no training data, other gold data.
OTHER_RESULTS = {
    "one": "gold.txt --system good=good.txt --train train.txt",
    "fewer": f"gold.txt {BOTH}",
    "other": "short.txt --system good=short.txt --system poor=short.txt --train train.txt",
}
_written: dict[str, bytes] = {}


@pytest.mark.slow(quick=1)
@pytest.mark.parametrize(
    ("command", "place", "fact"),
    [
        # systems
        (
            "compare results.json good por",
            "system 'por'",
            "it is not in the results. Fix: did you mean 'poor'?",
        ),
        ("compare results.json good", "compare", "only one system is named"),
        ("compare results.json --baseline por", "system 'por'", "did you mean 'poor'?"),
        ("compare one.json", "compare", "the results have only one system"),
        ("compare one.json good good", "compare", "the results have only one system"),
        ("compare results.json --changes", "--changes", "two systems are needed"),
        ("compare results.json good por --changes", "system 'por'", "did you mean 'poor'?"),
        ("diagnose results.json good por", "system 'por'", "did you mean 'poor'?"),
        (
            "gate results.json --baseline one.json --system poor",
            "--system poor",
            "it is not in the results",
        ),
        # names
        ("compare results.json --facet tmrr", "facet 'tmrr'", "did you mean 'tmr'?"),
        ("compare results.json --metric recal", "metric 'recal'", "did you mean 'recall'?"),
        (
            "compare results.json --method boot",
            "method 'boot'",
            "unknown method. Fix: did you mean 'bootstrap'?",
        ),
        ("compare results.json --correction holms", "correction", "did you mean 'holm'?"),
        ("compare results.json --resample word", "resample", "unknown cluster unit 'word'"),
        ("compare results.json --format jsn", "format 'jsn'", "did you mean 'json'?"),
        ("diagnose results.json --format jsn", "format 'jsn'", "did you mean 'json'?"),
        (
            "gate results.json --baseline results.json --format jsn",
            "format 'jsn'",
            "did you mean 'json'?",
        ),
        (
            "gate results.json --baseline results.json --match overlp",
            "--match overlp",
            "did you mean 'overlap'?",
        ),
        (
            "gate results.json --baseline results.json --resample word",
            "resample",
            "unknown cluster unit 'word'",
        ),
        (
            "gate results.json --baseline results.json --max-drop -1",
            "max_drop",
            "invalid value -1.0",
        ),
        (
            "gate results.json --baseline results.json --facet tmrr",
            "--facet tmrr",
            "did you mean 'tmr'?",
        ),
        (
            "gate results.json --baseline results.json --facet tmr=sen --metric recall",
            "--facet tmr=sen",
            "did you mean 'seen'?",
        ),
        (
            "gate results.json --baseline results.json --metric recal",
            "--metric recal",
            "did you mean 'recall'?",
        ),
        (
            "gate results.json --baseline results.json --type PRE",
            "--type PRE",
            "unknown type. Fix: did you mean 'PER'?",
        ),
        (
            "gate results.json --baseline results.json --facet hard --metric ter --type PER",
            "--type PER",
            "hard is not evaluated by type. Fix: leave the type out",
        ),
        (
            "gate results.json --baseline results.json --facet hard=diff --metric error_share",
            "--metric error_share",
            "neither high nor low values of it are better",
        ),
        (
            "gate results.json --floor 5 --undecided maybe",
            "undecided",
            "unknown value 'maybe'",
        ),
        (
            "gate results.json",
            "baseline",
            "max_drop needs a baseline",
        ),
        (
            "gate results.json --max-drop 1",
            "baseline",
            "max_drop needs a baseline",
        ),
        ("gate empty.json --floor 1", "results", "no evidence to judge"),
        (
            "gate results.json --conditions none.toml --floor 5",
            "floor",
            "this option cannot be used with conditions",
        ),
        ("gate results.json --conditions none.toml", "none.toml", "no such file"),
        ("gate results.json --conditions .", ".", "it cannot be read"),
        ("compare results.json --format junit", "--format junit", "there are no verdicts to show"),
        ("diagnose results.json --format github", "--format github", "there are no verdicts"),
        # numbers
        ("compare results.json --samples 0", "samples", "invalid value 0"),
        ("compare results.json --samples 5 --seed -1", "seed", "invalid value -1"),
        ("gate results.json --floor nan", "floor", "invalid value nan"),
        ("gate results.json --floor 1 --alpha 0", "alpha", "invalid value 0.0"),
        # what the results do not hold
        ("compare empty.json", "results", "no evidence to resample"),
        ("diagnose empty.json", "results", "no attribute was evaluated"),
        (
            "gate results.json --baseline empty.json",
            "baseline",
            "it has none of the datasets of the results",
        ),
        (
            "gate results.json --baseline other.json",
            "toy",
            "results and baseline were made on different gold data",
        ),
        (
            "gate results.json --baseline fewer.json",
            "toy",
            "facets missing in the baseline: ",
        ),
    ],
)
def test_comparisons_that_cannot_be_made(
    command: str, place: str, fact: str, results: Path, run: Run
) -> None:
    folder = results.parent
    write(folder / "empty.json", EMPTY)
    write(folder / "short.txt", GOLD[: GOLD.index("Oslo")])
    for name, arguments in OTHER_RESULTS.items():
        path = folder / f"{name}.json"
        if name not in _written:  # the same for all cases, and slow to make
            assert run(*shlex.split(f"evaluate {arguments} -o {path.name} --dataset toy")).code == 0
            _written[name] = path.read_bytes()
        path.write_bytes(_written[name])
    refused(run, folder, command, place, fact)


def test_documents_cannot_be_resampled_where_there_are_none(data: Path, run: Run) -> None:
    for name in ("gold", "good", "poor"):
        text = (data / f"{name}.txt").read_text().replace("-DOCSTART- O\n", "")
        write(data / f"{name}.txt", text)
    refused(
        run,
        data,
        f"{EVALUATE} --intervals --resample document -o out.json",
        "gold",
        "document",
    )
    assert run(*shlex.split(f"evaluate gold.txt {BOTH} -o results.json")).code == 0
    refused(run, data, "compare results.json --resample document --samples 10", "gold", "document")


def test_names_that_share_nothing_cannot_be_held_against_each_other(data: Path, run: Run) -> None:
    for name, systems in [("a", BOTH), ("b", "--system x=good.txt --system y=poor.txt")]:
        assert run(*shlex.split(f"evaluate gold.txt {systems} -o {name}.json")).code == 0
    refused(run, data, "gate a.json --baseline b.json", "systems", "have no name in common")


@pytest.mark.parametrize(
    ("content", "place", "fact"),
    [
        # not TOML
        ("[datasets\n", "e.toml", "invalid TOML"),
        (b"\xff", "e.toml", "invalid TOML"),
        # misspelt keys, with their lines
        (
            EXPERIMENT + "[setings]\n",
            "e.toml:6",
            "unknown key 'setings'. Fix: did you mean 'settings'?",
        ),
        (
            EXPERIMENT + "[settings]\nsample = 5\n",
            "e.toml:7",
            "unknown key 'sample' in [settings]. Fix: did you mean 'samples'?",
        ),
        (
            EXPERIMENT + "[compare]\nbase = 'good'\n",
            "e.toml:7",
            "unknown key 'base' in [compare]. Fix: did you mean 'baseline'?",
        ),
        (
            EXPERIMENT.replace("\n[systems]", '\ntrian = "train.txt"\n[systems]'),
            "e.toml:3",
            "unknown key 'trian' in [datasets.toy]. Fix: did you mean 'train'?",
        ),
        # nothing to do
        ("", "e.toml", "no dataset is defined"),
        ('[systems]\ngood = "good.txt"\n', "e.toml", "no dataset is defined"),
        (EXPERIMENT.replace("test =", "train ="), "e.toml:1", "dataset 'toy' has no test file"),
        (EXPERIMENT.replace("gold.txt", "none.txt"), "none.txt", "no such file"),
        (
            EXPERIMENT.replace(' = "good.txt"', ' = "none.*"').replace(
                ' = "poor.txt"', ' = "none"'
            ),
            "e.toml:1",
            "no output of any system",
        ),
        ("settings = 5\n" + EXPERIMENT, "e.toml:1", "'settings' is not a table"),
        (
            "systems = 5\n" + EXPERIMENT[: EXPERIMENT.index("[systems]")],
            "e.toml:1",
            "'systems' is not a table",
        ),
        # names and numbers
        (EXPERIMENT + "[settings]\nrepair = 'strikt'\n", "repair", "did you mean 'strict'?"),
        (EXPERIMENT + "[settings]\nfacets = ['tmrr']\n", "facet 'tmrr'", "did you mean 'tmr'?"),
        (
            EXPERIMENT + "[settings]\nresample = 'word'\n",
            "resample",
            "unknown cluster unit 'word'",
        ),
        (EXPERIMENT + "[compare]\nmethod = 'boot'\n", "method 'boot'", "did you mean 'bootstrap'?"),
        (EXPERIMENT + "[compare]\nbaseline = 'por'\n", "system 'por'", "did you mean 'poor'?"),
        (EXPERIMENT + 'GOOD = "good.txt"\n', "system 'GOOD'", "another system has the name 'good'"),
        # values of another kind
        (EXPERIMENT + "[settings]\nsamples = 0\n", "samples", "invalid value 0"),
        (EXPERIMENT + "[settings]\nsamples = 'many'\n", "e.toml:7", "samples"),
        (EXPERIMENT + "[settings]\nbuckets = 'four'\n", "e.toml:7", "buckets"),
        ("compare = true\n" + EXPERIMENT, "e.toml:1", "'compare' is not a table"),
        (EXPERIMENT.replace('"gold.txt"', "5"), "e.toml:2", "test"),
        ('[datasets]\ntoy = "gold.txt"\n[systems]\ngood = "good.txt"\n', "e.toml:2", "'toy'"),
        (EXPERIMENT + "[settings]\nfacets = 'tmrr'\n", "e.toml:7", "facets"),
    ],
)
def test_experiments_that_cannot_be_run(
    content: str | bytes, place: str, fact: str, data: Path, run: Run
) -> None:
    write(data / "e.toml", content)
    refused_with_notes(run, data, "evaluate e.toml -o out.json", place, fact)


def refused_with_notes(run: Run, folder: Path, command: str, place: str, fact: str) -> None:
    """As `refused`, but what was found before may be cached."""
    before = {path.name for path in folder.iterdir()}
    outcome = run(*shlex.split(command))
    assert (outcome.code, outcome.out) == (2, "")
    [message] = [
        line for line in outcome.err.splitlines() if not line.startswith("nerscope: note: ")
    ]
    assert message.startswith(f"nerscope: {place}") and fact in message and "Fix: " in message
    assert {path.name for path in folder.iterdir()} - {".nerscope-cache"} == before


@pytest.mark.parametrize(
    "options",
    [
        "--list confusion",
        "--errors out.csv",
        "--facet eLen",
        "--match exact",
        "--metric f1",
        "--system x=good.txt",
        "--train train.txt",
        "--dataset toy",
        "--intervals",
        "--resample document",
        "--repair strict",
        "--token-repair conlleval",
        "--token-match io",
        "--zero-division 0",
        "--buckets 3",
        "--bucketing zero",
        "--edges eLen=1",
    ],
)
def test_options_that_an_experiment_file_decides_are_refused(
    options: str, data: Path, run: Run
) -> None:
    write(data / "e.toml", EXPERIMENT + "[settings]\nsamples = 20\n")
    refused(run, data, f"evaluate e.toml --no-cache {options}", options.split()[0], "experiment")


@pytest.mark.parametrize(
    ("command", "fact"),
    [
        # the parser of the command line answers these in its own words
        ("evaluate gold.txt --fasset tmr", "--facet"),
        ("evaluat gold.txt", "evaluate"),
        ("evaluate", "GOLD"),
        ("evaluate gold.txt --buckets four", "four"),
        ("compare results.json a b c", "c"),
        ("validate", "FILE"),
    ],
)
def test_commands_that_cannot_be_parsed(command: str, fact: str, data: Path, run: Run) -> None:
    before = set(data.iterdir())
    outcome = run(*command.split())
    assert (outcome.code, outcome.out) == (2, "")
    assert "Error: " in outcome.err and fact in outcome.err and "Traceback" not in outcome.err
    assert set(data.iterdir()) == before


def test_a_folder_that_may_not_be_written_is_refused(
    data: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.access", lambda path, mode: False)  # a superuser may write anywhere
    refused(run, data, f"{EVALUATE} -o out.json", "out.json", "its folder is not writable")


def test_an_experiment_file_that_is_there_is_not_overwritten(data: Path, run: Run) -> None:
    write(data / "nerscope.toml", "mine")
    (data / "gold.txt").rename(data / "test.txt")
    refused(run, data, "init", "nerscope.toml", "the file exists")


def test_a_folder_without_test_data_gets_no_experiment_file(tmp_path: Path, run: Run) -> None:
    refused(run, tmp_path, f"init {tmp_path}", str(tmp_path), "no file with 'test' in its name")


# Outputs that would destroy something


@pytest.mark.parametrize(
    "command",
    [
        # an input
        f"{TRAINED} -o gold.txt",
        f"{TRAINED} -o good.txt",
        f"{TRAINED} -o train.txt",
        f"{TRAINED} -o ./gold.txt",
        f"{TRAINED} -o link.txt",
        f"{TRAINED} -o hard.txt",
        f"{TRAINED} --plugin mine.py -o mine.py",
        f"{TRAINED} --errors gold.txt",
        "evaluate gold.txt::label=1 --system good=good.txt::label=1 -o good.txt",
        # another output
        f"{TRAINED} -o out.csv --errors out.csv",
        f"{TRAINED} -o out.csv --errors ./out.csv",
        # those of an experiment
        "evaluate e.toml -o e.toml",
        "evaluate e.toml -o gold.txt",
        "evaluate e.toml -o good.txt",
        "evaluate e.toml -o taken.json",
        "evaluate e.toml --plugin mine.py -o mine.py",
        # of other commands
        "convert gold.txt gold.txt --to bioes",
        "convert gold.txt::label=1 gold.txt --to bioes",
        "convert gold.txt link.txt --to bioes",
        "convert gold.txt hard.txt --to bioes",
        "convert gold.txt mine.py --to bioes --plugin mine.py",
    ],
)
def test_an_output_is_never_an_input_nor_another_output(command: str, data: Path, run: Run) -> None:
    write(data / "mine.py", "")
    write(data / "taken.comparison.json", (data / "good.txt").read_bytes())
    write(data / "e.toml", EXPERIMENT + 'third = "taken.comparison.json"\n[compare]\n')
    (data / "link.txt").symlink_to("gold.txt")
    (data / "hard.txt").hardlink_to(data / "gold.txt")
    refused(run, data, command, "", "this file is also an input, or another output")


@pytest.mark.parametrize(
    "command",
    [
        "convert b b/a.txt::format=jsonl",
        "convert b/a.txt b/a.ann::format=conll",
        "convert b/a.ann b/a.txt::format=conll",
        "convert b/a.x::format=brat b/a.ann",
        "evaluate b --system m=b -o b/a.ann",
        "evaluate b/a.txt --system m=b/a.txt --errors b/a.ann",
        "evaluate ids.jsonl::names=names.txt --system m=ids.jsonl::names=names.txt -o names.txt",
        "evaluate names.toml -o names.txt",
        "convert ids.jsonl::names=names.txt names.txt",
        "baseline --train gold.txt --test b --recipe dictionary -o b/a.ann",
    ],
)
def test_files_that_are_read_beside_the_named_ones_are_inputs(
    command: str, data: Path, run: Run
) -> None:
    (data / "b").mkdir()
    write(data / "b" / "a.txt", "Ada spoke.")
    write(data / "b" / "a.ann", "T1\tPER 0 3\tAda\n")
    write(data / "b" / "a.x", "")
    write(data / "names.txt", "O\nB-PER\n")
    write(data / "ids.jsonl", '{"tokens": ["Ada", "spoke"], "ner_tags": [1, 0]}\n')
    ids = '"ids.jsonl::names=names.txt"'
    write(data / "names.toml", f"[datasets.d]\ntest = {ids}\n[systems]\nm = {ids}\n")
    refused(run, data, command, "", "this file is also an input, or another output")


def test_a_new_file_may_stand_beside_the_inputs(data: Path, run: Run) -> None:
    (data / "b").mkdir()
    write(data / "b" / "a.txt", "Ada spoke.")
    outcome = run("convert", "b/a.txt::format=brat", "b/a.ann::format=conll")
    assert outcome.code == 0 and (data / "b" / "a.ann").exists()


def test_a_damaged_list_of_judgements_is_one_message(data: Path, run: Run) -> None:
    write(data / "pairs.csv", "system,credit left,judgement\ns,0.5\n")
    refused(run, data, "judged pairs.csv", "pairs.csv", "")
    write(data / "pairs.csv", "system,credit left,judgement\ns,0.5,so so\n")
    refused(run, data, "judged pairs.csv", "pairs.csv:2", "unknown judgement 'so so'")


def test_results_whose_evidence_lost_a_part_are_one_message(results: Path, run: Run) -> None:
    content = json.loads(results.read_text())
    content["evidence"][0]["size"] += 1
    write(results, json.dumps(content))
    refused(run, results.parent, "compare results.json --samples 10", "results.json", "damaged")


@pytest.mark.parametrize(
    "command",
    [
        "compare results.json",
        "diagnose results.json",
        "gate results.json --baseline results.json",
        "describe --train train.txt",
        "validate gold.txt",
        "convert gold.txt out.txt --to bio",
        EVALUATE,
    ],
)
def test_every_command_that_reads_takes_plugins(command: str, results: Path, run: Run) -> None:
    write(results.parent / "plugin.py", "1 / 0\n")
    refused(
        run,
        results.parent,
        f"{command} --plugin plugin.py",
        "plugin.py",
        "it fails (ZeroDivisionError",
    )
