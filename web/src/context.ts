// What every section needs: the data, where the reader is, and what is chosen for all sections.
import { errorsHref, mainMetric } from "./answers";
import type { Point } from "./charts/levels";
import type { Dataset, Facet, Page, Row, Rows } from "./data";
import { about, percent } from "./format";
import type { Mentions } from "./mentions";
import type { Place } from "./state";

export interface Context {
  page: Page;
  rows: Rows;
  mentions: Mentions[];
  place: Place;
  systems: string[]; // those chosen, in the order of the results
  dataset: Dataset | null; // null: the mean over all
}

const FIRST_SYSTEMS = 6; // shown until the reader chooses

export function contextOf(page: Page, rows: Rows, mentions: Mentions[], place: Place): Context {
  const wanted = place.chosen.getAll("s");
  const known = page.systems.filter((system) => wanted.includes(system));
  const systems = known.length ? known : firstSystems(page, rows);
  const named = page.datasets.find((one) => one.name === place.chosen.get("d"));
  const mean = place.chosen.get("d") === MEAN && page.datasets.length > 1;
  return { page, rows, mentions, place, systems, dataset: mean ? null : (named ?? page.datasets[0]) };
}

export const MEAN = "(mean)"; // stands for all datasets in the address

/** The best ones by mean F1, in the order of the results. */
function firstSystems(page: Page, rows: Rows): string[] {
  if (page.systems.length <= FIRST_SYSTEMS) return page.systems;
  const scores = (system: string) =>
    page.datasets.flatMap(({ name }) => rows.find({ dataset: name, system, metric: mainMetric(page) })?.value ?? []);
  const score = (system: string) => scores(system).reduce((sum, value, _, all) => sum + value / all.length, 0);
  const best = [...page.systems].sort((one, other) => score(other) - score(one)).slice(0, FIRST_SYSTEMS);
  return page.systems.filter((system) => best.includes(system));
}

/** The number of a level of a facet for a system, on what is chosen. */
export function levelRow(context: Context, facet: Facet, level: string, system: string, metric: string, type: string | null = null): Row | null {
  const dataset = context.dataset?.name ?? null;
  const match = Object.keys(facet.metrics).find((name) => facet.metrics[name].includes(metric));
  return match ? context.rows.get({ dataset, system, metric, match, facet: facet.name, level, type }) : null;
}

const PREFERRED = ["f1", "recall", "ter", "precision"];

/** The metrics of a facet, the one it is judged by first. */
export function metricsOf(facet: Facet): string[] {
  const names = [...new Set(Object.values(facet.metrics).flat())];
  return [...PREFERRED.filter((name) => names.includes(name)), ...names.filter((name) => !PREFERRED.includes(name))];
}

/** What is chosen, as the address has it. */
export function datasetKey(context: Context): string {
  return context.dataset?.name ?? MEAN;
}

/** The two systems that are set against each other. */
export function pairOf({ page, place, systems }: Context): [string, string] {
  const known = (name: string | null) => (name !== null && page.systems.includes(name) ? name : null);
  const a = known(place.chosen.get("a")) ?? systems[0];
  const wanted = known(place.chosen.get("b"));
  return [a, wanted !== null && wanted !== a ? wanted : [...systems, ...page.systems].find((name) => name !== a)!];
}

/** A row as a mark of a chart, in percent. */
export function pointOf(context: Context, row: Row, level: string): Point {
  const scaled = (value: number | null) => (value === null ? null : 100 * value);
  const { page } = context;
  return {
    level,
    system: row.system,
    place: page.systems.indexOf(row.system),
    value: scaled(row.value),
    low: scaled(row.low),
    high: scaled(row.high),
    text: percent(row.value),
    tip: about(page, row),
    href: errorsHref(row.facet, row.level, datasetKey(context), row.system, row.type, row.metric),
  };
}
