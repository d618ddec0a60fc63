"""Shares with their Monte-Carlo error, the limits they must keep, and tables of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import exp, lgamma, log, log1p, sqrt

ALPHAS = (0.05, 0.01, 0.001)
MOST_FALSE = 1.3  # times alpha
MOST_STARS = 0.06
MANY_CLUSTERS, FAR_OFF = 30, 0.90
COVERED = (0.93, 0.97)
NONE = "–"


@dataclass(slots=True)
class Share:
    """How often something happened."""

    hits: int = 0
    of: int = 0

    def add(self, happened: bool) -> None:
        """Count one more round."""
        self.hits += bool(happened)
        self.of += 1

    @property
    def value(self) -> float:
        """The share itself."""
        return self.hits / self.of if self.of else float("nan")

    @property
    def error(self) -> float:
        """Its standard error over rounds; a share of 0 or 1 is taken to be half a round off."""
        near = min(max(self.hits, 0.5), self.of - 0.5) / self.of
        return sqrt(near * (1 - near) / self.of)

    def __str__(self) -> str:
        return f"{100 * self.value:.1f} ± {100 * self.error:.1f}" if self.of else NONE


def by_chance(share: Share, alpha: float) -> float:
    """How likely so many hits or more are, if each comes with a chance of alpha."""

    def log_chance(k: int) -> float:
        ways = lgamma(share.of + 1) - lgamma(k + 1) - lgamma(share.of - k + 1)
        return ways + k * log(alpha) + (share.of - k) * log1p(-alpha)

    return min(1.0, sum(exp(log_chance(k)) for k in range(share.hits, share.of + 1)))


@dataclass(slots=True)
class PValues:
    """P-values where there is no difference: how often they are small, among those tested."""

    tested: Share = field(default_factory=Share)
    small: Mapping[float, Share] = field(
        default_factory=lambda: {alpha: Share() for alpha in ALPHAS}
    )

    def add(self, p: float) -> None:
        """Count one more round; NaN is not tested."""
        self.tested.add(p == p)
        for alpha, share in self.small.items() if p == p else ():
            share.add(p < alpha)


@dataclass(slots=True)
class Covered:
    """Intervals, and how often they hold the truth; how many clusters they rest on."""

    given: Share = field(default_factory=Share)
    inside: Share = field(default_factory=Share)
    above: int = 0  # intervals that lie above the truth
    clusters: float = 0.0

    def add(self, interval: tuple[float, float] | None, truth: float, clusters: float) -> None:
        """Count one more interval; bounds may be off by rounding."""
        self.given.add(interval is not None)
        if interval is not None:
            low, high = interval
            self.inside.add(low - 1e-9 <= truth <= high + 1e-9)
            self.above += low - 1e-9 > truth
            self.clusters += clusters

    @property
    def mean_clusters(self) -> float:
        """On how many clusters an interval rests."""
        return self.clusters / max(1, self.inside.of)

    def __str__(self) -> str:
        rarely = self.inside.of and self.given.value < 0.995
        return f"{self.inside}" + (f" (of {100 * self.given.value:.0f})" if rarely else "")


@dataclass(slots=True)
class Report:
    """Tables as they are printed, and what breaks a limit."""

    broken: list[str] = field(default_factory=list)
    checked: int = 0

    def title(self, text: str) -> None:
        """A heading."""
        print(f"\n### {text}\n", flush=True)

    def say(self, text: str) -> None:
        """A line of prose."""
        print(f"{text}\n", flush=True)

    def table(self, header: Sequence[str], rows: Sequence[Sequence[object]], names: int) -> None:
        """A table, of which the first columns are names and the others numbers."""
        print("| " + " | ".join(header) + " |")
        print("|" + "---|" * names + "---:|" * (len(header) - names))
        for row in rows:
            print("| " + " | ".join(map(str, row)) + " |")
        print(flush=True)

    def check_p(self, name: str, p_values: PValues) -> None:
        """False positives must be few."""
        for alpha, share in p_values.small.items():
            if not share.of:
                continue
            self.checked += 1
            if share.value > MOST_FALSE * alpha + sqrt(alpha * (1 - alpha) / share.of):
                self.broken.append(
                    f"{name}: p < {alpha:g} in {share.hits} of {share.of} ({share} %); so many "
                    f"by chance: {by_chance(share, alpha):.2g}"
                )

    def check_stars(self, name: str, share: Share) -> None:
        """Families must be free of stars."""
        self.checked += share.of > 0
        if share.of and share.value > MOST_STARS:
            chance = by_chance(share, ALPHAS[0])
            self.broken.append(f"{name}: a star in {share} %; by chance: {chance:.2g}")

    def check_covered(self, name: str, coverage: Covered) -> None:
        """Intervals must hold the truth as often as they claim."""
        share = coverage.inside
        if not share.of:
            return
        self.checked += 1
        many = coverage.mean_clusters >= MANY_CLUSTERS
        least, most = COVERED if many else (FAR_OFF, 1.0)
        if not least - share.error <= share.value <= most + share.error:
            self.broken.append(
                f"{name}: {share} % cover; {coverage.mean_clusters:.0f} clusters, given in "
                f"{100 * coverage.given.value:.0f} %, too high {coverage.above}, too low "
                f"{share.of - share.hits - coverage.above}"
            )
