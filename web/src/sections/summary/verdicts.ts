// Whether the best system is better than the others, in words and as brackets.
import { type Context, verdictOf } from "../../context";
import type { PageRank, PageVerdict } from "../../page-data";
import { correctedText } from "../../parts/badge";
import { pText, points } from "../../format";

/** The verdicts of the best system against each other one that is shown; null where the two are not compared. */
export function againstBest({ page, systems, dataset, metric }: Context): { system: string; verdict: PageVerdict | null }[] {
  const [best, ...others] = systems;
  return others.map((system) => {
    const verdict = verdictOf(page, dataset?.name ?? null, best, system);
    return { system, verdict: verdict?.metric === metric ? verdict : null };
  });
}

/** The answer in one sentence, with what it rests on. */
export function leadText(context: Context): { answer: string; detail: string } {
  const [best] = context.systems;
  const all = againstBest(context);
  const known = all.flatMap(({ verdict }) => (verdict ? [verdict] : []));
  if (!known.length) return { answer: `${best} has the highest score`, detail: untestedDetail(context) };
  const widest = (verdicts: PageVerdict[]) => leastClear(verdicts) + (context.dataset ? "" : `, for these ${context.page.datasets.length} datasets`);
  const [beaten, ahead, rest] = split(known);
  if (ahead.length) return { answer: `${named(ahead.map(({ b }) => b))} is better than ${best}`, detail: widest(ahead) };
  if (!rest.length && beaten.length === all.length) return { answer: `${best} is better than ${others(beaten)}`, detail: widest(beaten) };
  const equal = rest.filter(({ verdict }) => verdict === "no clear difference");
  if (!equal.length && rest.length) return { answer: `${best} leads; not tested against ${named(rest.map(({ b }) => b))}`, detail: rest[0].untested ?? "" };
  if (!equal.length) return { answer: `${best} leads; not all differences are tested`, detail: widest(beaten) };
  const than = beaten.length ? `; better than ${beaten.length === 1 ? beaten[0].b : `the other ${beaten.length}`}` : "";
  return { answer: `No clear difference between ${best} and ${named(equal.map(({ b }) => b))}${than}`, detail: widest(equal.slice(0, 1)) };
}

/** Systems that the best one beats, that beat it, and the rest. */
function split(known: PageVerdict[]): [PageVerdict[], PageVerdict[], PageVerdict[]] {
  const of = (wanted: string) => known.filter(({ verdict }) => verdict === wanted);
  return [of("better"), of("worse"), known.filter(({ verdict }) => verdict !== "better" && verdict !== "worse")];
}

const others = (beaten: PageVerdict[]): string => (beaten.length === 1 ? beaten[0].b : `all ${beaten.length} others`);

/** "x", "x and y", "x, y and 3 others". */
export function named(names: string[], most = 2): string {
  if (names.length <= most) return names.join(" and ");
  return `${names.slice(0, most).join(", ")} and ${names.length - most} other${names.length - most === 1 ? "" : "s"}`;
}

/** The least clear of some verdicts. */
function leastClear(verdicts: PageVerdict[]): string {
  const weakest = verdicts.reduce((one, other) => ((other.pCorrected ?? 0) > (one.pCorrected ?? 0) ? other : one));
  const interval = weakest.low === null || weakest.high === null ? "" : `, 95 % interval ${points(weakest.low)} to ${points(weakest.high)}`;
  const p = weakest.untested ?? (weakest.k > 1 ? correctedText(weakest) : pText(weakest.p));
  const against = verdicts.length > 1 ? `closest: ${weakest.b}, ` : "";
  return `${against}${points(weakest.difference)} points${interval}, ${p}`;
}

function untestedDetail({ page, metric }: Context): string {
  const tested = page.comparison?.verdicts[0]?.metric;
  if (!tested) return "Differences are not tested.";
  const title = page.metrics[tested]?.title ?? tested;
  return tested === metric ? "These pairs are not compared." : `Differences are tested for ${title}: choose it above.`;
}

/** Groups of shown systems that do not differ clearly, by their places among those shown. */
export function tiesOf(context: Context): { systems: string[]; rows: number[] }[] {
  const { page, systems, dataset, metric } = context;
  if (page.comparison?.verdicts[0]?.metric !== metric) return [];
  const ranking = page.comparison.ranking.filter((rank) => rank.dataset === (dataset?.name ?? null));
  const letters = [...new Set(ranking.flatMap(({ groups }) => [...groups]))];
  const members = letters.map((letter) => systems.filter((system) => hasLetter(ranking, system, letter)));
  return members
    .filter((group) => group.length > 1)
    .filter((group, k, all) => !all.some((other, at) => at !== k && covers(other, group) && (other.length > group.length || at < k)))
    .map((group) => ({ systems: group, rows: group.map((system) => systems.indexOf(system)) }));
}

const hasLetter = (ranking: PageRank[], system: string, letter: string) =>
  ranking.some((rank) => rank.system === system && rank.groups.includes(letter));

/** Among the systems that are shown, a group may be a part of another one. */
const covers = (other: string[], group: string[]) => group.every((system) => other.includes(system));
