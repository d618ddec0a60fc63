// How good each system is, significantly better than whom, weakest where; and on what all this rests.
import { answer, isSure, overall, weakest } from "../answers";
import { type LevelChart, levelChart } from "../charts/levels";
import { type Context, pointOf } from "../context";
import { Notes, Pieces, useCopied } from "../controls";
import type { Dataset, Page, Row, Wanted } from "../data";
import { Drawing, Figure, systemLegend } from "../figure";
import { UNDEFINED, count, percent } from "../format";
import { placeHref } from "../state";
import { type Cell, Table, numberCell } from "../table";

const SCORES = ["precision", "recall", "f1", "macro_f1", "weighted_f1", "accuracy"];
const STAR = "★";

export function Overview({ context }: { context: Context }) {
  const { page, rows, dataset } = context;
  const told = dataset ? [dataset] : page.datasets;
  return (
    <>
      <section class="answers" aria-label="In words">
        {told.map((one) => (
          <p key={one.name} class="answer">
            {page.datasets.length > 1 && <span class="dataset">{one.name}: </span>}
            <Pieces pieces={answer(page, rows, one.name)} />
          </p>
        ))}
      </section>
      <ScoreTable context={context} />
      {page.datasets.length > 1 && <DatasetTable context={context} />}
      <ScoreChart context={context} />
      {dataset && <Types context={context} dataset={dataset} />}
      {dataset && context.systems.length > 1 && <WeakestList context={context} dataset={dataset} />}
      <Composition context={context} />
      <Conditions context={context} />
    </>
  );
}

/** Whether a number is the best of its column. */
function isBest(page: Page, row: Row | null, column: (Row | null)[]): boolean {
  const better = row ? page.metrics[row.metric]?.better : 0;
  if (!row || row.value === null || !better || column.length < 2) return false;
  return column.every((one) => one?.value == null || one.value * better <= row.value! * better);
}

/** Whether a system is significantly better, by F1, than every other one on a dataset. */
function beatsAll(page: Page, dataset: string, system: string): boolean {
  const others = page.systems.filter((other) => other !== system);
  const found = others.map((other) => overall(page, dataset, system, other));
  return found.length > 0 && found.every((one) => isSure(one) && one!.difference! > 0);
}

function scoreCell(page: Page, row: Row | null, column: (Row | null)[]): Cell {
  const cell = numberCell(page, row);
  const spread = row?.std == null ? "" : ` ± ${percent(row.std)}`;
  return { ...cell, small: (cell.small + spread).trim(), best: isBest(page, row, column) };
}

function ScoreTable({ context }: { context: Context }) {
  const { page, rows, systems, dataset } = context;
  const own = page.rows.filter((row) => row.facet === "all" && row.type === null && ["exact", "label"].includes(row.match));
  const others = [...new Set(own.map((row) => row.metric))].filter((name) => !/^(macro|weighted)_/.test(name));
  const names = [...SCORES.filter((name) => name in page.metrics), ...others.filter((name) => !SCORES.includes(name))];
  const match = (metric: string) => (metric === "accuracy" ? "label" : "exact");
  const columns = names.map((metric) =>
    systems.map((system) => rows.get({ dataset: dataset?.name ?? null, system, metric, match: match(metric) })),
  );
  const body = systems.map((system, k) => {
    const support = columns[names.indexOf("recall")]?.[k]?.n;
    const runs = columns.find((column) => column[k])?.[k]?.runs ?? 1;
    const star = dataset && beatsAll(page, dataset.name, system) ? STAR : "";
    return [
      { text: system },
      ...columns.map((column, at) => {
        const cell = scoreCell(page, column[k], column);
        return names[at] === "f1" ? { ...cell, text: cell.text + star } : cell;
      }),
      { text: support === undefined ? "" : count(support), value: support ?? null },
      { text: String(runs), value: runs },
    ];
  });
  const header = [
    { text: "system" },
    ...names.map((name) => ({ text: page.metrics[name].title, tip: page.metrics[name].about })),
    { text: "support", tip: page.glossary.support },
    { text: "runs", tip: page.glossary.run },
  ];
  const note = dataset
    ? `Exact match, in percent. […] 95 % interval over ${dataset.resample}s. Bold: best of its column. ${STAR} significantly better in F1 than every other system (p < 0.05, corrected).`
    : "Means over all datasets, in percent; no mean where a dataset has no value. Bold: best of its column.";
  return <Table caption={`Scores on ${dataset?.name ?? "all datasets"}`} header={header} rows={body} note={note} stacked />;
}

function DatasetTable({ context }: { context: Context }) {
  const { page, rows, systems } = context;
  const columns = [...page.datasets.map((one) => one.name), null].map((dataset) =>
    systems.map((system) => rows.get({ dataset, system, metric: "f1" })),
  );
  const body = systems.map((system, k) => [
    { text: system },
    ...columns.map((column) => scoreCell(page, column[k], column)),
  ]);
  const header = ["system", ...page.datasets.map((one) => one.name), "mean"].map((text) => ({ text }));
  return <Table caption="F1 on each dataset" header={header} rows={body} note="Exact match, in percent, with 95 % intervals. A mean is of all datasets, or is not there." stacked />;
}

function ScoreChart({ context }: { context: Context }) {
  const { page, rows, systems, dataset } = context;
  const sets = dataset ? [dataset] : page.datasets;
  const points = sets.flatMap((one) =>
    systems.flatMap((system) => {
      const row = rows.find({ dataset: one.name, system, metric: "f1" });
      return row ? [pointOf(context, row, one.name)] : [];
    }),
  );
  const chart: LevelChart = {
    label: "F1 of each system with its interval",
    points,
    levels: sets.map(({ name }) => ({ name, title: name })),
    systems,
    bars: false,
    axis: "F1 (%)",
  };
  return (
    <Figure title="F1 with 95 % intervals" legend={systemLegend(page.systems, systems)}>
      <Drawing plot={levelChart} chart={chart} />
    </Figure>
  );
}

function Types({ context, dataset }: { context: Context; dataset: Dataset }) {
  const { page, rows, systems } = context;
  const cell = (system: string, type: string) => rows.find({ dataset: dataset.name, system, metric: "f1", type });
  const body = dataset.types.map((type) => {
    const column = systems.map((system) => cell(system, type));
    const support = column.find(Boolean)?.n ?? 0;
    return [
      { text: type, href: placeHref("errors", { d: dataset.name, type, outcome: "error" }) },
      ...column.map((row) => scoreCell(page, row, column)),
      { text: count(support), value: support },
    ];
  });
  const header = [{ text: "type" }, ...systems.map((text) => ({ text })), { text: "support", tip: page.glossary.support }];
  return <Table caption="F1 of each type" header={header} rows={body} note="Exact match, in percent. Bold: best of its row." stacked />;
}

function WeakestList({ context, dataset }: { context: Context; dataset: Dataset }) {
  return (
    <section class="weakest">
      <h3>Where each system is weakest</h3>
      <ul>
        {context.systems.map((system) => {
          const pieces = weakest(context.page, dataset.name, system);
          if (!pieces.length) return null;
          return (
            <li key={system}>
              <strong>{system}</strong>: <Pieces pieces={pieces} />
            </li>
          );
        })}
      </ul>
      <p class="note">Ranked by the lower 95 % bound of the shortfall against the overall score.</p>
    </section>
  );
}

/** Sizes, types, and what training has seen: a column for each dataset. */
function Composition({ context }: { context: Context }) {
  const { page, rows } = context;
  const tmr = page.facets.find((facet) => facet.name === "tmr");
  const levels = tmr ? Object.keys(tmr.levels) : [];
  const types = [...new Set(page.datasets.flatMap((one) => one.types))];
  const mentions = (dataset: Dataset, wanted: Partial<Wanted> = {}) =>
    rows.find({ dataset: dataset.name, system: dataset.runs[0]?.[0] ?? "", metric: "recall", ...wanted })?.n ?? null;
  const line = (name: string, of: (dataset: Dataset) => number | null, shares = false) => [
    { text: name, tip: page.glossary[name] },
    ...page.datasets.map((dataset) => {
      const [value, all] = [of(dataset), mentions(dataset)];
      const small = shares && value !== null && all ? `${percent(value / all)} %` : "";
      return { text: value === null ? UNDEFINED : count(value), small, value };
    }),
  ];
  const body = [
    line("documents", (dataset) => dataset.documents),
    line("sentences", (dataset) => dataset.sentences.total),
    line("tokens", (dataset) => dataset.tokens),
    line("mentions", (dataset) => mentions(dataset)),
    ...types.map((type) => line(type, (dataset) => mentions(dataset, { type }), true)),
    ...levels.map((level) => line(level, (dataset) => mentions(dataset, { facet: "tmr", level }), true)),
  ];
  const header = [{ text: "number of" }, ...page.datasets.map((one) => ({ text: one.name }))];
  const note = `Gold mentions by type${levels.length ? " and by what training has seen of them" : ""}, with their share of all mentions.`;
  return <Table caption="What the data are made of" header={header} rows={body} note={note} most={24} />;
}

function Conditions({ context }: { context: Context }) {
  const { page } = context;
  const [copied, copyAs] = useCopied();
  return (
    <section>
      <h3>Conditions</h3>
      <p class="signature">
        <code>{page.signature}</code>{" "}
        <button type="button" onClick={() => copyAs("signature", page.signature)}>
          {copied ? "copied" : "Copy the signature"}
        </button>
      </p>
      {page.notes.length > 0 && (
        <details open={page.notes.length < 4}>
          <summary>Notes on the files that were read, and other notes ({page.notes.length})</summary>
          <Notes notes={page.notes} />
        </details>
      )}
    </section>
  );
}
