// Differences by type and by level, the largest first, one axis for each metric.
import { BETTER, UNDECIDED, WORSE } from "../../colours";
import type { ChartRow, RowsChart } from "../../charts/rows";
import { rowsChart } from "../../charts/rows";
import { scaleOf } from "../../charts/scale";
import { type Difference, type Page, facetNamed, levelNamed, levelPhrase } from "../../data";
import { Drawing, Figure } from "../../figure";
import { aboutDifference, count, pText, points, shown } from "../../format";
import { placeHref } from "../../state";
import { Behind, type Cell } from "../../table";

const TOP = 12;
const FEWEST = 30; // below it, differences are no headline
export const SIGNIFICANT = 0.05;

export const isSure = ({ p_corrected }: Difference): boolean => p_corrected !== null && p_corrected < SIGNIFICANT;

/** A difference with A first. */
export function facing(row: Difference, a: string): Difference {
  if (row.system_a === a) return row;
  const minus = (value: number | null) => (value === null ? null : -value);
  return { ...row, system_a: row.system_b, system_b: row.system_a, a: row.b, b: row.a, difference: minus(row.difference), low: minus(row.high), high: minus(row.low) };
}

/** How much better A is: positive for every metric. */
function gain(page: Page, row: Difference, value: number | null): number | null {
  return value === null ? null : value * (page.metrics[row.metric]?.better || 1);
}

export function rowPhrase(page: Page, row: Difference): { label: string; code?: string } {
  if (row.facet === "all" || row.facet === "type") return { label: row.type ?? row.level };
  const facet = facetNamed(page, row.facet);
  const level = levelNamed(facet, row.level);
  const phrase = facet && level ? levelPhrase(facet, level, page.datasets.filter((one) => one.name === row.dataset)) : row.level;
  const label = facet?.bucketed ? `${facet.title}: ${phrase}` : phrase;
  return { label: row.type ? `${label}, ${row.type}` : label, code: `${row.facet}=${row.level}` };
}

export function differenceHref(row: Difference): string {
  const isType = row.facet === "all" || row.facet === "type";
  const level = isType ? null : `${row.facet}=${row.level}`;
  return placeHref("errors", { d: row.dataset, a: row.system_a, b: row.system_b, change: ["fixed", "broken"], level, type: row.type ?? (row.facet === "type" ? row.level : null) });
}

export function Forest({ page, rows, a, b }: { page: Page; rows: Difference[]; a: string; b: string }) {
  const metrics = [...new Set(rows.map((row) => row.metric))];
  return (
    <>
      {metrics.map((metric) => <MetricForest key={metric} page={page} rows={rows.filter((row) => row.metric === metric)} metric={metric} a={a} b={b} />)}
    </>
  );
}

function MetricForest({ page, rows, metric, a, b }: { page: Page; rows: Difference[]; metric: string; a: string; b: string }) {
  const known = rows.filter((row) => row.difference !== null && row.n > 0);
  const bySize = [...known].sort((one, other) => Number(other.n >= FEWEST) - Number(one.n >= FEWEST) || Math.abs(other.difference!) - Math.abs(one.difference!));
  const top = bySize.slice(0, TOP).sort((one, other) => gain(page, other, other.difference)! - gain(page, one, one.difference)!);
  if (!top.length) return null;
  const title = page.metrics[metric]?.title ?? metric;
  const caption = `${title}: where ${a} and ${b} differ most`;
  return (
    <Figure
      title={caption}
      n={`${Math.min(TOP, known.length)} of ${count(known.length)} groups`}
      note={`Points by which ${a} is better${page.metrics[metric]?.better < 0 ? " (fewer errors)" : ""}. Coloured: significant after correction; grey: no clear difference; hatched: n < ${FEWEST}; arrows: the interval goes on.`}
    >
      <Drawing draw={rowsChart} chart={forestChart(page, top, a, b)} />
      <Behind caption={`All differences in ${title} between ${a} and ${b}`} header={tableHeader(a, b)} rows={bySize.map((row) => tableRow(page, row))} most={25} />
    </Figure>
  );
}

function forestChart(page: Page, rows: Difference[], a: string, b: string): RowsChart {
  const scale = scaleOf([0, ...rows.map((row) => 130 * gain(page, row, row.difference)!)], 7);
  return {
    label: `Differences between ${a} and ${b}`,
    rows: rows.map((row): ChartRow => {
      const ends = [gain(page, row, row.low), gain(page, row, row.high)].map((end) => (end === null ? null : 100 * end));
      const [low, high] = ends[0] !== null && ends[1] !== null && ends[0] > ends[1] ? ends.reverse() : ends;
      const value = 100 * gain(page, row, row.difference)!;
      return {
        key: JSON.stringify([row.dataset, row.facet, row.level, row.type, row.match]),
        label: rowPhrase(page, row).label,
        note: [rowPhrase(page, row).code, `n = ${count(row.n)}`].filter(Boolean).join(" · "),
        points: [
          {
            name: a,
            place: 0,
            value,
            low,
            high,
            colour: !isSure(row) ? UNDECIDED : value > 0 ? BETTER : WORSE,
            hatched: row.n < FEWEST,
            text: points(value / 100),
            tip: aboutDifference(page, row),
            href: differenceHref(row),
          },
        ],
      };
    }),
    axis: `← ${b} better · points · ${a} better →`,
    scale,
  };
}

const tableHeader = (a: string, b: string) =>
  ["group", "code", a, b, `${a} − ${b}`, "95 % interval", "p alone", "p corrected", "n"].map((text) => ({ text }));

function tableRow(page: Page, row: Difference): Cell[] {
  const { label, code } = rowPhrase(page, row);
  const metric = page.metrics[row.metric];
  const p = (value: number | null): Cell => ({ text: row.untested ? "not tested" : pText(value).replace(/^p (= )?/, ""), value, tip: row.untested ?? undefined });
  return [
    { text: label, href: differenceHref(row) },
    { text: code ?? "" },
    { text: shown(row.a, metric), value: row.a },
    { text: shown(row.b, metric), value: row.b },
    { text: points(row.difference), value: row.difference, best: isSure(row) },
    { text: row.low === null || row.high === null ? "–" : `${points(row.low)} to ${points(row.high)}` },
    p(row.p),
    p(row.p_corrected),
    { text: count(row.n), value: row.n },
  ];
}
