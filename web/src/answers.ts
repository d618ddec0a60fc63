// The three questions answered in words: how good, significantly better than whom, weakest where.
import type { Difference, Page, Row, Rows, Weakest } from "./data";
import { about, aboutDifference, count, interval, pText, percent, points, shown } from "./format";
import { placeHref } from "./state";

/** A piece of a sentence; what can be hovered has a tip, what leads somewhere a link. */
export interface Piece {
  text: string;
  tip?: string;
  href?: string;
  strong?: boolean;
}

export const SIGNIFICANT = 0.05;
const MOST_NAMED = 3; // systems that are told one by one

/** The sentence that tells the best system of a dataset. */
export function answer(page: Page, rows: Rows, dataset: string): Piece[] {
  const metric = mainMetric(page);
  const scores = page.systems
    .map((system) => rows.find({ dataset, system, metric }))
    .filter((row): row is Row => row !== null && row.value !== null)
    .sort((one, other) => other.value! - one.value!);
  if (!scores.length) return [{ text: "No system has a score here." }];
  const [best, ...others] = scores;
  const weak = weakest(page, dataset, best.system);
  return [
    { text: best.system, strong: true },
    { text: " " },
    { text: `${percent(best.value)} ${interval(best.low, best.high)}`.trim(), tip: about(page, best) },
    { text: ` ${page.metrics[metric].title}` },
    ...standing(page, dataset, best.system, others),
    ...(weak.length ? [{ text: "; weakest on " }, ...weak] : []),
    { text: "." },
  ];
}

/** What systems are judged by first: F1, or whatever there is. */
export function mainMetric(page: Page): string {
  const metrics = Object.entries(page.metrics).filter(([, metric]) => metric.better > 0 && metric.fraction);
  return page.metrics.f1 ? "f1" : (metrics[0]?.[0] ?? "f1");
}

/** The difference A − B over everything, whichever way round it was tested. */
export function overall(page: Page, dataset: string, a: string, b: string): Difference | null {
  const found = primaryRows(page).find((row) => row.dataset === dataset && isPair(row, a, b));
  return found ? facing(found, a) : null;
}

const primary = new WeakMap<Page, Difference[]>();

function primaryRows(page: Page): Difference[] {
  const known = primary.get(page) ?? page.comparison?.rows.filter((row) => row.family === "primary") ?? [];
  primary.set(page, known);
  return known;
}

/** Whether something is about these two systems, whichever stands first. */
export function isPair(row: { system_a?: unknown; system_b?: unknown }, a: string, b: string): boolean {
  return (row.system_a === a && row.system_b === b) || (row.system_a === b && row.system_b === a);
}

/** A row so that `a` stands first. */
export function facing(row: Difference, a: string): Difference {
  if (row.system_a === a) return row;
  const minus = (value: number | null) => (value === null ? null : -value);
  return {
    ...row,
    system_a: row.system_b,
    system_b: row.system_a,
    a: row.b,
    b: row.a,
    difference: minus(row.difference),
    low: minus(row.high),
    high: minus(row.low),
  };
}

/** What a comparison of single outputs is about. */
export const OUTPUTS = "outputs";

export function isSure(row: Difference | null): boolean {
  return row !== null && row.p_corrected !== null && row.p_corrected < SIGNIFICANT;
}

function standing(page: Page, dataset: string, best: string, others: Row[]): Piece[] {
  const found = others
    .map((other) => overall(page, dataset, best, other.system))
    .filter((row): row is Difference => row !== null);
  const sure = found.filter(isSure);
  const unsure = found.filter((row) => !isSure(row));
  // With one run each, only the outputs were compared: a claim about systems needs several runs.
  const outputs = sure.filter((row) => row.about === OUTPUTS);
  const methods = sure.filter((row) => row.about !== OUTPUTS);
  return [
    ...told(page, "significantly better than", methods),
    ...told(page, "its output is significantly better than that of", outputs),
    ...told(page, "no significant difference from", unsure),
  ];
}

function told(page: Page, words: string, rows: Difference[]): Piece[] {
  if (!rows.length) return [];
  const pieces: Piece[] = [{ text: `; ${words} ` }];
  rows.slice(0, MOST_NAMED).forEach((row, k) => {
    pieces.push(
      { text: k ? ", " : "" },
      { text: row.system_b, strong: true, href: placeHref("compare", { d: row.dataset, a: row.system_a, b: row.system_b }) },
      { text: ` (${points(row.difference)}, ${row.untested ?? pText(row.p_corrected)})`, tip: aboutDifference(page, row) },
    );
  });
  if (rows.length > MOST_NAMED) pieces.push({ text: ` and ${rows.length - MOST_NAMED} more` });
  return pieces;
}

/** Where a system is weakest, in words. */
export function weakest(page: Page, dataset: string, system: string): Piece[] {
  const spots = page.weakest.filter((one) => one.dataset === dataset && one.system === system);
  const words = spots.map((one) => one.phrase);
  return spots
    .filter((_, k) => words.indexOf(words[k]) === k) // two attributes may say the same
    .slice(0, MOST_NAMED)
    .flatMap((one, k, all) => [{ text: k ? (k === all.length - 1 ? " and " : ", ") : "" }, ...place(page, one)]);
}

function place(page: Page, one: Weakest): Piece[] {
  const metric = page.metrics[one.metric];
  const value = shown(one.value, metric);
  const rate = metric && metric.better < 0 ? `${value} % wrong` : value;
  const lines = [
    `${one.system} · ${one.facet} = ${one.level}`,
    `${metric?.title ?? one.metric} ${shown(one.value, metric, 2)} ${interval(one.low, one.high, metric, 2)}`,
    `n = ${count(one.n)}`,
    page.glossary[one.level] ?? page.glossary[one.facet] ?? "",
    page.signature,
  ];
  return [
    { text: one.phrase, href: errorsHref(one.facet, one.level, one.dataset, one.system, null, one.metric) },
    { text: ` (${rate}, n = ${count(one.n)})`, tip: lines.filter(Boolean).join("\n") },
  ];
}

/** The sentences in which a system errs on a level, or on a type. */
export function errorsHref(
  facet: string,
  level: string,
  dataset: string,
  system: string,
  type: string | null = null,
  metric = "f1",
): string {
  const side = metric === "recall" ? "gold" : metric === "precision" ? "predicted" : null; // what it rests on
  return placeHref("errors", { d: dataset, system, outcome: "error", side, ...whereOf(facet, level, type) });
}

/** What a number is of, as the address has it. */
export function whereOf(facet: string, level: string, type: string | null): Record<string, string | null> {
  if (facet === "type") return { type: level };
  return facet === "all" ? { type } : { facet, level, type };
}
