// Partial credit: how many mentions are found exactly, how many in part, and what that is worth.
import { partColour, stackChart } from "../charts/stacks";
import { levelChart } from "../charts/levels";
import { type Context, datasetKey, pointOf } from "../context";
import { Select } from "../controls";
import type { Page, Row } from "../data";
import { Drawing, Figure, systemLegend } from "../figure";
import { about, count } from "../format";
import { choose, placeHref } from "../state";
import { Behind, type Cell, numberCell } from "../table";

const SCORES = ["f1", "precision", "recall"];
const NAMES: Record<string, string> = { correct: "exact", partial: "partial", incorrect: "incorrect", missed: "missed" };

export function partialMatches(page: Page): string[] {
  const found = page.rows.filter((row) => row.facet === "all" && row.unit === "mention" && row.metric === "f1" && row.type === null);
  return [...new Set(found.map((row) => row.match))];
}

export function PartialCredit({ context }: { context: Context }) {
  const { page, place, rows, systems, dataset } = context;
  const matches = partialMatches(page);
  const offered = SCORES.filter((name) => name in page.metrics);
  const metric = offered.find((name) => name === place.chosen.get("metric")) ?? offered[0];
  const get = (system: string, match: string, wanted: string) =>
    rows.get({ dataset: dataset?.name ?? null, system, match, metric: wanted });
  return (
    <>
      <div class="row">
        <Select label="Metric" value={metric} options={offered.map((value) => ({ value, text: page.metrics[value].title }))} onChange={(value) => choose({ metric: value })} />
      </div>
      <Scores context={context} matches={matches} metric={metric} get={get} />
      {matches
        .filter((match) => match !== "exact" && systems.some((system) => get(system, match, "correct")))
        .map((match) => (
          <Stack key={match} context={context} match={match} get={get} />
        ))}
      <ScoreTable context={context} matches={matches} get={get} />
    </>
  );
}

type Get = (system: string, match: string, metric: string) => Row | null;

function Scores({ context, matches, metric, get }: { context: Context; matches: string[]; metric: string; get: Get }) {
  const { page, systems } = context;
  const points = matches.flatMap((match) =>
    systems.flatMap((system) => {
      const row = get(system, match, metric);
      return row ? [{ ...pointOf(context, row, match), href: placeHref("errors", { d: datasetKey(context), system, outcome: "error" }) }] : [];
    }),
  );
  const { title } = page.metrics[metric];
  const chart = { label: `${title} under each criterion`, points, levels: matches.map((name) => ({ name, title: name })), systems, bars: false, axis: `${title} (%)` };
  return (
    <Figure title={`${title} under each criterion`} note="Exact match gives no credit to a wrong boundary; the others give a part." legend={systemLegend(page.systems, systems)}>
      <Drawing plot={levelChart} chart={chart} />
    </Figure>
  );
}

/** Gold mentions by what became of them. */
function Stack({ context, match, get }: { context: Context; match: string; get: Get }) {
  const { page, systems } = context;
  const parts = systems.flatMap((system) =>
    Object.keys(NAMES).flatMap((part) => {
      const row = get(system, match, part);
      if (!row || !row.value) return [];
      const href = placeHref("errors", { d: datasetKey(context), system, outcome: part === "correct" ? part : "error" });
      return [{ row: system, part: NAMES[part], value: row.value, text: count(Math.round(row.value)), tip: about(page, row), href }];
    }),
  );
  const names = Object.values(NAMES).filter((name) => parts.some((part) => part.part === name));
  const title = `Exact and partial matches: ${match}`;
  const chart = { label: title, parts, rows: systems, names, axis: context.dataset ? "gold mentions" : "gold mentions (mean over datasets)" };
  if (!parts.length) return null;
  const body = systems.map((system) => [
    { text: system },
    ...["correct", "partial", "missed", "spurious", "partial_share"].map((part): Cell => {
      return { ...numberCell(page, get(system, match, part)), small: "" };
    }),
  ]);
  const header = ["system", "exact", "partial", "missed", "spurious", "% partial"].map((text) => ({ text, tip: page.glossary[text] }));
  return (
    <>
      <Figure title={title} note={page.matches[match]} legend={names.map((name, k) => ({ name, colour: partColour(k) }))}>
        <Drawing plot={stackChart} chart={chart} />
      </Figure>
      <Behind caption={title} header={header} rows={body} />
    </>
  );
}

function ScoreTable({ context, matches, get }: { context: Context; matches: string[]; get: Get }) {
  const { page, systems } = context;
  const body = systems.flatMap((system) =>
    matches.map((match) => [
      { text: system },
      { text: match, tip: page.matches[match] },
      ...["precision", "recall", "f1"].map((metric): Cell => {
        return numberCell(page, get(system, match, metric));
      }),
    ]),
  );
  const header = ["system", "criterion", "precision", "recall", "F1"].map((text) => ({ text, tip: page.glossary[text.toLowerCase()] }));
  return <Behind caption="Precision, recall and F1 under each criterion" header={header} rows={body} />;
}
