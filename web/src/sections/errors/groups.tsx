// What the listed errors have in common: texts, confusions, kinds and shapes.
import { useMemo } from "preact/hooks";
import type { Context } from "../../context";
import { count, percent, points } from "../../format";
import { changedChoices, filterOf } from "../../listing/filter";
import { GROUPINGS, type Group, groupsOf } from "../../listing/groups";
import type { Entry } from "../../listing/list";
import { countText, isSampled, totalErrors } from "../../listing/totals";
import { Select } from "../../parts/select";
import { choose, parsePlace, placeHref } from "../../state";
import { type Cell, Table } from "../../table";
import type { ListView } from "./view";

const MOST = 30; // groups that are shown at first
const SIDE = 22; // characters of context in an example

export function Groups({ view }: { view: ListView }) {
  const { context, filter, entries } = view;
  const { chosen } = context.place;
  const grouping = GROUPINGS.find(({ name }) => name === chosen.get("group")) ?? GROUPINGS[0];
  const system = filter.systems[0] ?? context.systems[0];
  const groups = useMemo(() => groupsOf(context.page, filter, entries, grouping.name, system), [entries, grouping, system]);
  const isRepeated = filter.datasets.some((at) => new Set(context.page.datasets[at].runs.map(([name]) => name)).size < context.page.datasets[at].runs.length);
  const body = groups.map((group) => rowOf(view, group));
  const header = [
    { text: grouping.title },
    { text: "places" },
    { text: isRepeated ? "errors per run" : "errors", tip: "Of all listed systems" },
    { text: "share", tip: "Of the listed places" },
    { text: "F1 to gain", tip: `F1 of ${system} after every error of the group is replaced by its gold mention, minus its F1, in points` },
    { text: "examples" },
  ];
  return (
    <div class="groups">
      <Select label="Group by" value={grouping.name} options={GROUPINGS.map(({ name, title }) => ({ value: name, text: title }))} onChange={(name) => choose({ group: name === GROUPINGS[0].name ? null : name })} />
      {entries.length > 0 && <Table key={grouping.name} caption={`Errors by ${grouping.title}`} header={header} rows={body} most={MOST} note={`F1 to gain is that of ${system}.${grouping.name === "shape" ? " A mention can have several shapes." : ""}`} />}
    </div>
  );
}

function rowOf({ context, entries }: ListView, group: Group): Cell[] {
  const { chosen } = context.place;
  const href = placeHref("errors", changedChoices(chosen, { ...group.choices, view: null, at: null }));
  const n = chosen.has("system") ? countText(totalOf(context, href) ?? group.errors) : String(group.places);
  return [
    { text: group.title, small: group.about, href, count: n },
    { text: count(group.places), value: group.places },
    { text: count(Number(countText(group.errors))), value: group.errors },
    { text: `${percent(group.places / entries.length)} %`, value: group.places / entries.length },
    { text: points(group.gain, 2), value: group.gain },
    { text: group.examples.map(exampleText).join("   ·   ") },
  ];
}

/** The errors of a group in all data, where the page has a sample and the sums know the group. */
function totalOf(context: Context, href: string): number | null {
  const filter = filterOf(context, parsePlace(href).chosen);
  return isSampled(context.page, filter) ? totalErrors(context.page, filter) : null;
}

/** "… visit to [China] on Monday …" */
function exampleText({ units, unit }: Entry): string {
  const { words } = units.set;
  const surface = units.set.surface(units, unit);
  if (!words.known || !units.length[unit]) return surface;
  const sentence = units.sentence[unit];
  const [start, end] = [units.start[unit], units.start[unit] + units.length[unit]];
  const [before, after] = [words.text(sentence, 0, start), words.text(sentence, end)];
  const left = before.length > SIDE ? `…${before.slice(-SIDE)}` : before;
  const right = after.length > SIDE ? `${after.slice(0, SIDE)}…` : after;
  return `${left}${words.gap(sentence, start)}[${surface}]${words.gap(sentence, end)}${right}`;
}
