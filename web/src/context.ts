// What every section needs: the data, where the reader is, and the choices that hold on the whole page.
import type { Page, Row, Rows } from "./data";
import type { PageDataset, PageVerdict } from "./page-data";
import type { Place } from "./state";

export interface Context {
  page: Page;
  rows: Rows;
  place: Place;
  systems: string[]; // those chosen, best first
  dataset: PageDataset | null; // null: the mean over all
  metric: string; // of the head: what systems are judged by
}

export const MEAN = "(mean)"; // stands for all datasets in the address
const FIRST_SYSTEMS = 7; // shown until the reader chooses

export function contextOf(page: Page, rows: Rows, place: Place): Context {
  const named = page.datasets.find((one) => one.name === place.chosen.get("d"));
  const isMean = page.datasets.length > 1 && !named; // several datasets: the mean comes first
  const dataset = isMean ? null : (named ?? page.datasets[0]);
  const metrics = scoreMetrics(page);
  const wantedMetric = place.chosen.get("m") ?? "";
  const metric = metrics.includes(wantedMetric) ? wantedMetric : metrics[0];
  const ranked = bestFirst(page, rows, dataset, metric);
  const wanted = place.chosen.getAll("s");
  const chosen = ranked.filter((system) => wanted.includes(system));
  const systems = chosen.length ? chosen : ranked.slice(0, FIRST_SYSTEMS);
  return { page, rows, place, systems, dataset, metric };
}

/** The scores of all mentions that systems can be judged by, F1 first. */
export function scoreMetrics(page: Page): string[] {
  const present = new Set(page.rows.filter((row) => row.facet === "all").map((row) => row.metric));
  const names = ["f1", "precision", "recall"].filter((name) => present.has(name));
  const others = [...present].filter((name) => page.metrics[name]?.better > 0 && page.metrics[name].fraction);
  return names.length ? names : others.length ? others : ["f1"];
}

/** All systems, the best first; systems without a score come last. */
export function bestFirst(page: Page, rows: Rows, dataset: PageDataset | null, metric: string): string[] {
  const name = dataset?.name ?? null;
  const score = (system: string) => rows.get({ dataset: name, system, metric })?.value ?? meanOfKnown(page, rows, system, metric);
  const scores = new Map(page.systems.map((system) => [system, score(system)]));
  return [...page.systems].sort((one, other) => scores.get(other)! - scores.get(one)!);
}

function meanOfKnown(page: Page, rows: Rows, system: string, metric: string): number {
  const values = page.datasets.flatMap(({ name }) => rows.get({ dataset: name, system, metric })?.value ?? []);
  return values.length ? values.reduce((sum, value) => sum + value, 0) / values.length - 1 : -2; // after complete means
}

/** The choice of dataset as the address has it. */
export const datasetKey = ({ dataset }: Context): string => dataset?.name ?? MEAN;

/** The datasets that are chosen. */
export const datasetsOf = ({ page, dataset }: Context): PageDataset[] => (dataset ? [dataset] : page.datasets);

/** The two systems that are compared: the best and the next, until the reader chooses. */
export function pairOf({ page, place, systems }: Context): [string, string] | null {
  const known = (name: string | null) => (name !== null && page.systems.includes(name) ? name : null);
  const a = known(place.chosen.get("a")) ?? systems[0];
  const wanted = known(place.chosen.get("b"));
  const b = wanted !== null && wanted !== a ? wanted : [...systems, ...page.systems].find((name) => name !== a);
  return b === undefined ? null : [a, b];
}

/** The verdict of A against B, whichever of the two stands first in the data. */
export function verdictOf(page: Page, dataset: string | null, a: string, b: string): PageVerdict | null {
  const found = page.comparison?.verdicts.find(
    (one) => one.dataset === dataset && ((one.a === a && one.b === b) || (one.a === b && one.b === a)),
  );
  return found ? (found.a === a ? found : turned(found)) : null;
}

const OPPOSITE = { better: "worse", worse: "better", "no clear difference": "no clear difference", "not tested": "not tested" } as const;

function turned(row: PageVerdict): PageVerdict {
  const minus = (value: number | null) => (value === null ? null : -value);
  return {
    ...row,
    a: row.b,
    b: row.a,
    aValue: row.bValue,
    bValue: row.aValue,
    difference: minus(row.difference),
    low: minus(row.high),
    high: minus(row.low),
    runsA: row.runsB,
    runsB: row.runsA,
    verdict: OPPOSITE[row.verdict],
  };
}

/** The overall score of a system by the metric of the head. */
export function overallRow({ rows, dataset, metric }: Context, system: string): Row | null {
  return rows.get({ dataset: dataset?.name ?? null, system, metric });
}
