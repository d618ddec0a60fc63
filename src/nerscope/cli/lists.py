"""The lists that `nerscope evaluate --list NAME` prints instead of tables."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from nerscope.cli.common import parse_renames, parse_systems

if TYPE_CHECKING:
    from nerscope.formats.source import Source
    from nerscope.results.results import Results

_Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class ListRequest:
    """The results of an evaluation, its sources, and the options it was called with."""

    results: "Results"
    gold: "Source"
    training: Sequence["Source"]
    test: str
    system: Sequence[str]
    map: Sequence[str]
    drop: Sequence[str]
    repair: str
    token_repair: str
    token_match: str

    def sources(self) -> tuple["Source", Any]:
        """The gold file and the outputs, or the one file that has both."""
        from nerscope.formats.base import source_named

        if self.system:
            return self.gold, parse_systems(self.system)
        return source_named(self.test), None

    def reading_options(self) -> dict[str, Any]:
        """How labels are read, and what types count as."""
        return {"repair": self.repair, "map": parse_renames(self.map), "drop": self.drop}


def _hard_tokens(request: ListRequest) -> _Rows:
    from nerscope.dataset.hard_tokens import hard_tokens
    from nerscope.formats.source import JoinedSources

    return hard_tokens(JoinedSources(request.training), request.gold, **request.reading_options())


def _hard_errors(request: ListRequest) -> _Rows:
    from nerscope.evaluation.listings import hard_errors
    from nerscope.evaluation.task import Settings, open_task

    settings = Settings.of(
        {
            "facets": ("hard", "hard-strict"),
            "token_repair": request.token_repair,
            "token_match": request.token_match,
            **request.reading_options(),
        }
    )
    return hard_errors(open_task(*request.sources(), request.training, None, settings))


def _types(request: ListRequest) -> _Rows:
    from nerscope.evaluation.listings import coverage

    return coverage(*request.sources(), **request.reading_options())


def _unaligned(request: ListRequest) -> _Rows:
    from nerscope.results.mistakes import unaligned

    return unaligned(request.results)


class ListKind(NamedTuple):
    title: str
    rows: Callable[[ListRequest], _Rows]
    needs_training: bool = False
    needs_mentions: bool = False  # single mentions, which large results leave out by default


LISTS = {
    "hard": ListKind("The most frequent hard tokens", _hard_tokens, needs_training=True),
    "hard-errors": ListKind(
        "Hard tokens that are labelled wrong most often", _hard_errors, needs_training=True
    ),
    "partial": ListKind(
        "Pairs with partial credit",
        lambda request: request.results.partial_pairs(),
        needs_mentions=True,
    ),
    "confusion": ListKind(
        "Gold types against predicted types",
        lambda request: request.results.confusion(),
        needs_mentions=True,
    ),
    "types": ListKind("Types as they are written, and what they count as", _types),
    "unaligned": ListKind(
        "Mentions that do not fit the tokens of gold", _unaligned, needs_mentions=True
    ),
}
