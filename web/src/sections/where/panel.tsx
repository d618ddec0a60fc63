// One question: its finding as the title, and every group with its score beside the overall one.
import type { ChartRow, RowPoint, RowsChart } from "../../charts/rows";
import { rowsChart } from "../../charts/rows";
import { type Context, datasetKey, datasetsOf } from "../../context";
import { type Row, levelPhrase } from "../../data";
import { Drawing, Figure, systemLegend } from "../../figure";
import { about, count, percent, shown } from "../../format";
import { placeHref } from "../../state";
import { FEWEST, type LevelScore, finding, isApart, shortfall } from "./finding";
import { type Answer, type Question, leadOf } from "./questions";

/** The scores that a chart shows: a row for each group, a mark for each system. */
export interface Group {
  key: string;
  label: string;
  code?: string;
  row: (system: string, dataset: string | null) => Row | null;
  href: (system: string, row: Row) => { href: string; count?: string };
}

export function Panel({ context, question }: { context: Context; question: Question }) {
  const [first, ...variants] = question.answers.filter((answer) => hasScores(context, answer));
  if (!first) return null;
  return (
    <section class="panel">
      <AnswerFigure context={context} title={question.title} answer={first} />
      {variants.length > 0 && (
        <details class="more">
          <summary>Also: {variants.map(({ facet }) => facet.title).filter((title, k, all) => all.indexOf(title) === k).join("; ")}</summary>
          {variants.map((answer) => (
            <AnswerFigure key={answer.facet.name + answer.levels[0].name} context={context} title={answer.facet.title} answer={answer} />
          ))}
        </details>
      )}
    </section>
  );
}

function hasScores({ rows, systems, dataset }: Context, { facet, levels }: Answer): boolean {
  const lead = leadOf(facet);
  const name = dataset?.name ?? null;
  return lead !== null && levels.some((level) => rows.get({ dataset: name, system: systems[0], facet: facet.name, level: level.name, ...lead })?.value != null);
}

function AnswerFigure({ context, title, answer }: { context: Context; title: string; answer: Answer }) {
  const { rows, dataset } = context;
  const { facet, levels } = answer;
  const lead = leadOf(facet);
  if (!lead) return null;
  const groups = levels.map((level): Group => ({
    key: level.name,
    label: levelPhrase(facet, level, dataset ? [dataset] : context.page.datasets),
    code: `${facet.name}=${level.name}`,
    row: (system, name) => rows.get({ dataset: name, system, facet: facet.name, level: level.name, ...lead }),
    href: (system, row) => levelHref(context, facet.name, level.name, system, row),
  }));
  const overall = (system: string, name: string | null) =>
    rows.get({ dataset: name, system, facet: "all", level: "all", ...lead }) ?? rows.get({ dataset: name, system, facet: facet.name, level: "all", ...lead });
  return <GroupsFigure context={context} title={title} groups={groups} overall={(system, name) => overall(system, name)?.value ?? null} metric={lead.metric} about={facet.about} />;
}

/** Recall and error rates lead to as many mentions or tokens as are wrong. */
function levelHref(context: Context, facet: string, level: string, system: string, row: Row): { href: string; count?: string } {
  const side = row.metric === "recall" ? "gold" : row.metric === "precision" ? "predicted" : null;
  const href = placeHref("errors", { d: datasetKey(context), system, level: `${facet}=${level}`, side });
  return { href, count: wrongCount(context, row) };
}

export function wrongCount(context: Context, row: Row): string | undefined {
  if (row.value === null || context.dataset === null) return undefined;
  const runs = row.runs ?? 1;
  const wrong = row.metric === "recall" ? (1 - row.value) * row.n : row.metric === "ter" ? row.value * row.n : null;
  // The sums of all runs are whole numbers, so rounding their mean restores it.
  return wrong === null ? undefined : String(Math.round((Math.round(wrong * runs) / runs) * 10) / 10);
}

export function GroupsFigure(props: {
  context: Context;
  title: string;
  groups: Group[];
  overall: (system: string, dataset: string | null) => number | null;
  metric: string;
  about?: string;
}) {
  const { context, title, groups, overall, metric, about: definition } = props;
  const { page, systems, dataset } = context;
  const name = dataset?.name ?? null;
  const best = systems[0];
  const scores = groups.flatMap((group): LevelScore[] => {
    const row = group.row(best, name);
    return row ? [{ key: group.key, phrase: group.label, row }] : [];
  });
  if (!scores.length) return null;
  // The mean over datasets has no interval: a group must be worse on each of them.
  const isCertain = ({ key }: LevelScore) =>
    datasetsOf(context).every((one) => {
      const row = groups.find((group) => group.key === key)?.row(best, one.name);
      const all = overall(best, one.name);
      return !!row && row.value !== null && all !== null && shortfall(page, row, all) > 0 && isApart(row, all);
    });
  const chart = groupsChart(context, groups, overall(best, name), metric);
  const text = capitalised(finding(page, scores, overall(best, name), isCertain));
  return (
    <Figure title={`${title} ${text}`} legend={systemLegend(page.systems, systems)} note={definition}>
      <Drawing draw={rowsChart} chart={chart} />
    </Figure>
  );
}

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

const APART = 2; // of more systems, all marks of a group share a line

function groupsChart(context: Context, groups: Group[], overall: number | null, metric: string): RowsChart {
  const { page, systems, dataset } = context;
  const words = page.metrics[metric];
  const rowOf = (group: Group, system: string) => group.row(system, dataset?.name ?? null);
  return {
    label: groups.map(({ label }) => label).join(", "),
    rows: groups.map((group): ChartRow => {
      const points = systems.flatMap((system): RowPoint[] => {
        const row = rowOf(group, system);
        return row && row.n > 0 ? [pointOf(context, system, row, group)] : [];
      });
      const n = Math.max(0, ...systems.map((system) => rowOf(group, system)?.n ?? 0));
      return { key: group.key, label: group.label, note: [group.code, `n = ${count(n)}`].filter(Boolean).join(" · "), points };
    }),
    axis: `${words?.title ?? metric}${words?.fraction ? " (%)" : ""}${words?.better < 0 ? ", lower is better" : ""}`,
    percent: words?.fraction,
    together: systems.length > APART,
    line: overall === null ? undefined : { value: 100 * overall, text: `${systems[0]} overall ${percent(overall)}` },
  };
}

function pointOf({ page }: Context, system: string, row: Row, group: Group): RowPoint {
  const scaled = (value: number | null) => (value === null ? null : 100 * value);
  return {
    name: system,
    place: page.systems.indexOf(system),
    value: scaled(row.value),
    low: scaled(row.low),
    high: scaled(row.high),
    hatched: row.n < FEWEST,
    text: shown(row.value, page.metrics[row.metric]),
    tip: about(page, row),
    ...group.href(system, row),
  };
}
