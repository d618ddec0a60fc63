// Two attributes crossed: recall in each cell, counted from the mentions on this page.
import { heatChart } from "../../charts/heat";
import { type Context, datasetsOf } from "../../context";
import { facetNamed, levelPhrase } from "../../data";
import { Drawing, Figure } from "../../figure";
import { count, percent } from "../../format";
import type { PageDataset, PageFacet, PageLevel } from "../../page-data";
import { Select } from "../../parts/select";
import { choose, placeHref } from "../../state";
import { FEWEST } from "./finding";

const TYPE = "type";

export function Crossed({ context }: { context: Context }) {
  const { page, place, systems } = context;
  const sets = datasetsOf(context).filter((one) => one.sentences.number.length === one.sentences.total);
  const names = page.facets.filter((facet) => facet.unit === "mention").map((facet) => facet.name);
  if (!sets.length || !names.length) return null;
  const options = [TYPE, ...names].map((name) => ({ value: name, text: facetNamed(page, name)?.title ?? "type" }));
  const down = place.chosen.get("down");
  const across = place.chosen.get("across");
  return (
    <details class="more" open={!!down && !!across}>
      <summary>Cross two attributes</summary>
      <div class="choices">
        <Select label="Rows" value={down ?? ""} options={[{ value: "", text: "choose" }, ...options]} onChange={(value) => choose({ down: value })} />
        <Select label="Columns" value={across ?? ""} options={[{ value: "", text: "choose" }, ...options]} onChange={(value) => choose({ across: value })} />
      </div>
      {down && across && systems.map((system) => <Table key={system} context={context} sets={sets} system={system} down={down} across={across} />)}
    </details>
  );
}

interface Axis {
  name: string;
  title: string;
  groups: { key: string; title: string; holds: (dataset: PageDataset, span: number) => boolean }[];
}

function axisOf(context: Context, name: string): Axis {
  const { page } = context;
  const facet = facetNamed(page, name);
  if (facet) return { name, title: facet.title, groups: facet.levels.map((level) => levelGroup(facet, level, datasetsOf(context))) };
  const types = [...new Set(page.datasets.flatMap((one) => one.types))];
  return {
    name,
    title: "type",
    groups: types.map((type) => ({ key: type, title: type, holds: (one, span) => one.types[one.sentences.spans.type[span]] === type })),
  };
}

function levelGroup(facet: PageFacet, level: PageLevel, sets: PageDataset[]): Axis["groups"][number] {
  const codes = new Set(level.codes);
  return {
    key: level.name,
    title: levelPhrase(facet, level, sets),
    holds: (one, span) => codes.has(one.sentences.codes[facet.name]?.[span]),
  };
}

interface Cell {
  gold: number;
  right: number; // over all runs
}

/** Gold mentions in both groups, and how many of them are right per run. */
export function cellOf(sets: PageDataset[], system: string, one: Axis["groups"][number], other: Axis["groups"][number]): Cell {
  const cell = { gold: 0, right: 0 };
  for (const dataset of sets) {
    const { spans, outcomes } = dataset.sentences;
    const runs = dataset.runs.flatMap(([name], at) => (name === system ? [outcomes[at]] : []));
    for (let span = 0; span < spans.gold.length; span++) {
      if (!spans.gold[span] || !one.holds(dataset, span) || !other.holds(dataset, span)) continue;
      cell.gold += 1;
      cell.right += runs.filter((run) => run[span] === "0").length / Math.max(1, runs.length);
    }
  }
  return cell;
}

function Table(props: { context: Context; sets: PageDataset[]; system: string; down: string; across: string }) {
  const { context, sets, system } = props;
  const [down, across] = [axisOf(context, props.down), axisOf(context, props.across)];
  const crossed = down.groups.flatMap((one) => across.groups.map((other) => ({ one, other, cell: cellOf(sets, system, one, other) })));
  const cells = crossed.map(({ one, other, cell }) => ({
    row: one.title,
    column: other.title,
    text: cell.gold ? percent(cell.right / cell.gold) : "–",
    title: cell.gold ? `n = ${count(cell.gold)}` : "",
    share: cell.gold >= FEWEST ? -(1 - cell.right / cell.gold) : 0,
    tip: `${system}: ${one.title}, ${other.title}\nrecall ${percent(cell.gold ? cell.right / cell.gold : null)}, n = ${count(cell.gold)}`,
    ...(cell.gold ? linkOf(context, system, [down.name, one.key], [across.name, other.key], cell) : {}),
  }));
  const chart = { label: `Recall of ${system}`, rows: down.groups.map(({ title }) => title), columns: across.groups.map(({ title }) => title), cells, corner: "recall (%)" };
  return (
    <Figure title={`Recall of ${system}: ${down.title} × ${across.title}`} note={`Darker: lower recall. Cells of fewer than ${FEWEST} mentions have no shade.`}>
      <Drawing draw={heatChart} chart={chart} />
    </Figure>
  );
}

function linkOf(context: Context, system: string, one: [string, string], other: [string, string], cell: Cell): { href: string; count: string } {
  const axes = [one, other];
  const level = axes.filter(([name]) => name !== TYPE).map(([name, key]) => `${name}=${key}`);
  const gold = axes.filter(([name]) => name === TYPE).map(([, key]) => key);
  const wrong = Math.round(10 * (cell.gold - cell.right)) / 10;
  return { href: placeHref("errors", { d: context.dataset?.name, system, side: "gold", level, gold }), count: String(wrong) };
}
