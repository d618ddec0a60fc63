// Gold mentions that only one of two systems gets right, A and B on one line, and which texts they are.
import { type Context, datasetsOf } from "../../context";
import { count } from "../../format";
import { CORRECT, type DatasetPlaces, isError, isRight, placesOf, usualOutcome } from "../../places";
import { placeHref } from "../../state";
import { Table } from "../../table";

const FIRST = 12; // mentions of each group that are shown here; the link leads to all
const BEFORE = 3; // words of context: few before, so that the mention is in sight
const BEHIND = 8;

export interface Changed {
  set: DatasetPlaces;
  mention: number;
  onlyA: boolean;
}

/** The mentions on this page that exactly one of the two gets right. */
export function changedMentions(context: Context, a: string, b: string): Changed[] {
  const { page } = context;
  return datasetsOf(context).flatMap((dataset) => {
    const set = placesOf(page).set(page.datasets.indexOf(dataset));
    const [ofA, ofB] = [set.runs(a), set.runs(b)];
    if (!ofA.length || !ofB.length) return [];
    const found: Changed[] = [];
    for (let mention = 0; mention < set.mentions.size; mention++) {
      if (!set.mentions.gold[mention]) continue;
      const rightA = isRight(set.mentions, mention, ofA);
      if (rightA !== isRight(set.mentions, mention, ofB)) found.push({ set, mention, onlyA: rightA });
    }
    return found;
  });
}

export function ChangedMentions({ context, changed, a, b }: { context: Context; changed: Changed[]; a: string; b: string }) {
  return (
    <div class="columns">
      <Group context={context} title={`Only ${a} is right`} change="broken" mentions={changed.filter((one) => one.onlyA)} a={a} b={b} />
      <Group context={context} title={`Only ${b} is right`} change="fixed" mentions={changed.filter((one) => !one.onlyA)} a={a} b={b} />
    </div>
  );
}

function Group(props: { context: Context; title: string; change: string; mentions: Changed[]; a: string; b: string }) {
  const { context, title, change, mentions, a, b } = props;
  if (!mentions.length) return null;
  const all = placeHref("errors", { d: context.place.chosen.get("d"), a, b, change });
  const isSampled = datasetsOf(context).some((one) => one.sentences.sampled);
  return (
    <section class="table-block">
      <h3>
        {title} <small>{count(mentions.length)} gold mentions{isSampled ? " on this page" : ""}</small>
      </h3>
      <ul class="changed">
        {mentions.slice(0, FIRST).map((one) => <Line key={`${one.set.at}:${one.mention}`} context={context} changed={one} a={a} b={b} />)}
      </ul>
      <a href={all} data-count={isSampled ? undefined : String(mentions.length)}>Read all {count(mentions.length)}</a>
    </section>
  );
}

function Line({ context, changed, a, b }: { context: Context; changed: Changed; a: string; b: string }) {
  const { set, mention } = changed;
  const { words, mentions, dataset } = set;
  const [sentence, start] = [mentions.sentence[mention], mentions.start[mention]];
  const end = start + mentions.length[mention];
  const at = `${dataset.name}:${dataset.sentences.number[sentence]}`;
  const href = placeHref("errors", { d: dataset.name, a, b, change: changed.onlyA ? "broken" : "fixed", at });
  return (
    <li class="line">
      <a class="plain around" href={href} dir={words.isRightToLeft(sentence) ? "rtl" : "ltr"}>
        {start > BEFORE && "… "}
        {words.text(sentence, Math.max(0, start - BEFORE), start)}
        {start > 0 && words.gap(sentence, start)}
        <mark>{words.text(sentence, start, end)}</mark>
        {words.gap(sentence, end)}
        {words.text(sentence, end, end + BEHIND)}
      </a>
      <Side context={context} changed={changed} system={a} />
      <Side context={context} changed={changed} system={b} />
    </li>
  );
}

/** What a system makes of the mention: right, missed, or the type and text that it predicts instead. */
function Side({ context, changed, system }: { context: Context; changed: Changed; system: string }) {
  const { set, mention } = changed;
  const { mentions } = set;
  const runs = set.runs(system);
  const outcome = usualOutcome(mentions, mention, runs);
  const gold = context.page.datasets[set.at].types[context.page.datasets[set.at].sentences.spans.type[mention]];
  if (outcome === CORRECT) return <span class="side right-side" data-tip={`${system}: right`}>✓ {gold}</span>;
  const kind = context.page.outcomes[outcome];
  const run = runs.find((one) => mentions.outcomes[one][mention] === outcome)!;
  const mate = mentions.mates[run][mention];
  const text = mate < 0 ? kind : `${placesOf(context.page).types[mentions.type[mate]]} ${set.surface(mentions, mate)}`;
  const wrong = runs.filter((one) => isError(mentions.outcomes[one][mention])).length;
  return (
    <span class="side wrong-side" data-tip={`${system}: ${kind}${runs.length > 1 ? `; wrong in ${wrong} of ${runs.length} runs` : ""}`}>
      {text} {runs.length > 1 && <small>{wrong}/{runs.length}</small>}
    </span>
  );
}

/** The texts with the largest net change. */
export function Surfaces({ context, changed, a, b }: { context: Context; changed: Changed[]; a: string; b: string }) {
  const bySurface = new Map<string, { onlyA: number; onlyB: number }>();
  for (const { set, mention, onlyA } of changed) {
    const surface = set.surfaces[mention];
    const known = bySurface.get(surface) ?? { onlyA: 0, onlyB: 0 };
    known[onlyA ? "onlyA" : "onlyB"] += 1;
    bySurface.set(surface, known);
  }
  const rows = [...bySurface]
    .map(([surface, { onlyA, onlyB }]) => ({ surface, onlyA, onlyB, net: onlyA - onlyB }))
    .filter(({ onlyA, onlyB }) => onlyA + onlyB > 1)
    .sort((one, other) => Math.abs(other.net) - Math.abs(one.net) || other.onlyA + other.onlyB - one.onlyA - one.onlyB);
  if (!rows.length) return null;
  const link = (surface: string, change: string) => placeHref("errors", { d: context.place.chosen.get("d"), a, b, change, surface, side: "gold" });
  const body = rows.map(({ surface, onlyA, onlyB, net }) => [
    { text: surface },
    { text: count(onlyA), value: onlyA, href: onlyA ? link(surface, "broken") : undefined, count: String(onlyA) },
    { text: count(onlyB), value: onlyB, href: onlyB ? link(surface, "fixed") : undefined, count: String(onlyB) },
    { text: net > 0 ? `+${count(net)}` : net < 0 ? `−${count(-net)}` : "0", value: net },
  ]);
  const header = ["text", `only ${a} right`, `only ${b} right`, `net for ${a}`].map((text) => ({ text }));
  return <Table caption="Texts that only one system gets right" header={header} rows={body} most={10} />;
}
