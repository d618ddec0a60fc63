"""`ns.audit`: which places are suspects, and what is known about them."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.annotation.audit_data import Made, as_conll, make_data

import nerscope as ns
from nerscope.annotation.audit.evidence import OUTSIDE, Changes, usage
from nerscope.annotation.audit.material import LabelledText
from nerscope.annotation.audit.places import find_places
from nerscope.annotation.audit.planting import Planter
from nerscope.annotation.audit.scoring import count_slips, slip_probabilities
from nerscope.corpus.corpus import Coding, Corpus
from nerscope.experiment.cache import Cache


def audited(made: Made, **options: Any) -> ns.Audit:
    systems = {name: made.corpus(spans) for name, spans in made.systems.items()}
    options = {"recipe": "none" if systems else None, **options}
    return ns.audit(made.corpus(made.gold), systems or None, **options)


def sentence_scores(result: ns.Audit) -> np.ndarray:
    scores = np.zeros(result.n_sentences)
    for suspect in result.suspects:
        scores[suspect.sentence] = max(scores[suspect.sentence], suspect.score)
    return scores


def average_precision(scores: np.ndarray, wrong: np.ndarray) -> float:
    ordered = wrong[np.argsort(-scores, kind="stable")]
    return float((np.cumsum(ordered) / np.arange(1, len(ordered) + 1))[ordered].mean())


@pytest.mark.parametrize("seed", range(3))
def test_planted_errors_rank_above_errors_of_systems(seed: int) -> None:
    made = make_data(seed=seed)
    result = audited(made)
    agree = np.array(
        [
            float(a == b != gold)
            for a, b, gold in zip(*made.systems.values(), made.gold, strict=True)
        ]
    )
    ours = average_precision(sentence_scores(result), made.wrong)
    assert ours > 0.9
    assert ours > average_precision(agree, made.wrong)
    scores = [suspect.score for suspect in result.suspects]
    assert scores == sorted(scores, reverse=True) and 0 < scores[-1] <= scores[0] <= 1


def test_the_number_of_slips_is_of_the_right_size() -> None:
    expected, wrong = [], []
    for seed in range(5):
        made = make_data(1000, 0.06, 0.08, seed=seed)
        result = audited(made)
        expected.append(result.slips)
        wrong.append(
            sum(len(set(a) ^ set(b)) > 0 for a, b in zip(made.truth, made.gold, strict=True))
        )
    assert 0.15 < sum(expected) / sum(wrong) < 1.2  # the count is cautious


def test_a_suspect_has_a_place_a_proposal_and_reasons() -> None:
    words = ["Ada", "saw", "Oslo"]
    right = [(words, [(0, 1, "PER"), (2, 3, "LOC")])] * 4
    gold = [*right, (words, [(0, 1, "PER"), (2, 3, "PER")])]
    suspect = ns.audit(gold, {"a": [*right, right[0]], "b": [*right, right[0]]}).suspects[0]
    assert suspect.sentence == 4 and suspect.kind == "type"
    assert suspect.gold == ((2, 3, "PER"),) and suspect.proposed == ((2, 3, "LOC"),)
    assert set(suspect.reasons) == {
        "a and b both say LOC",
        "elsewhere, 'Oslo' is LOC 4 of 4 times",
        "the same sentence is labelled LOC in line 1",
    }


@pytest.mark.parametrize(
    ("gold", "kind"),
    [
        ([(0, 1, "PER")], "missing"),
        ([(0, 1, "PER"), (2, 4, "LOC"), (1, 2, "LOC")], "spurious"),
        ([(0, 1, "PER"), (2, 3, "LOC")], "boundary"),
        ([(0, 1, "PER"), (2, 4, "ORG")], "type"),
    ],
)
def test_kinds_of_suspects(gold: list[tuple[int, int, str]], kind: str) -> None:
    words = ["Ada", "saw", "New", "York"]
    right = [(0, 1, "PER"), (2, 4, "LOC")]
    [suspect] = ns.audit([(words, gold)], {"a": [(words, right)]}).suspects
    assert suspect.kind == kind
    corrected = (set(gold) - set(suspect.gold)) | set(suspect.proposed)
    assert corrected == set(right)


def test_the_same_mistake_is_one_group() -> None:
    words = ["In", "Oslo", "today", "."]
    gold = [(words, [(1, 2, "PER")])] * 5
    system = [(words, [(1, 2, "LOC")])] * 5
    result = ns.audit(gold, {"a": system})
    [group] = result.groups
    assert group.n == 5 and group.suspects == (0, 1, 2, 3, 4)
    assert (group.gold, group.proposed) == ("Oslo/PER", "Oslo/LOC")
    assert {suspect.group for suspect in result.suspects} == {group.group}


def test_a_break_inside_a_name_is_listed_and_not_applied() -> None:
    name = [(["At", "Bank", "of", "Ghana"], [(1, 4, "ORG")])] * 2
    cut = [(["At", "Bank", "of"], [(1, 3, "ORG")]), (["Ghana", "today"], [(0, 1, "ORG")])]
    result = ns.audit([*name, *cut], {"a": [*name, *cut]})
    assert [(row.kind, row.sentence) for row in result.suspects] == [("broken", 2), ("broken", 3)]
    assert result.suspects[0].gold == result.suspects[0].proposed == ()
    assert result.decisions(result.suspects) == []


def test_results_do_not_depend_on_chance_or_files(tmp_path: Path) -> None:
    made = make_data(120)
    gold = tmp_path / "gold.conll"
    gold.write_text(as_conll(made, made.gold), encoding="utf-8")
    outputs = {}
    for name, spans in made.systems.items():
        outputs[name] = str(tmp_path / f"{name}.conll")
        Path(outputs[name]).write_text(as_conll(made, spans), encoding="utf-8")
    first, again = (ns.audit(str(gold), outputs) for _ in range(2))
    assert first.as_dict() == again.as_dict()
    in_memory = audited(made)
    assert [row.score for row in in_memory.suspects] == [row.score for row in first.suspects]
    assert {row.file for row in first.suspects} == {str(gold)}


def test_without_texts_no_word_of_the_data_is_in_the_result() -> None:
    made = make_data(100, 0.1)
    written = json.dumps(audited(made, texts=False).as_dict()["suspects"]) + json.dumps(
        audited(made, texts=False).as_dict()["groups"]
    )
    assert not [word for tokens in made.words for word in tokens if f"'{word}'" in written]
    assert "Junior" not in written and audited(made, texts=False).sentences[0].tokens == ()


@pytest.mark.parametrize("recipe", ["crf", "perceptron"])
def test_without_systems_recipes_predict_out_of_fold(recipe: str, tmp_path: Path) -> None:
    if recipe == "crf":
        pytest.importorskip("pycrfsuite")
    made = make_data(200, 0.05, systems=0)
    cache = Cache(tmp_path / "cache")
    first = audited(made, recipe=recipe, cache=cache)
    assert average_precision(sentence_scores(first), made.wrong) > 3 * made.wrong.mean()
    assert [row.system for row in first.systems] == [recipe]
    assert len(list((tmp_path / "cache").iterdir())) == first.settings["folds"]
    assert audited(made, recipe=recipe, cache=cache, workers=2).as_dict() == first.as_dict()
    assert any(
        f"{recipe}, trained without this document," in r for s in first.suspects for r in s.reasons
    )


def test_a_system_that_was_trained_on_gold_is_reported_or_left_out() -> None:
    made = make_data(200)
    systems = {**made.systems, "copy": made.gold}
    given = {name: made.corpus(spans) for name, spans in systems.items()}
    gold = made.corpus(made.gold)
    [warning] = ns.audit(gold, given, recipe="none").warnings
    assert warning.startswith("copy agrees with gold almost everywhere (F1 100.0)")
    result = ns.audit(gold, given, trained_on="copy", recipe="none")
    assert [row.system for row in result.systems] == list(made.systems)
    held_out = ns.audit(gold, given, held_out={"system0": 0.5, "system1": 0.95}, recipe="none")
    assert [text.split()[0] for text in held_out.warnings] == ["system0", "copy"]


def test_bad_input_is_refused() -> None:
    made = make_data(40)
    with pytest.raises(ns.InputError, match="it has 5 sentences, and without systems an audit"):
        ns.audit([(["Ada"], ["B-PER"])] * 5)
    with pytest.raises(ns.UsageError, match="no output of this system is given"):
        audited(made, trained_on="bert")
    with pytest.raises(ns.UsageError, match=r"invalid value 1\.5"):
        audited(made, held_out={"system0": 1.5})
    with pytest.raises(ns.UsageError, match="folds: invalid value 1"):
        audited(make_data(40, systems=0), folds=1)
    with pytest.raises(ns.AlignmentError):
        ns.audit(made.corpus(made.gold), {"a": made.corpus(made.gold).sentences(0, 30)})


@pytest.mark.parametrize(
    ("gold", "system"),
    [
        ([(["Ada"], [(0, 1, "PER")])], [(["Ada"], [(0, 1, "PER")])]),
        ([(["Ada"], [])], [(["Ada"], [])]),
        ([(["Ada"], [])], [(["Ada"], [(0, 1, "PER")])]),
        ([(["Ada", "B"], [(0, 2, "PER"), (0, 1, "LOC")])], [(["Ada", "B"], [(1, 2, "LOC")])]),
    ],
)
def test_one_sentence_is_enough(gold: list[object], system: list[object]) -> None:
    result = ns.audit(gold, {"a": system})  # type: ignore[arg-type]
    assert bool(result.suspects) == (gold != system)
    assert json.loads(json.dumps(result.as_dict(), allow_nan=False, default=dict))


def test_places_join_overlapping_mentions_and_nothing_else() -> None:
    random = np.random.default_rng(5)
    for _ in range(50):
        sides = [make_random_spans(random) for _ in range(3)]
        corpora = [Corpus.of([(["w"] * 30, side)]) for side in sides]
        coding = Coding()
        mentions = [corpus.recoded(coding).mentions() for corpus in corpora]
        places = list(find_places(mentions[0], mentions[1:]))
        found = [
            sorted((s, e, coding.labels.types[t]) for place in places for s, e, t in part(place, k))
            for k in range(3)
        ]
        assert found == [sorted(side) for side in sides]
        for left, right in pairwise(places):
            assert left.end <= right.start
        for place in places:
            covered = {t for k in range(3) for s, e, _ in part(place, k) for t in range(s, e)}
            assert covered == set(range(place.start, place.end))


def part(place: object, side: int) -> tuple[tuple[int, int, int], ...]:
    return (place.gold, *place.answers)[side]  # type: ignore[attr-defined,no-any-return]


def make_random_spans(random: np.random.Generator) -> list[tuple[int, int, str]]:
    spans, at = [], 0
    while (start := at + int(random.integers(6))) < 28:
        at = min(30, start + int(random.integers(1, 4)))
        spans.append((start, at, "AB"[random.integers(2)]))
    return spans


def test_usage_counts_like_a_naive_program() -> None:
    random = np.random.default_rng(3)
    for _ in range(20):
        made = [
            ([str(w) for w in random.integers(3, size=8)], make_short_spans(random))
            for _ in range(12)
        ]
        corpus = Corpus.of(made)
        corpus.documents[:] = np.arange(12) // 4
        text = LabelledText(corpus, corpus.mentions())
        rows = [
            (n, 8 * n + 2, 8 * n + 3, int(random.integers(-1, 2)), int(random.integers(-1, 2)))
            for n in range(12)
        ]
        changes = Changes(*np.array(rows).T)
        counts = usage(changes, text, [text])
        for n, start, _, gold, proposed in rows:
            others = [
                label
                for label, at in naive_labels(corpus, made[n][0][2])
                for copy in range(2)
                if (at, copy) != (start, 0)
            ]
            assert counts.anywhere.total[n] == len(others)
            assert counts.anywhere.gold[n] == others.count(gold)
            assert counts.anywhere.proposed[n] == others.count(proposed)
            near = [
                label
                for label, at in naive_labels(corpus, made[n][0][2])
                if at != start and at // 32 == n // 4
            ]
            assert counts.document.total[n] == len(near)
            assert counts.document.proposed[n] == near.count(proposed)


def make_short_spans(random: np.random.Generator) -> list[tuple[int, int, str]]:
    return [(at, at + 1, "AB"[random.integers(2)]) for at in range(8) if random.integers(3) == 0]


def naive_labels(corpus: Corpus, word: str) -> list[tuple[int, int]]:
    """The label of every occurrence of a word, and its place."""
    mentions = corpus.mentions()
    spans = zip(mentions.start.tolist(), mentions.type.tolist(), strict=True)
    label = dict(spans)
    words = corpus.words_at(slice(0, corpus.n_tokens))
    return [(label.get(at, OUTSIDE), at) for at, each in enumerate(words) if each == word]


def test_planted_errors_are_errors() -> None:
    made = make_data(60)
    corpus = made.corpus(made.truth)
    places = list(find_places(corpus.mentions(), [corpus.mentions()]))
    likely = np.ones(corpus.n_tokens, bool)
    planted = list(Planter(places, corpus.starts, likely, 1, seed=1).plant(400))
    assert len(planted) > 300
    assert all(place.is_disputed for place in planted)
    sentence = np.searchsorted(corpus.starts, [place.start for place in planted], side="right")
    assert (np.array([place.end for place in planted]) <= corpus.starts[sentence]).all()


def test_the_number_of_slips_is_found_where_they_are_like_planted_errors() -> None:
    random = np.random.default_rng(2)
    for n_slips in (0, 100, 400):
        planted = random.normal(3, 1, 4000)
        gold = np.concatenate([random.normal(3, 1, n_slips), random.normal(-2, 1, 2000)])
        expected = count_slips(gold, planted, np.ones(4000))
        assert abs(expected - n_slips) <= 3 + 0.4 * n_slips
        shares = slip_probabilities(gold, planted, np.full(4000, expected / 4000))
        assert abs(shares.sum() - expected) <= 1 + 0.15 * expected
        assert (np.diff(shares[np.argsort(gold)]) >= -1e-12).all()


def test_an_audit_is_saved_shown_and_applied(tmp_path: Path) -> None:
    made = make_data(300, 0.08)
    gold = tmp_path / "gold.conll"
    gold.write_text(as_conll(made, made.gold), encoding="utf-8")
    systems = {name: made.corpus(spans) for name, spans in made.systems.items()}
    result = ns.audit(str(gold), systems, recipe="none")
    result.save(tmp_path / "audit.json")
    saved = json.loads((tmp_path / "audit.json").read_text(encoding="utf-8"))
    assert saved["suspects"] == [row.as_dict() for row in result.rows]
    frame = result.to_pandas()
    assert len(frame) == len(result.suspects) and list(frame["score"]) == [
        row.score for row in result.suspects
    ]
    sure = result.suspects[:20]
    log = result.apply(result.decisions(sure, by="eve"), tmp_path / "corrected.conll")
    assert {row.sentence for row in log.rows} == {suspect.sentence for suspect in sure}
    before, after = (
        ns.evaluate(str(file), systems).value(system="system0", metric="f1") or 0.0
        for file in (gold, tmp_path / "corrected.conll")
    )
    assert sure and after > before
