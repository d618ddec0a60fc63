// Errors by kind: what the summary counts, and the colours of kinds on the whole page.
import { type Context, datasetsOf } from "./context";
import type { ErrorSum, Page } from "./data";
import type { PageDataset, PageKind } from "./page-data";
import { placeHref, withPageChoices } from "./state";

const COLOURS: Record<string, string> = {
  missed: "#4477aa",
  spurious: "#ee6677",
  "wrong type": "#aa3377",
  "wrong boundary": "#ccbb44",
  "wrong type and boundary": "#228833",
  hallucinated: "#66ccee",
};

export const kindColour = (kind: string): string => COLOURS[kind] ?? "#808080";

/** Errors that a precision or a recall does not see: nothing was predicted, or nothing was to be found. */
const UNSEEN: Record<string, string[]> = { precision: ["missed"], recall: ["spurious", "hallucinated"] };

/** The kinds that lower a metric. */
export function kindsOf({ page, metric }: Pick<Context, "page" | "metric">): PageKind[] {
  return page.kinds.filter(({ name }) => !UNSEEN[metric]?.includes(name));
}

/** How many runs a system has on a dataset. */
export function runsOf(dataset: PageDataset, system: string): number {
  return dataset.runs.filter(([name]) => name === system).length;
}

export function hasRuns({ page }: Pick<Context, "page">, system: string): boolean {
  return page.datasets.some((dataset) => runsOf(dataset, system) > 1);
}

/** Whether the errors of all chosen datasets are counted: of a large corpus, results may keep only scores. */
export function knowsErrors(context: Pick<Context, "page" | "dataset">): boolean {
  const counted = new Set(context.page.errors.map(({ dataset }) => dataset));
  return datasetsOf(context as Context).every(({ name, folded }) => !folded || counted.has(name));
}

/** Errors of a system for which a condition holds, per run, summed over the chosen datasets. */
export function errorsPerRun(context: Context, system: string, counts: (sum: ErrorSum) => boolean): number {
  const sums = new Map<string, number>();
  for (const sum of context.page.errors)
    if (sum.system === system && sum.outcome !== "correct" && counts(sum)) sums.set(sum.dataset, (sums.get(sum.dataset) ?? 0) + sum.n);
  return datasetsOf(context).reduce((total, dataset) => total + (sums.get(dataset.name) ?? 0) / Math.max(1, runsOf(dataset, system)), 0);
}

/** Errors of a system by kind, in the order of `kindsOf`. */
export function errorsByKind(context: Context, system: string): { kind: PageKind; n: number }[] {
  return kindsOf(context).map((kind) => ({ kind, n: errorsPerRun(context, system, ({ outcome }) => kind.outcomes.includes(outcome)) }));
}

/** A number of errors as text: whole, or a mean over runs with one decimal. */
export function errorCount(n: number): string {
  const rounded = Math.round(10 * n) / 10;
  return rounded.toLocaleString("en-GB", { maximumFractionDigits: 1 });
}

/** The same as the attribute of a link. */
export const countMark = (n: number): string => String(Math.round(10 * n) / 10);

/** A list of errors, with the choices of the head in its address. */
export function errorsHref(chosen: Record<string, string | string[]>): string {
  return withPageChoices(placeHref("errors", chosen));
}

/** The gain in F1 if all errors of a kind were solved; the mean over datasets where there are several. */
export function gainOf(context: Pick<Context, "page" | "dataset">, system: string, kind: string): number | null {
  const names = context.dataset ? [context.dataset.name] : context.page.datasets.map(({ name }) => name);
  return meanOfAll(names.map((name) => context.page.gains.find((one) => one.dataset === name && one.system === system && one.kind === kind)?.gain ?? null));
}

/** F1 if boundaries are forgiven. */
export function forgivenOf(context: Pick<Context, "page" | "dataset">, system: string): number | null {
  const names = context.dataset ? [context.dataset.name] : context.page.datasets.map(({ name }) => name);
  return meanOfAll(names.map((name) => forgivenOn(context.page, name, system)));
}

function forgivenOn(page: Page, dataset: string, system: string): number | null {
  return page.forgiven.find((one) => one.dataset === dataset && one.system === system)?.f1 ?? null;
}

/** The mean of all values; unknown if one of them is. */
export function meanOfAll(values: (number | null)[]): number | null {
  const known = values.filter((value): value is number => value !== null);
  return known.length && known.length === values.length ? known.reduce((sum, value) => sum + value, 0) / known.length : null;
}
