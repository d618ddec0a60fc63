// The sums of all data, where a page holds a sample alone.
import type { ErrorSum, Page } from "../data";
import type { PageDataset } from "../page-data";
import { type Filter, systemsOf } from "./filter";

/** Whether some errors of the chosen datasets are not on the page. */
export const isSampled = (page: Page, { datasets }: Filter): boolean => datasets.some((at) => page.datasets[at].sentences.sampled);

/** The errors per run in all data; null if the sums do not know what the filter asks for. */
export function totalErrors(page: Page, filter: Filter): number | null {
  if (!isInSums(filter)) return null;
  const systems = new Set(filter.systems.length ? filter.systems : systemsOf(filter));
  let total = 0;
  for (const at of filter.datasets) {
    const dataset = page.datasets[at];
    const fits = sumTest(page, filter);
    const runs = runsBySystem(dataset, filter);
    for (const row of page.errors)
      if (row.dataset === dataset.name && systems.has(row.system) && fits(row)) total += row.n / (runs.get(row.system) ?? 1);
  }
  return total;
}

function isInSums({ levels, lengths, patterns, wrong, surfaces, shapes, judged, pinned, tags, compared, search }: Filter): boolean {
  const lists = [levels, lengths, patterns, wrong, surfaces, shapes, judged, tags];
  return !pinned && !compared && !search && lists.every((list) => !list.length);
}

function runsBySystem({ runs }: PageDataset, filter: Filter): Map<string, number> {
  const sizes = new Map<string, number>();
  for (const [system, run] of runs)
    if (!filter.runs.length || filter.runs.includes(run)) sizes.set(system, (sizes.get(system) ?? 0) + 1);
  return sizes;
}

/** The filter as a test of sums. */
export function sumTest(page: Page, filter: Filter): (row: ErrorSum) => boolean {
  const [correct] = page.outcomes;
  const ofKinds = page.kinds.filter(({ name }) => filter.kinds.includes(name)).flatMap(({ outcomes }) => outcomes);
  const has = <T>(values: T[], value: T) => !values.length || values.includes(value);
  return ({ run, gold, predicted, outcome }) =>
    (outcome !== correct || filter.outcomes.includes(correct)) &&
    has(filter.runs, run) &&
    has(filter.outcomes, outcome) &&
    (!filter.kinds.length || ofKinds.includes(outcome)) &&
    (!filter.pairs.length || filter.pairs.some((pair) => pair[0] === gold && pair[1] === predicted)) &&
    (!filter.types.length || filter.types.some((type) => type === gold || type === predicted)) &&
    (!filter.gold.length || (gold !== null && filter.gold.includes(gold))) &&
    (!filter.predicted.length || (predicted !== null && filter.predicted.includes(predicted))) &&
    (!filter.sides.length || (filter.sides.includes("gold") && gold !== null) || (filter.sides.includes("predicted") && predicted !== null));
}

/** A count as links have it: whole, or the mean over runs with one decimal. */
export const countText = (value: number): string => {
  const rounded = Math.round(value * 10) / 10;
  return String(rounded);
};
