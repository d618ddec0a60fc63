"""The results of an evaluation: tidy rows, their conditions, and methods to analyse them."""

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
    from matplotlib.figure import Figure

    from nerscope.render.document import Table
    from nerscope.render.page.html import ReportPage
    from nerscope.results.changes import ChangeRow
    from nerscope.results.error_sums import ConfusionRow
    from nerscope.results.errors import MentionRow, PartialRow
    from nerscope.results.judged import ShareRow
    from nerscope.results.over_datasets import AverageRow
    from nerscope.results.ranking import RankingRow
    from nerscope.results.weakest import OverallScores, WeakSpot

FilePath = str | os.PathLike[str]
_FIELDS = ("dataset", "system", "run", "unit", "facet", "level", "type", "match", "metric")


class Results:
    """The results of an evaluation.

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
        self.protocol = protocol  # how datasets relate to each other; None: unknown
        self._rows = rows

    @property
    def rows(self) -> list[Row]:
        """Every number as a tidy row, computed from the evidence on first access."""
        if self._rows is None:
            from nerscope.results.rows import rows_of

            self._rows = [row for part in self.evidence for row in rows_of(part)]
        return self._rows

    @property
    def signature(self) -> str:
        """All settings that affect a number, in one line; if datasets differ, with every value."""
        return joint(part.signature for part in self.evidence)

    @property
    def settings(self) -> dict[str, Any]:
        """The settings as plain data: the signature, and the edges of buckets by facet."""
        from nerscope.results.store import settings_of

        return settings_of(self.evidence)

    @property
    def systems(self) -> list[str]:
        """All systems, in the order given."""
        return list(dict.fromkeys(name for part in self.evidence for name in part.systems))

    def metric(self, name: str) -> Metric:
        """The metric with this name."""
        return metric_named(name)

    def facet_titles(self) -> dict[str, str]:
        """The title of each facet."""
        return {table.facet: table.title for part in self.evidence for table in part.tables}

    def __repr__(self) -> str:
        """A summary of about ten lines."""
        from nerscope.render.first_screen import summary_lines

        return "\n".join(summary_lines(self))

    def _repr_html_(self) -> str:
        from nerscope.render.document import OUTPUTS
        from nerscope.render.first_screen import first_screen

        return OUTPUTS["html"](first_screen(self))

    def notes(self) -> list[str]:
        """Notes on repairs and other changes to the input, one line per file and kind."""
        return note_lines(self.losses)

    def short_notes(self) -> list[str]:
        """The notes in one line per kind, summed over files."""
        return summed_notes(self.losses)

    def interval_notes(self) -> list[str]:
        """Notes on what intervals cover, if only some systems have several runs or if neighbouring
        sentences are alike.
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
            f"95 % intervals of {_some(named)} include variation over training runs; those of "
            f"{_some(alone)} only over test data",
            *notes,
        ]

    def folded_notes(self) -> list[str]:
        """One note for each dataset whose results keep only sums."""
        return [
            f"{part.dataset}: {part.folded.sentences:,} sentences are kept only as sums, "
            f"{_what_is_listed(part)}. Fix: --keep-mentions"
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
        """The value of the only row that fits; default: exact match, all mentions, all runs."""
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
        wanted = {**defaults, **conditions}
        rows = self.select(**wanted)
        if len(rows) != 1:
            from nerscope.results.selection import value_error

            raise value_error(self.rows, wanted, conditions, rows)
        return rows[0].value

    def scalars(self, **conditions: object) -> dict[str, float]:
        """The numbers under flat names such as `tmr/unseen-tokens/recall`, for experiment trackers.

        `conditions` select rows, as for `select`. By default, these are the summaries over runs
        and, by type, exact scores only. Undefined numbers are left out.

        >>> from nerscope import evaluate
        >>> results = evaluate([(["Ada", "spoke"], ["B-PER", "O"])], [["B-PER", "O"]])
        >>> results.scalars()["f1"], results.scalars()["type/PER/recall"]
        (1.0, 1.0)
        """
        from nerscope.results.scalars import is_usual, scalars_of

        rows = self.select(**{"run": None, **conditions})
        return scalars_of(rows if "type" in conditions else filter(is_usual, rows))

    def to_json(self, also: Mapping[str, Any] | None = None) -> str:
        """Rows and evidence as strict JSON; undefined numbers are null.

        `also` adds further content under its own keys.
        """
        over = self.over_datasets()
        return self._json({**({"over_datasets": over} if over else {}), **(also or {})}, rows=True)

    def file_text(self, also: Mapping[str, Any] | None = None) -> str:
        """The text that `save` writes: the evidence, from which rows are computed on loading."""
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
        """Read a results file."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except FileNotFoundError:
            raise InputError(
                str(path), "no such file", "give a file that evaluate -o wrote"
            ) from None
        except (OSError, TypeError, ValueError) as error:
            raise InputError(
                str(path), f"it cannot be read ({error})", "give a file that evaluate -o wrote"
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
        """Write the report as one HTML file; without a path, show it in a notebook."""
        check_arguments(Results.report, locals())
        from nerscope.render.page.html import ReportPage, page_html
        from nerscope.results.files import write_text

        html = page_html(self)
        if path is None:
            return ReportPage(html)
        write_text(path, html)
        return None

    def table(self, name: str = "exact", *, codes: bool = False) -> "Table":
        """One of the tables that the command line shows: see `nerscope show --table`.

        With `codes`, groups have their short names alone, without words.
        """
        check_arguments(Results.table, locals())
        from nerscope.render.chosen import table_named

        return table_named(self, name, codes)

    def report_by_type(self, system: str | None = None) -> "Table":
        """Precision, recall, F1 and support of each type, then micro, macro and weighted averages.

        It is laid out like seqeval's `classification_report`. Without `system`, all systems follow
        each other.

        >>> from nerscope import evaluate
        >>> results = evaluate([(["Ada", "met"], ["B-PER", "O"])], [["B-PER", "O"]])
        >>> print(results.report_by_type())
        Scores by type
        type              precision  recall      F1  support
        ────────────────────────────────────────────────────
        PER                  100.00  100.00  100.00        1
        micro average        100.00  100.00  100.00        1
        macro average        100.00  100.00  100.00        1
        weighted average     100.00  100.00  100.00        1
        <BLANKLINE>
        """
        check_arguments(Results.report_by_type, locals())
        from nerscope.render.by_type import report_by_type

        return report_by_type(self, system)

    def plot(
        self,
        name: str = "exact",
        *,
        systems: Sequence[str] = (),
        metric: str | None = None,
        match: str | None = None,
        codes: bool = False,
        width: float | None = None,
        height: float | None = None,
    ) -> "Figure":
        """A matplotlib figure: see `nerscope plot` for the names. Notebooks show it.

        `name` is exact, types, partial, breakdown, attributes, radar, heatmap, diagnosis, gains, or
        any facet of the results. Sides are in centimetres. It needs the extra `plots`.
        """
        check_arguments(Results.plot, locals())
        from nerscope.render.draw import matplotlib_figure
        from nerscope.render.figures import figure_of
        from nerscope.results.intervals import with_bounds

        figure = figure_of(
            with_bounds(self), name, systems=systems, metric=metric, match=match, codes=codes
        )
        return matplotlib_figure(figure, width, height)

    def errors(self, system: str | None = None, *, wrong_only: bool = False) -> "list[MentionRow]":
        """One row for each gold and each predicted mention of each run, with its outcome.

        With `wrong_only`, only errors: a gold mention and the prediction it was taken for are one.

        >>> from nerscope import evaluate
        >>> gold = [(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"])]
        >>> results = evaluate(gold, {"x": [["B-PER", "O", "B-LOC"]]})
        >>> [row.outcome for row in results.errors() if row.side == "gold"]
        ['correct', 'wrong type']
        >>> [(row.text, row.type, row.other_type) for row in results.errors(wrong_only=True)]
        [('Bob', 'PER', 'LOC')]
        """
        check_arguments(Results.errors, locals())
        from nerscope.results.errors import is_error, mention_records

        rows = mention_records(self, system)
        return [row for row in rows if is_error(row)] if wrong_only else list(rows)

    def overall(self) -> "list[OverallScores]":
        """Exact precision, recall and F1 of each system on each dataset, with intervals."""
        from nerscope.results.weakest import overall_scores

        return overall_scores(self)

    def over_datasets(self) -> "list[AverageRow]":
        """The mean of each number over the datasets that all systems have, with intervals."""
        if len(self.evidence) == 1:
            return []  # most results have one dataset and need no averages
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
        """All systems in order, with groups without significant differences and rank probabilities.

        Systems are ranked by exact F1, or by another metric (and match) over all mentions or
        tokens; with several datasets, first by the mean over them. The other options are those of
        `compare`; `samples` is also the number of draws for the probabilities.

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

        Levels are ranked by `shortfall_low`, the lower 95 % bound of the shortfall; `most` is their
        maximum number.
        """
        check_arguments(Results.weakest, locals())
        from nerscope.results.weakest import weak_spots

        return weak_spots(self, system, most)

    def confusion(self, system: str | None = None) -> "list[ConfusionRow]":
        """The counts of gold type by predicted type for each run; None means no mention."""
        check_arguments(Results.confusion, locals())
        from nerscope.results.error_sums import confusion_records

        return list(confusion_records(self, system))

    def partial_pairs(self, matches: Sequence[str] | None = None) -> "list[PartialRow]":
        """Every pair with partial credit, for judges to read."""
        check_arguments(Results.partial_pairs, locals())
        from nerscope.results.errors import partial_records

        return list(partial_records(self, matches))

    def judged(self, paths: FilePath | Sequence[FilePath]) -> "list[ShareRow]":
        """The share of partial matches judged good, by dataset, system and match.

        Each file is the JSON that one judge exported. Judgements that do not fit cause a warning.
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
        """One row for each gold mention: how its outcome changes from system A to system B."""
        check_arguments(Results.changes, locals())
        from nerscope.results.changes import change_records

        return list(change_records(self, a, b))


def _check_conditions(conditions: Mapping[str, object]) -> None:
    for key, value in conditions.items():
        if key not in _FIELDS:
            raise InputError("results", f"rows have no field '{key}'", suggest(key, _FIELDS))
        # Comparing an array or pandas.NA does not give a plain True or False.
        expect(key, value, (str, int, float, type(None)), "give a string or a number")


def _some(names: Sequence[str], most: int = 3) -> str:
    """Names for a sentence; long lists are shortened.

    >>> _some(["a", "b"]), _some(["a", "b", "c", "d", "e"])
    ('a and b', 'a, b, c and 2 more')
    """
    shown = [*names[:most], *([f"{len(names) - most} more"] if len(names) > most else [])]
    return " and ".join(part for part in (", ".join(shown[:-1]), shown[-1]) if part)


def _what_is_listed(folded: Evidence) -> str:
    """Which errors of folded evidence are listed."""
    sample = folded.sample
    if sample is None:
        return "so errors are not listed"
    return f"and errors are listed of a sample of {len(sample.documents):,} sentences"
