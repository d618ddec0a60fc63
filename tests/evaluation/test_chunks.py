"""Chunks: scoring one is pure, and neither their number nor who scores them moves a number."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.scoring.toys import Corpus, corpus, drawn, noisy, text_of

import nerscope
from nerscope.codec import pack, unpack
from nerscope.engines.base import Item, Part, State, engine_for
from nerscope.engines.local import Local
from nerscope.engines.messages import decode, encode
from nerscope.engines.pool import Pool
from nerscope.errors import UsageError
from nerscope.evaluation.gather import score_task
from nerscope.evaluation.plan import make_plan
from nerscope.evaluation.score import score_chunk
from nerscope.evaluation.task import Settings, open_task
from nerscope.registry import load_plugins
from nerscope.results.errors import mention_records
from nerscope.results.results import Results

GOLD, TRAIN = drawn(60, seed=1), drawn(60, seed=2)
PRED, OTHER = noisy(GOLD, 0.2, 3), noisy(GOLD, 0.3, 4)
OFTEN = 600  # so that files have several blocks


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nerscope.formats.shards._SHARD_SIZE", 1 << 16)


def written(path: Path, sentences: Corpus) -> str:
    path.write_text("\n".join([text_of(sentences)] * OFTEN), encoding="utf-8")
    return str(path)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("files")
    corpora = {"gold": GOLD, "pred": PRED, "other": OTHER}
    return {name: written(folder / f"{name}.txt", own) for name, own in corpora.items()}


def evaluated(files: dict[str, str], **options: Any) -> Results:
    systems = {"a": files["pred"], "b": [files["other"], files["gold"]]}
    return nerscope.evaluate(files["gold"], systems, **{"train": TRAIN, **options})


@pytest.fixture(scope="module")
def alone(files: dict[str, str]) -> str:
    return evaluated(files).to_json()


@pytest.mark.slow
def test_two_workers_give_the_same_bytes_as_one(files: dict[str, str], alone: str) -> None:
    assert evaluated(files, workers=2).to_json() == alone


class Backwards:
    """An engine that works on all items from the last to the first."""

    remote = True

    def map(
        self, work: Callable[[State, Item], Part], state: State, items: Iterable[Item]
    ) -> Iterator[Part]:
        everyone = list(items)
        assert len(everyone) > 1
        parts = [work(state, item) for item in reversed(everyone)]
        yield from reversed(parts)


class Posted(Backwards):
    """An engine for which everything travels as bytes."""

    def map(
        self, work: Callable[[State, Item], Part], state: State, items: Iterable[Item]
    ) -> Iterator[Part]:
        for item in items:
            sent: tuple[Any, Any, Any] = decode(encode((work, state, item)))
            part: Part = unpack(pack(sent[0](sent[1], sent[2])))
            yield part


@pytest.mark.slow(quick=1)
@pytest.mark.parametrize(
    "engine", [Backwards(), Posted(), "local"], ids=["backwards", "posted", "local"]
)
def test_who_scores_chunks_moves_no_number(files: dict[str, str], alone: str, engine: Any) -> None:
    assert evaluated(files, engine=engine).to_json() == alone


@pytest.mark.slow
def test_chunks_add_up_to_the_whole(files: dict[str, str]) -> None:
    whole = nerscope.read(files["gold"])
    outputs = {"a": nerscope.read(files["pred"]), "b": nerscope.read(files["other"])}
    together = nerscope.evaluate(whole, outputs, train=TRAIN, dataset="gold")
    parts = nerscope.evaluate(files["gold"], {"a": files["pred"], "b": files["other"]}, train=TRAIN)
    assert parts.rows == together.rows


def test_scoring_a_chunk_is_pure(files: dict[str, str]) -> None:
    task = open_task(files["gold"], {"a": files["pred"]}, TRAIN, None, Settings())
    plan = make_plan(task, Local()).plan
    before = encode(plan)
    rows = list(task.aligned_chunks(tokens=True))
    assert len(rows) > 1
    first = [score_chunk(plan, row) for row in rows]
    again = [score_chunk(plan, row) for row in reversed(rows)][::-1]
    for one, other in zip(first, again, strict=True):
        assert pack(one) == pack(other)
    assert encode(plan) == before
    assert sum(part.sentences for part in first) == OFTEN * len(GOLD)


def test_surfaces_that_training_and_gold_lack_are_numbered_within_the_chunk() -> None:
    gold, pred = corpus("a/B-PER b c", "d b"), corpus("a b/B-PER c/B-PER", "d b/B-PER")
    task = open_task(gold, {"s": pred}, corpus("a/B-PER"), None, Settings())
    plan = make_plan(task, Local()).plan
    (row,) = task.aligned_chunks(tokens=True)
    part = score_chunk(plan, row)
    surface = part.ledgers["mention"].runs[0].pred.surface
    assert surface is not None
    assert surface.tolist() == [-2, -3, -2]
    assert part.new_surfaces.ends.tolist() == [1, 2]
    evidence = score_task(task, make_plan(task, Local()), Local()).evidence
    lasting = evidence.ledgers["mention"].runs[0].pred.surface
    assert lasting is not None
    assert (lasting >= 0).all()
    assert lasting[0] == lasting[2] != lasting[1]


def test_progress_counts_the_sentences_of_all_chunks(files: dict[str, str]) -> None:
    said: list[int] = []
    evaluated(files, progress=said.append, facets=[], train=None)
    assert len(said) > 1
    assert said == sorted(said)
    assert said[-1] == OFTEN * len(GOLD)


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_of_large_corpora_words_are_kept_with_the_mentions_or_not_at_all(
    files: dict[str, str], monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    for module in ("gather", "score"):
        monkeypatch.setattr(f"nerscope.evaluation.{module}.FOLD_ABOVE", len(GOLD) - 1)
    monkeypatch.setattr("nerscope.formats.columns.conll.ConllFile.max_small", 100)
    assert evaluated(files, workers=workers).evidence[0].texts is None
    results = evaluated(files, fold=False, workers=workers)
    texts = results.evidence[0].texts
    assert texts is not None and len(texts) == OFTEN * len(GOLD)
    assert next(mention_records(results, "a"))["text"] is not None
    assert evaluated(files, fold=False, texts=False).evidence[0].texts is None


def test_the_lines_of_sentences_are_kept_over_chunks(files: dict[str, str]) -> None:
    lines = evaluated(files, facets=[], train=None).evidence[0].lines
    assert lines is not None
    assert len(lines) == OFTEN * len(GOLD)
    assert (np.diff(lines) > 0).all()


@pytest.mark.parametrize("workers", [0, -1, 1.5, True, "2"])
def test_workers_that_cannot_be_are_refused(workers: Any) -> None:
    with pytest.raises(UsageError, match=r"workers: invalid value"):
        nerscope.evaluate(GOLD, {"s": PRED}, workers=workers)


def test_an_engine_that_does_not_exist_is_refused() -> None:
    with pytest.raises(UsageError, match=r"engine 'pol': unknown engine.* mean 'pool'"):
        nerscope.evaluate(GOLD, {"s": PRED}, engine="pol")


PLUGIN = """
import numpy as np
from nerscope import Facet, Metric, attribute, ratio, register_facet, register_match
from nerscope import register_metric

@attribute("letters")
def letters(view):
    return np.array([len(text) for text in view.texts()], float)

register_facet(Facet("odd", "token", {"even": (0,), "odd": (1,)}, lambda view: np.arange(
    view.sentences.corpus.n_tokens) % 2, ("ter",), by_type=False))
register_metric(Metric("misses", lambda counts: counts.gold - counts.hit_gold, kind="count"))
"""


@pytest.mark.usefixtures("registries")
def test_workers_know_what_plugins_register(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(PLUGIN)
    load_plugins([str(path)])
    options: dict[str, Any] = {"facets": ["letters", "odd"], "metrics": ["misses", "recall"]}
    one = nerscope.evaluate(GOLD, {"s": PRED}, **options)
    two = nerscope.evaluate(GOLD, {"s": PRED}, workers=2, plugins=[str(path)], **options)
    assert {"letters", "odd"} <= {row["facet"] for row in one.rows}
    assert one.to_json() == two.to_json()


FAILING = """
import numpy as np
from nerscope import attribute

@attribute("broken")
def broken(view):
    raise ValueError("no number")
"""


@pytest.mark.usefixtures("registries")
@pytest.mark.parametrize("workers", [1, 2])
def test_what_fails_in_a_worker_is_said_as_elsewhere(workers: int, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(FAILING)
    load_plugins([str(path)])
    with pytest.raises(UsageError, match=r"attribute 'broken': its function fails \(ValueError"):
        nerscope.evaluate(
            GOLD, {"s": PRED}, facets=["broken"], workers=workers, plugins=[str(path)]
        )


def test_the_engine_follows_from_the_number_of_workers(tmp_path: Path) -> None:
    plugin = tmp_path / "p.py"
    plugin.write_text("")
    assert engine_for() == Local()
    assert engine_for(workers=3, plugins=[str(plugin)]) == Pool(3, (str(plugin),))
    assert engine_for("pool", 1) == Pool(1)
