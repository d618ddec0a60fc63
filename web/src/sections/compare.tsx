// Two systems: the answer, who is right where, and the differences by group.
import type { Part } from "../charts/stack";
import { stackChart } from "../charts/stack";
import { heatChart } from "../charts/heat";
import { type Context, bestFirst, datasetsOf, pairOf, verdictOf } from "../context";
import type { Change } from "../data";
import { Drawing, Figure } from "../figure";
import { UNDEFINED, count, counted, percent, points } from "../format";
import { verdictTip } from "../parts/badge";
import type { PageKind } from "../page-data";
import { PairChoice } from "../parts/pair";
import { placeHref } from "../state";
import { signedTip } from "../signed";
import { Table } from "../table";
import { Answer } from "./compare/answer";
import { changeParameters, changesBetween, goldKinds, netByType, outcomesOf, sumOf } from "./compare/changes";
import { ChangedMentions, Surfaces, changedMentions } from "./compare/changed";
import { Forest, facing } from "./compare/forest";
import "./compare/compare.css";

export function Compare({ context }: { context: Context }) {
  const pair = pairOf(context);
  if (!pair || !context.page.comparison) return <p class="note">There is one system: nothing to compare.</p>;
  const [a, b] = pair;
  const { page } = context;
  const sets = datasetsOf(context).map((one) => one.name);
  const changes = changesBetween(page, sets, a, b);
  const changed = changedMentions(context, a, b);
  const rows = page.comparison!.rows
    .filter((row) => sets.includes(row.dataset) && [row.system_a, row.system_b].includes(a) && [row.system_a, row.system_b].includes(b))
    .map((row) => facing(row, a));
  return (
    <>
      <PairChoice context={context} />
      <Answer context={context} a={a} b={b} />
      {changes.length > 0 && (
        <div class="columns">
          <div>
            <RightBar context={context} changes={changes} a={a} b={b} />
            <Kinds context={context} changes={changes} a={a} b={b} />
          </div>
          <div>
            <Net context={context} changes={changes} a={a} b={b} />
            <Surfaces context={context} changed={changed} a={a} b={b} />
          </div>
        </div>
      )}
      <ChangedMentions context={context} changed={changed} a={a} b={b} />
      {sets.length > 1 && <p class="note">Differences by group are shown for single datasets: choose one above.</p>}
      {sets.length === 1 && <Forest page={page} rows={rows} a={a} b={b} />}
      <AllPairs context={context} />
      <Conditions context={context} />
    </>
  );
}

const COLOURS = ["#bdbdbd", "#0072b2", "#e69f00", "#5a5a5a"];

interface PairProps {
  context: Context;
  changes: Change[];
  a: string;
  b: string;
}

function RightBar({ context, changes, a, b }: PairProps) {
  const all = sumOf(changes);
  const parts = outcomesOf(a, b).map(({ name, change, holds }, k): Part => {
    const n = sumOf(changes.filter(holds));
    return {
      name,
      colour: COLOURS[k],
      value: n,
      text: count(n),
      tip: `${name}: ${count(n)} of ${counted(all, "gold mention")} (${percent(n / all)} %)`,
      href: placeHref("errors", { d: context.place.chosen.get("d"), a, b, change }),
      count: String(n),
    };
  });
  const legend = parts.map(({ name, colour, text }) => ({ name: `${name}: ${text}`, colour }));
  return (
    <Figure title="Who is right" n={`${count(all)} gold mentions`} legend={legend} note="With several runs, a system is right if most of its runs are. Click a part to read its mentions.">
      <Drawing draw={stackChart} chart={{ label: `Gold mentions that ${a} and ${b} get right`, bars: [{ name: "", parts, total: "" }], axis: "gold mentions" }} />
    </Figure>
  );
}

/** A kind as the head of a narrow column. */
const shortTitle = ({ name, title }: PageKind): string => (name === "wrong type and boundary" ? "both" : title.toLowerCase().replace(/^wrong /, ""));

/** Kinds of errors of A against those of B. */
function Kinds({ context, changes, a, b }: PairProps) {
  const kinds = goldKinds(context.page, changes);
  const cells = kinds.flatMap((kindA) =>
    kinds.map((kindB) => {
      const n = sumOf(changes.filter((row) => kindA.outcomes.includes(row.kindA) && kindB.outcomes.includes(row.kindB)));
      return { kindA, kindB, n };
    }),
  );
  const most = Math.max(1, ...cells.filter(({ kindA, kindB }) => kindA !== kindB).map(({ n }) => n));
  const chart = {
    label: `What ${a} and ${b} make of the same gold mentions`,
    rows: kinds.map(shortTitle),
    columns: kinds.map(shortTitle),
    corner: `${a} ↓   ${b} →`,
    cells: cells.map(({ kindA, kindB, n }) => ({
      row: shortTitle(kindA),
      column: shortTitle(kindB),
      text: count(n),
      share: kindA === kindB ? 0 : n / most,
      tip: `${a}: ${kindA.title}; ${b}: ${kindB.title}\n${counted(n, "gold mention")}`,
      href: n ? placeHref("errors", { d: context.place.chosen.get("d"), a, b, change: changeParameters(kindA, kindB) }) : undefined,
      count: String(n),
    })),
  };
  return (
    <Figure title={`Kinds of errors in ${a} and in ${b}`} n={counted(sumOf(changes), "gold mention")}>
      <Drawing draw={heatChart} chart={chart} />
    </Figure>
  );
}

function Net({ context, changes, a, b }: PairProps) {
  const [, onlyA, onlyB] = outcomesOf(a, b);
  const link = (type: string, change: string) => placeHref("errors", { d: context.place.chosen.get("d"), a, b, change, gold: type });
  const body = netByType(changes, a, b).map((row) => [
    { text: row.name },
    { text: count(row.onlyA), value: row.onlyA, href: link(row.name, onlyA.change), count: String(row.onlyA) },
    { text: count(row.onlyB), value: row.onlyB, href: link(row.name, onlyB.change), count: String(row.onlyB) },
    { text: row.net > 0 ? `+${count(row.net)}` : row.net < 0 ? `−${count(-row.net)}` : "0", value: row.net },
  ]);
  const header = ["gold type", onlyA.name, onlyB.name, `net for ${a}`].map((text) => ({ text }));
  return <Table caption="Mentions that only one system gets right, by type" header={header} rows={body} most={18} />;
}

/** Every pair: the row's system against the column's. */
function AllPairs({ context }: { context: Context }) {
  const { page, rows, dataset, metric } = context;
  const shown = bestFirst(page, rows, dataset, metric).filter((system) => context.systems.includes(system));
  if (shown.length < 3) return null;
  const name = dataset?.name ?? null;
  return (
    <section class="table-block">
      <h3>All pairs {name ? `on ${name}` : "over all datasets"}: points by which the row is ahead of the column</h3>
      <div class="scroll" tabIndex={0} role="region" aria-label="All pairs">
        <table class="matrix">
          <thead>
            <tr><th scope="col">A</th>{shown.map((system) => <th key={system} scope="col">{system}</th>)}</tr>
          </thead>
          <tbody>
            {shown.map((a) => (
              <tr key={a}>
                <th scope="row">{a}</th>
                {shown.map((b) => <td key={b}>{a === b ? "" : <PairCell context={context} name={name} a={a} b={b} />}</td>)}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="note">
        <span class="badge good">+2.0</span> better, <span class="badge bad">−2.0</span> worse, <span class="badge even">+0.3</span> no clear difference, after correction for all pairs.
      </p>
    </section>
  );
}

const CLASSES = { better: "good", worse: "bad", "no clear difference": "even", "not tested": "even" } as const;

function PairCell({ context, name, a, b }: { context: Context; name: string | null; a: string; b: string }) {
  const verdict = verdictOf(context.page, name, a, b);
  if (!verdict) return <span class="note">{UNDEFINED}</span>;
  return (
    <a class="plain" href={placeHref("compare", { a, b })}>
      <span class={`badge ${CLASSES[verdict.verdict]}`} data-tip={signedTip(verdictTip(context.page, verdict))}>
        {points(verdict.difference)}
        <span class="spoken"> {verdict.verdict}</span>
      </span>
    </a>
  );
}

function Conditions({ context }: { context: Context }) {
  const { settings, notes } = context.page.comparison!;
  const text = Object.entries(settings).map(([name, value]) => `${name} ${value}`).join(", ");
  return (
    <details class="more">
      <summary>How this was tested</summary>
      <p class="note">{text}. nerscope compare shows the details.</p>
      {notes.length > 0 && <ul class="note">{notes.map((note) => <li key={note}>{note}</li>)}</ul>}
    </details>
  );
}
