// Listed errors in groups: by text, by confusion, by kind and shape of the words.
import type { Page } from "../data";
import type { Choices } from "../state";
import { NONE, type Units, placesOf } from "../places";
import { type ErrorEvent, Events } from "./events";
import { type Filter, pairValue } from "./filter";
import { Gains } from "./gains";
import type { Entry } from "./list";
import { shapesOf } from "./shapes";

export const GROUPINGS = [
  { name: "surface", title: "text" },
  { name: "confusion", title: "confusion" },
  { name: "shape", title: "kind and shape of the words" },
] as const;

export interface Group {
  key: string;
  title: string; // "China", "LOC → ORG", "Missed"
  about: string; // "LOC → ORG", "with digits"
  choices: Choices; // that list its places alone
  places: number;
  errors: number; // per run, over the listed systems
  gain: number | null; // F1 of one system after these errors are solved, minus its F1
  examples: Entry[];
}

interface Growing extends Group {
  last: Entry | null;
}

const EXAMPLES = 3;

/** The groups of a list, the largest first; `system` is the one whose F1 would gain. */
export function groupsOf(page: Page, filter: Filter, entries: Entry[], grouping: string, system: string): Group[] {
  const groups = new Map<string, Growing>();
  const gains = new Gains(page, filter, system);
  const eventsOf = new Map<Units, Events>();
  for (const entry of entries) {
    let events = eventsOf.get(entry.units);
    if (!events) eventsOf.set(entry.units, (events = new Events(page, filter, entry.units)));
    for (const event of events.at(entry.unit))
      for (const found of headsOf(page, entry, event, grouping)) {
        let group = groups.get(found.key);
        if (!group) groups.set(found.key, (group = { ...found, places: 0, errors: 0, gain: null, examples: [], last: null }));
        count(group, entry, event);
        gains.add(found.key, entry, event);
      }
  }
  const sorted = [...groups.values()].sort((one, other) => other.places - one.places || other.errors - one.errors);
  return sorted.map(({ last: _, ...group }) => ({ ...group, gain: gains.of(group.key) }));
}

function count(group: Growing, entry: Entry, { by }: ErrorEvent): void {
  group.errors += 1 / by.runs;
  if (group.last === entry) return;
  group.last = entry;
  group.places += 1;
  if (group.examples.length < EXAMPLES) group.examples.push(entry);
}

type Head = Pick<Group, "key" | "title" | "about" | "choices">;

/** The groups that an error belongs to. */
function headsOf(page: Page, { units, unit }: Entry, { by, outcome }: ErrorEvent, grouping: string): Head[] {
  const { types } = placesOf(page);
  const name = (type: number) => (type === NONE ? null : types[type]);
  const pair: [string | null, string | null] = [name(units.goldType(by.run, unit)), name(units.predictedType(by.run, unit))];
  const confusion = confusionText(...pair);
  if (grouping === "confusion") return [{ key: confusion, title: confusion, about: "", choices: { pair: pairValue(pair) } }];
  if (grouping === "shape") {
    const kind = page.kinds.find(({ outcomes }) => outcomes.includes(page.outcomes[outcome]));
    if (!kind) return [];
    return shapesOf(units, unit).map((shape) => ({
      key: `${kind.name}\t${shape.name}`,
      title: kind.title,
      about: shape.title,
      choices: { kind: kind.name, shape: shape.name },
    }));
  }
  const surface = units.set.surface(units, unit);
  return [{ key: `${surface}\t${confusion}`, title: surface, about: confusion, choices: { surface, pair: pairValue(pair) } }];
}

/** "LOC → ORG", "LOC missed", "spurious ORG", "LOC boundary". */
export function confusionText(gold: string | null, predicted: string | null): string {
  if (gold === null) return `nothing → ${predicted}`;
  if (predicted === null) return `${gold} → nothing`;
  return gold === predicted ? `${gold} boundary` : `${gold} → ${predicted}`;
}
