"""Results: tidy rows with their conditions, and the questions that can be asked of them."""

import os
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nerscope.arguments import check_arguments
from nerscope.corpus.units import ALL
from nerscope.errors import InputError, expect, suggest, visible
from nerscope.formats.source import SourceNote, note_lines, summed_notes
from nerscope.results.protocol import Protocol
from nerscope.results.rows import Row
from nerscope.scoring.evidence import Evidence, joint
from nerscope.scoring.matching import EXACT
from nerscope.scoring.metrics import ACCURACY, Metric, metric_named
from nerscope.stats.corrections import DEFAULT_CORRECTION
from nerscope.version import VERSION

if TYPE_CHECKING:
    import pandas
    import polars

    from nerscope.render.document import Table
    from nerscope.render.page.html import ReportPage
    from nerscope.results.changes import ChangeRow
    from nerscope.results.errors import ConfusionRow, MentionRow, PartialRow
    from nerscope.results.judged import ShareRow
    from nerscope.results.over_datasets import AverageRow
    from nerscope.results.ranking import RankingRow
    from nerscope.results.weakest import OverallScores, WeakSpot

FilePath = str | os.PathLike[str]
_FIELDS = ("dataset", "system", "run", "unit", "facet", "level", "type", "match", "metric")


class Results:
    """What an evaluation found.

    >>> from nerscope import evaluate
    >>> results = evaluate([(["Ada", "spoke"], ["B-PER", "O"])], {"all-O": [["O", "O"]]})
    >>> results.value(metric="recall")
    0.0
    """

    def __init__(
        self,
        evidence: Sequence[Evidence] = (),
        losses: Sequence[SourceNote] = (),
        rows: list[Row] | None = None,
        protocol: Protocol | None = None,
    ) -> None:
        self.evidence, self.losses = list(evidence), list(losses)
        self.protocol = protocol  # what datasets are to each other; None: unknown
        self._rows = rows

    @property
    def rows(self) -> list[Row]:
        """Every number as a tidy row, made of the evidence when first asked for."""
        if self._rows is None:
            from nerscope.results.rows import rows_of

            self._rows = [row for part in self.evidence for row in rows_of(part)]
        return self._rows

    @property
    def signature(self) -> str:
        """All settings that move a number, in one line; where datasets differ, every value."""
        return joint(part.signature for part in self.evidence)

    @property
    def settings(self) -> dict[str, Any]:
        """The conditions as plain data: signature, and the edges of buckets by facet."""
        from nerscope.results.store import settings_of

        return settings_of(self.evidence)

    @property
    def systems(self) -> list[str]:
        """All systems, in the order given."""
        return list(dict.fromkeys(name for part in self.evidence for name in part.systems))

    def metric(self, name: str) -> Metric:
        """What a metric of the rows says of itself."""
        return metric_named(name)

    def facet_titles(self) -> dict[str, str]:
        """What each facet is called in headings."""
        return {table.facet: table.title for part in self.evidence for table in part.tables}

    def __repr__(self) -> str:
        """A summary of some ten lines."""
        from nerscope.render.first_screen import summary_lines

        return "\n".join(summary_lines(self))

    def _repr_html_(self) -> str:
        from nerscope.render.document import OUTPUTS
        from nerscope.render.first_screen import first_screen

        return OUTPUTS["html"](first_screen(self))

    def notes(self) -> list[str]:
        """What was read otherwise than it is written, in a line for each file and kind."""
        return note_lines(self.losses)

    def short_notes(self) -> list[str]:
        """The same in a line for each kind, however many files there are."""
        return summed_notes(self.losses)

    def interval_notes(self) -> list[str]:
        """What intervals cover, where systems with several runs stand beside some with one; and
        what they do not, where neighbouring sentences are alike.
        """
        from nerscope.results.neighbours import evaluation_notes

        notes = evaluation_notes(self)
        several, single = dict[str, int](), list[str]()
        for part in self.evidence:
            for system in part.systems:
                n_runs = len(part.runs_of(system))
                if n_runs > 1:
                    several[system] = n_runs
                elif system not in single:
                    single.append(system)
        if not several or not single:
            return notes
        named = [f"{name} ({n_runs} runs)" for name, n_runs in several.items()]
        alone = [f"{name} (1 run)" for name in single]
        return [
            f"95 % intervals: of {_some(named)}, they allow for other training runs; of "
            f"{_some(alone)}, for other test data alone",
            *notes,
        ]

    def folded_notes(self) -> list[str]:
        """A line for each dataset of which only sums were kept."""
        return [
            f"{part.dataset}: of {part.folded.sentences:,} sentences sums are kept and no single "
            "mentions, so errors cannot be listed; --keep-mentions keeps them"
            for part in self.evidence
            if part.folded is not None
        ]

    def select(self, **conditions: object) -> list[Row]:
        """The rows whose fields have the given values."""
        _check_conditions(conditions)
        return [
            row
            for row in self.rows
            if all(getattr(row, key) == value for key, value in conditions.items())
        ]

    def value(self, **conditions: object) -> float | None:
        """The value of the one row that fits; by default of exact match, all mentions, all runs."""
        _check_conditions(conditions)
        defaults: dict[str, object] = {"facet": ALL, "level": ALL, "type": None, "run": None}
        if "match" not in conditions and conditions.get("metric") != ACCURACY:
            facet = conditions.get("facet", ALL)
            metric = conditions.get("metric")
            known = [
                row.match
                for row in self.rows
                if row.facet == facet and metric in (None, row.metric)
            ]
            defaults["match"] = EXACT if EXACT in known or not known else known[0]
        rows = self.select(**{**defaults, **conditions})
        if len(rows) != 1:
            raise InputError(
                "results",
                f"{len(rows)} rows fit {conditions}",
                "name dataset, system, facet, level, match and metric",
            )
        return rows[0].value

    def scalars(self, **conditions: object) -> dict[str, float]:
        """The numbers under flat names such as `tmr/unseen-tokens/recall`, for trackers.

        Fields of rows choose, as for `select`; by default, they are the summaries over runs, and
        by type only exact scores. What is undefined is left out.

        >>> from nerscope import evaluate
        >>> results = evaluate([(["Ada", "spoke"], ["B-PER", "O"])], [["B-PER", "O"]])
        >>> results.scalars()["f1"], results.scalars()["type/PER/recall"]
        (1.0, 1.0)
        """
        from nerscope.results.scalars import is_usual, scalars_of

        rows = self.select(**{"run": None, **conditions})
        return scalars_of(rows if "type" in conditions else filter(is_usual, rows))

    def to_json(self, also: Mapping[str, Any] | None = None) -> str:
        """Everything as strict JSON, rows and evidence; undefined is null.

        `also` is more content, under keys of its own.
        """
        over = self.over_datasets()
        return self._json({**({"over_datasets": over} if over else {}), **(also or {})}, rows=True)

    def file_text(self, also: Mapping[str, Any] | None = None) -> str:
        """What `save` writes: the evidence, from which rows are made again when they are read."""
        return self._json(dict(also or {}), rows=False)

    def _json(self, more: Mapping[str, Any], *, rows: bool) -> str:
        from nerscope.results.store import to_json

        protocol = {"protocol": self.protocol.as_dict()} if self.protocol else {}
        content = {**protocol, **more}
        return to_json(self.rows, self.evidence, self.losses, VERSION, content, with_rows=rows)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a results file, which `Results.load` reads."""
        check_arguments(Results.save, locals())
        from nerscope.results.files import write_text

        write_text(path, self.file_text())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Results":
        """Read results that were saved."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, TypeError, ValueError) as error:
            raise InputError(
                str(path), f"it cannot be read ({error})", "give a file that `evaluate -o` wrote"
            ) from None
        return cls.from_json(text, str(path))

    @classmethod
    def from_json(cls, text: str, name: str = "<memory>") -> "Results":
        """Results from their JSON."""
        from nerscope.results.store import from_json

        return cls(*from_json(text, name))

    def to_pandas(self) -> "pandas.DataFrame":
        """The rows as a pandas data frame."""
        import pandas

        return pandas.DataFrame([row.as_dict() for row in self.rows])

    def to_polars(self) -> "polars.DataFrame":
        """The rows as a polars data frame."""
        import polars

        return polars.DataFrame([row.as_dict() for row in self.rows], infer_schema_length=None)

    def report(self, path: str | os.PathLike[str] | None = None) -> "ReportPage | None":
        """Write the report, a page of its own; without a path, show it in a notebook."""
        check_arguments(Results.report, locals())
        from nerscope.render.page.html import ReportPage, page_html
        from nerscope.results.files import write_text

        html = page_html(self)
        if path is None:
            return ReportPage(html)
        write_text(path, html)
        return None

    def table(self, name: str = "exact") -> "Table":
        """One of the tables that the command line shows."""
        check_arguments(Results.table, locals())
        from nerscope.render.tables import table

        return table(self, name)

    def errors(self, system: str | None = None) -> "list[MentionRow]":
        """One row for each gold and each predicted mention of each run: what became of it.

        >>> from nerscope import evaluate
        >>> gold = [(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"])]
        >>> results = evaluate(gold, {"x": [["B-PER", "O", "B-LOC"]]})
        >>> [row.outcome for row in results.errors() if row.side == "gold"]
        ['correct', 'wrong type']
        """
        check_arguments(Results.errors, locals())
        from nerscope.results.errors import mention_records

        return list(mention_records(self, system))

    def overall(self) -> "list[OverallScores]":
        """Exact precision, recall and F1 of each system on each dataset, with intervals."""
        from nerscope.results.weakest import overall_scores

        return overall_scores(self)

    def over_datasets(self) -> "list[AverageRow]":
        """The mean of each number over the datasets that all systems have, with intervals."""
        if len(self.evidence) == 1:
            return []  # most results have one dataset, and need none of what averages need
        from nerscope.results.over_datasets import average_rows

        return average_rows(self)

    def ranking(
        self,
        metric: str | None = None,
        match: str | None = None,
        *,
        about: str | None = None,
        correction: str = DEFAULT_CORRECTION,
        samples: int = 10_000,
        seed: int = 0,
        resample: str | None = None,
        datasets: Sequence[str] | None = None,
        over: str | None = None,
        ratio: float | None = None,
    ) -> "list[RankingRow]":
        """All systems in order: groups that do not differ significantly, probability of each rank.

        They are ranked by exact F1, or by another metric (and match) over all mentions or tokens;
        with several datasets, first by the mean over them. The other options are those of
        `compare`; `samples` is also the number of draws from which the probabilities come.

        >>> from nerscope import evaluate
        >>> gold = [(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"])] * 20
        >>> found = {"both": ["B-PER", "O", "B-PER"], "half": ["B-PER", "O", "O"]}
        >>> results = evaluate(gold, {name: [labels] * 20 for name, labels in found.items()})
        >>> [(row.system, row.rank, row.groups) for row in results.ranking("recall")]
        [('both', 1, ['a']), ('half', 2, ['b'])]
        """
        check_arguments(Results.ranking, locals())
        from nerscope.results.compare import compare
        from nerscope.results.ranking import ranked_number, required_ranking

        ranked = ranked_number(self, metric, match)
        comparison = compare(
            self,
            facets=ranked.facets,
            metrics=ranked.metrics,
            matches=ranked.matches,
            about=about,
            correction=correction,
            samples=samples,
            seed=seed,
            resample=resample,
            datasets=datasets,
            over=over,
            ratio=ratio,
        )
        return required_ranking(comparison.ranking)

    def weakest(self, system: str | None = None, most: int = 4) -> "list[WeakSpot]":
        """The levels on which each system falls furthest below its overall score, one per facet.

        They are ranked by `least`, the lower 95 % bound of the shortfall; `most` limits how many.
        """
        check_arguments(Results.weakest, locals())
        from nerscope.results.weakest import weak_spots

        return weak_spots(self, system, most)

    def confusion(self, system: str | None = None) -> "list[ConfusionRow]":
        """How often a gold type met a predicted one, for each run; None stands for no mention."""
        check_arguments(Results.confusion, locals())
        from nerscope.results.errors import confusion_records

        return list(confusion_records(self, system))

    def partial_pairs(self, matches: Sequence[str] | None = None) -> "list[PartialRow]":
        """Every pair that got partial credit, to be read and judged."""
        check_arguments(Results.partial_pairs, locals())
        from nerscope.results.errors import partial_records

        return list(partial_records(self, matches))

    def judged(self, paths: FilePath | Sequence[FilePath]) -> "list[ShareRow]":
        """The share of partial matches judged good, by dataset, system and match.

        Each file is the JSON that one judge exported. Judgements that do not fit are warned of.
        """
        check_arguments(Results.judged, locals())
        from nerscope.results.judged import judged_results
        from nerscope.results.judgements import read_pairs

        given = [paths] if isinstance(paths, str | os.PathLike) else paths
        judged = judged_results(self, [read_pairs(path) for path in given])
        for note in judged.notes:
            warnings.warn(visible(note), stacklevel=2)
        return judged.shares

    def changes(self, a: str, b: str) -> "list[ChangeRow]":
        """One row for each gold mention: what became of it from system A to system B."""
        check_arguments(Results.changes, locals())
        from nerscope.results.changes import change_records

        return list(change_records(self, a, b))


def _check_conditions(conditions: Mapping[str, object]) -> None:
    for key, value in conditions.items():
        if key not in _FIELDS:
            raise InputError("results", f"rows have no field '{key}'", suggest(key, _FIELDS))
        # An array or pandas.NA compares to no plain True or False.
        expect(key, value, (str, int, float, type(None)), "give a text or a number")


def _some(names: Sequence[str], most: int = 3) -> str:
    """Names in a sentence; of many, the first ones.

    >>> _some(["a", "b"]), _some(["a", "b", "c", "d", "e"])
    ('a and b', 'a, b, c and 2 more')
    """
    shown = [*names[:most], *([f"{len(names) - most} more"] if len(names) > most else [])]
    return " and ".join(part for part in (", ".join(shown[:-1]), shown[-1]) if part)
