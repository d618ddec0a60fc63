// Errors by kind: what the summary counts, and the colours of kinds on the whole page.
import type { Context } from "./context";
import type { ErrorSum, Page } from "./data";
import { filterOf } from "./listing/filter";
import { countText, totalErrors } from "./listing/totals";
import type { PageKind } from "./page-data";
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

/** Whether errors of a system are means over runs. */
export function hasRuns({ page }: Pick<Context, "page">, system: string): boolean {
  return page.datasets.some(({ runs }) => runs.filter(([name]) => name === system).length > 1);
}

/** Whether the errors of all chosen datasets are counted: of a large corpus, results may keep only scores. */
export function knowsErrors({ page, dataset }: Pick<Context, "page" | "dataset">): boolean {
  const counted = new Set(page.errors.map((sum) => sum.dataset));
  return (dataset ? [dataset] : page.datasets).every(({ name, folded }) => !folded || counted.has(name));
}

/** Errors of a system, and the link to their list. */
export interface SystemErrors {
  n: number; // per run, summed over the chosen datasets
  href: string; // with the choices of the head
  count: string;
}

export function errorsOf(context: Context, system: string, choices: { kind?: string; type?: string; side?: string } = {}): SystemErrors {
  const chosen = { system, ...choices };
  const page = { ...context.page, errors: sumsOf(context.page, system) };
  const n = totalErrors(page, filterOf(context, new URLSearchParams(chosen))) ?? 0;
  return { n, href: withPageChoices(placeHref("errors", chosen)), count: countText(n) };
}

const sums = new WeakMap<Page, Map<string, ErrorSum[]>>();

/** The sums of a system: a page of many systems asks for them hundreds of times. */
function sumsOf(page: Page, system: string): ErrorSum[] {
  if (!sums.has(page)) sums.set(page, new Map(page.systems.map((name) => [name, page.errors.filter((sum) => sum.system === name)])));
  return sums.get(page)!.get(system) ?? [];
}

/** Errors of a system by kind, in the order of `kindsOf`. */
export function errorsByKind(context: Context, system: string): ({ kind: PageKind } & SystemErrors)[] {
  return kindsOf(context).map((kind) => ({ kind, ...errorsOf(context, system, { kind: kind.name }) }));
}

/** A number of errors as text: whole, or a mean over runs with one decimal. */
export function errorCount(n: number): string {
  return (Math.round(10 * n) / 10).toLocaleString("en-GB", { maximumFractionDigits: 1 });
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
