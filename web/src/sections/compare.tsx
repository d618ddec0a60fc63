// Two systems: the difference in each cell with its interval and corrected p, mentions fixed and broken.
import { OUTPUTS, facing, isPair, isSure, overall, whereOf } from "../answers";
import { type Gap, forestChart } from "../charts/forest";
import { type Context, pairOf } from "../context";
import { Notes, PairChoice } from "../controls";
import type { Change, Difference, Page } from "../data";
import { Drawing, Figure } from "../figure";
import { UNDEFINED, aboutDifference, count, pText, points, shown } from "../format";
import { placeHref } from "../state";
import { type Cell, Table } from "../table";

const FAMILIES: Record<string, string> = { primary: "Over everything", types: "By type", where: "By facet" };

const ORDER = Object.keys(FAMILIES);

export function Compare({ context }: { context: Context }) {
  const { page } = context;
  const [a, b] = pairOf(context);
  const dataset = (context.dataset ?? page.datasets[0]).name;
  const rows = page
    .comparison!.rows.filter((row) => row.dataset === dataset && isPair(row, a, b))
    .map((row) => facing(row, a))
    .sort((one, other) => ORDER.indexOf(one.family) - ORDER.indexOf(other.family));
  return (
    <>
      <PairChoice context={context} />
      <p class="answer">{inWords(page, overall(page, dataset, a, b), dataset, a, b)}</p>
      {!context.dataset && <p class="note">Shown for {dataset}; choose a dataset above for another one.</p>}
      {["types", "where"].map((family) => (
        <Forest key={family} context={context} rows={rows.filter((row) => row.family === family)} family={family} a={a} b={b} />
      ))}
      <Changes context={context} dataset={dataset} a={a} b={b} />
      <Differences context={context} rows={rows} a={a} b={b} />
      <OverDatasets context={context} a={a} b={b} />
      <Notes notes={[`Differences are ${a} − ${b}. ${conditions(page)}`]} />
    </>
  );
}

function conditions(page: Page): string {
  const { tests, about, correction, resample, samples } = page.comparison!.settings;
  return (
    `They are about ${about.replace("outputs", "these outputs alone").replace("recipes", "the methods (other training runs included)").replace("+", " and ")}, over ${resample}s; tests: ${tests.replaceAll("+", ", ")} (${count(Number(samples))} draws where any are drawn). ` +
    `p is corrected (${correction}) within each group of questions; the first one over all pairs of systems that are on this page. nerscope compare shows the details.`
  );
}

function inWords(page: Page, row: Difference | null, dataset: string, a: string, b: string): string {
  if (!row) return `${a} and ${b} were not compared on ${dataset}.`;
  const title = page.metrics[row.metric]?.title ?? row.metric;
  const scores = `${shown(row.a, page.metrics[row.metric])} against ${shown(row.b, page.metrics[row.metric])} ${title}`;
  const difference = `${points(row.difference)} points${row.low === null ? "" : `, 95 % interval ${points(row.low)} to ${points(row.high)}`}`;
  if (row.untested) return `${a}: ${scores} of ${b} (${difference}). ${row.untested}.`;
  if (!isSure(row)) return `No significant difference between ${a} and ${b}: ${scores} (${difference}, ${pText(row.p_corrected)}).`;
  const better = gain(page, row) > 0;
  const [ours, theirs] = row.about === OUTPUTS ? [`${a}'s output`, `${b}'s`] : [a, b];
  return `${ours} is significantly ${better ? "better" : "worse"} than ${theirs}: ${scores} (${difference}, ${pText(row.p_corrected)}).`;
}

/** A difference so that above 0 is better for A. */
function gain(page: Page, row: Difference): number {
  return (row.difference ?? 0) * (page.metrics[row.metric]?.better || 1);
}

function nameOf({ facet, level, type }: { facet: string; level: string; type?: string | null }): string {
  if (facet === "all") return type ?? "all";
  return facet === "type" ? level : `${facet} ${level}`;
}

function whereHref(row: Difference): string {
  const where = whereOf(row.facet, row.level, row.type);
  return placeHref("errors", { d: row.dataset, a: row.system_a, b: row.system_b, disagree: "1", ...where });
}

function Forest({ context, rows, family, a, b }: { context: Context; rows: Difference[]; family: string; a: string; b: string }) {
  const { page } = context;
  const gaps: Gap[] = rows
    .filter((row) => row.difference !== null)
    .map((row) => {
      const sign = page.metrics[row.metric]?.better || 1;
      const ends = [row.low, row.high].map((end) => (end === null ? null : 100 * sign * end));
      if (sign < 0) ends.reverse();
      return {
        name: nameOf(row),
        value: 100 * gain(page, row),
        low: ends[0],
        high: ends[1],
        sure: isSure(row),
        text: points(gain(page, row)),
        tip: aboutDifference(page, row),
        href: whereHref(row),
      };
    });
  const title = `${FAMILIES[family]}: how far ${a} is ahead of ${b}`;
  const chart = { label: title, gaps, axis: `← ${b} better · points · ${a} better →` };
  if (!gaps.length) return null;
  const note = "Coloured circles: significant after correction; grey diamonds: not significant. For error rates the sign is reversed, so that right is always better.";
  return (
    <Figure title={title} note={note}>
      <Drawing plot={forestChart} chart={chart} />
    </Figure>
  );
}

function Differences({ context, rows, a, b }: { context: Context; rows: Difference[]; a: string; b: string }) {
  const { page } = context;
  const body = rows.map((row): Cell[] => [
    { text: nameOf(row), href: whereHref(row) },
    { text: row.match },
    { text: page.metrics[row.metric]?.title ?? row.metric, tip: page.metrics[row.metric]?.about },
    { text: shown(row.a, page.metrics[row.metric]), value: row.a },
    { text: shown(row.b, page.metrics[row.metric]), value: row.b },
    {
      text: points(row.difference),
      small: row.low === null ? "" : `[${points(row.low)}, ${points(row.high)}]`,
      value: row.difference,
      best: isSure(row),
      tip: aboutDifference(page, row),
    },
    { text: row.p_corrected === null ? UNDEFINED : pText(row.p_corrected).replace("p ", "").replace("= ", ""), value: row.p_corrected, tip: row.untested ?? undefined },
    { text: FAMILIES[row.family] ?? row.family },
    { text: count(row.n), value: row.n },
  ]);
  const header = ["where", "match", "metric", a, b, "difference", "p corrected", "asked", "n"].map((text) => ({ text, tip: page.glossary[text] }));
  return <Table caption={`Differences between ${a} and ${b}`} header={header} rows={body} note="Bold: significant after correction (p < 0.05)." most={25} />;
}

/** Mentions that one system gets right and the other does not. */
function Changes({ context, dataset, a, b }: { context: Context; dataset: string; a: string; b: string }) {
  const found = changesBetween(context.page, dataset, a, b);
  if (!found.length) return null;
  const cell = (row: Change, change: "fixed" | "broken", only: "a" | "b"): Cell => {
    const where = row.facet === "type" ? { gold: row.level } : whereOf(row.facet, row.level, null);
    return { text: count(row[change]), value: row[change], href: placeHref("errors", { d: dataset, a, b, only, ...where }) };
  };
  const body = found.map((row): Cell[] => [
    { text: nameOf(row) },
    cell(row, "fixed", "a"),
    cell(row, "broken", "b"),
    { text: count(row["both right"]), value: row["both right"] },
    { text: count(row["both wrong"]), value: row["both wrong"] },
  ]);
  const header = ["mentions", `right in ${a} only`, `right in ${b} only`, "both right", "both wrong"].map((text) => ({ text }));
  const note = `From ${b} to ${a}, mentions are fixed or broken. With several runs, a system is right if most of its runs are. Click a number to read them.`;
  return <Table caption="Mentions fixed and broken" header={header} rows={body} note={note} most={12} />;
}

/** What changes from B to A, however the pair was counted. */
export function changesBetween(page: Page, dataset: string, a: string, b: string): Change[] {
  return page.comparison!.changes
    .filter((row) => row.dataset === dataset && isPair({ system_a: row.a, system_b: row.b }, a, b))
    .map((row) => (row.a === b ? row : { ...row, a: b, b: a, fixed: row.broken, broken: row.fixed }));
}

/** The two over all datasets, and the mean rank of each system. */
function OverDatasets({ context, a, b }: { context: Context; a: string; b: string }) {
  const { overDatasets, ranks } = context.page.comparison!;
  const own = overDatasets.filter((row) => isPair(row, a, b));
  const number = (value: unknown) => (typeof value === "number" ? value : null);
  const body = own.map((row): Cell[] => {
    const sign = row.system_a === a ? 1 : -1;
    const [low, high] = [number(row.low), number(row.high)].map((end) => (end === null ? null : sign * end));
    const ends = sign > 0 ? [low, high] : [high, low];
    const mean = number(row.difference);
    const counts = sign > 0 ? [row.ahead, row.behind, row.better_on, row.worse_on] : [row.behind, row.ahead, row.worse_on, row.better_on];
    return [
      { text: `${a} − ${b}` },
      { text: points(mean === null ? null : sign * mean), small: low === null ? "" : `[${points(ends[0])}, ${points(ends[1])}]`, value: mean },
      ...counts.map((value) => ({ text: value === null ? UNDEFINED : String(value), value: number(value) })),
      ...[row.p_sign_corrected, row.p_wilcoxon_corrected].map((p) => ({ text: pText(number(p)), value: number(p) })),
    ];
  });
  const header = ["systems", "mean difference", "ahead on", "behind on", "better on at least", "worse on at least", "sign test", "Wilcoxon"];
  const ranked = ranks.map((row) => [{ text: String(row.system) }, { text: number(row.rank)?.toFixed(2) ?? UNDEFINED, value: number(row.rank) }]);
  return (
    <>
      {body.length > 0 && <Table caption="Over all datasets" header={header.map((text) => ({ text }))} rows={body} note="Differences in points of F1; datasets on which one is ahead, and on how many it is significantly better (95 % confidence)." />}
      {ranked.length > 0 && <Table caption="Mean rank over the datasets" header={["system", "mean rank"].map((text) => ({ text }))} rows={ranked} />}
    </>
  );
}
