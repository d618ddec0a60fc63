// Numbers as text: never 0 or 100 unless exact, and undefined is a dash.
import { type Difference, type Page, type Row, facetNamed, levelNamed, levelPhrase } from "./data";
import type { PageMetric } from "./page-data";

export const UNDEFINED = "–";

/** A fraction in percent that claims 0 or 100 only if it is exactly that. */
export function percent(value: number | null, digits = 1): string {
  if (value === null) return UNDEFINED;
  const least = 10 ** -digits;
  let points = 100 * value;
  if (value > 0 && value < 1) points = Math.min(Math.max(points, least), 100 - least);
  return points.toFixed(digits);
}

/** A value of a metric: in percent if it is a share. */
export function shown(value: number | null, metric: PageMetric | undefined, digits = 1): string {
  if (value === null) return UNDEFINED;
  if (metric && !metric.fraction) return Number.isInteger(value) ? count(value) : value.toPrecision(4);
  return percent(value, digits);
}

export function interval(low: number | null, high: number | null, metric?: PageMetric, digits = 1): string {
  return low === null || high === null ? "" : `[${shown(low, metric, digits)}, ${shown(high, metric, digits)}]`;
}

/** A difference in points, with its sign. */
export function points(value: number | null, digits = 1): string {
  if (value === null) return UNDEFINED;
  const text = (100 * Math.abs(value)).toFixed(digits);
  if (Number(text) === 0) return value === 0 ? "0" : `${value < 0 ? "−" : "+"}<0.${"0".repeat(digits - 1)}1`;
  return `${value < 0 ? "−" : "+"}${text}`;
}

/** A p-value as words have it: "p = 0.03", "p < 0.001". */
export function pText(p: number | null): string {
  if (p === null) return "not tested";
  if (p < 0.001) return "p < 0.001";
  return `p = ${p < 0.1 ? p.toFixed(3) : p.toFixed(2)}`;
}

export function count(value: number): string {
  return value.toLocaleString("en-GB");
}

/** A name at the beginning of a title. */
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** All that is known of a number, a line each: for tips. */
export function about(page: Page, row: Row): string {
  const metric = page.metrics[row.metric];
  const dataset = page.datasets.find((one) => one.name === row.dataset);
  const lines = [
    [row.system, row.dataset, ...whereWords(page, row)].join(" · "),
    `${metric?.title ?? row.metric} ${shown(row.value, metric, 2)} ${interval(row.low, row.high, metric, 2)}`.trim(),
    `n = ${count(row.n)}${row.clusters ? `, in ${counted(row.clusters, dataset?.resample ?? "cluster")}` : ""}`,
  ];
  if (row.std !== null) lines.push(`± ${shown(row.std, metric, 2)} over ${row.runs} runs`);
  if (row.caution) lines.push(row.caution);
  if (metric?.about) lines.push(metric.about);
  if (row.match !== "exact" && page.matches[row.match]) lines.push(`${row.match}: ${page.matches[row.match]}`);
  return lines.join("\n");
}

/** All that is known of a difference. */
export function aboutDifference(page: Page, row: Difference): string {
  const metric = page.metrics[row.metric];
  const lines = [
    [`${row.system_a} − ${row.system_b}`, row.dataset, ...whereWords(page, row)].join(" · "),
    `${metric?.title ?? row.metric} ${shown(row.a, metric, 2)} − ${shown(row.b, metric, 2)} = ${points(row.difference, 2)}`,
  ];
  if (row.low !== null && row.high !== null) lines.push(`95 % interval ${points(row.low, 2)} to ${points(row.high, 2)}`);
  lines.push(
    row.untested ?? `${pText(row.p)} alone, ${pText(row.p_corrected).replace("p ", "")} corrected`,
    `n = ${count(row.n)}`,
  );
  return lines.join("\n");
}

/** The level and the type of a number, in words. */
function whereWords(page: Page, row: { facet: string; level: string; type: string | null; dataset: string }): string[] {
  const facet = facetNamed(page, row.facet);
  const level = levelNamed(facet, row.level);
  const words = facet && level ? `${levelPhrase(facet, level, page.datasets.filter((one) => one.name === row.dataset))} (${row.facet}=${row.level})` : null;
  return [words, row.type].filter((one): one is string => one !== null);
}
