// What a reader asks for among the places, read from the address.
import { type Context, datasetsOf, pairOf } from "../context";
import type { Choices } from "../state";
import { type Search, searchOf } from "../words";

export type Types = [gold: string | null, predicted: string | null];

/** Values of one name are alternatives; all names must hold. Empty lists ask for nothing. */
export interface Filter {
  datasets: number[]; // their places on the page
  shown: string[]; // the systems of the page
  systems: string[]; // errors of these alone
  runs: string[];
  kinds: string[]; // of the summaries
  outcomes: string[]; // detailed
  pairs: Types[];
  types: string[]; // on either side
  gold: string[];
  predicted: string[];
  sides: string[];
  levels: { facet: string; levels: string[] }[]; // levels of one facet are alternatives
  lengths: string[];
  patterns: string[];
  wrong: string[];
  surfaces: string[];
  shapes: string[];
  judged: string[];
  pinned: boolean;
  tags: string[];
  compared: [string, string] | null; // systems whose changes are asked for
  changes: string[];
  search: Search | null;
}

/** The names in the address that narrow the list. */
export const NAMES = [
  "system", "run", "kind", "outcome", "pair", "type", "gold", "predicted", "side", "level", "length", "pattern", "wrong",
  "surface", "shape", "judged", "pinned", "tag", "a", "b", "change", "q",
] as const;

export function filterOf(context: Context, chosen: URLSearchParams = context.place.chosen): Filter {
  const all = (name: string) => chosen.getAll(name);
  const changes = all("change");
  const search = chosen.get("q");
  return {
    datasets: datasetsOf(context).map((dataset) => context.page.datasets.indexOf(dataset)),
    shown: context.systems,
    systems: all("system"),
    runs: all("run"),
    kinds: all("kind"),
    outcomes: all("outcome"),
    pairs: all("pair").flatMap((text) => typesFrom(text) ?? []),
    types: all("type"),
    gold: all("gold"),
    predicted: all("predicted"),
    sides: all("side"),
    levels: levelsFrom(all("level")),
    lengths: all("length"),
    patterns: all("pattern"),
    wrong: all("wrong"),
    surfaces: all("surface"),
    shapes: all("shape"),
    judged: all("judged"),
    pinned: chosen.has("pinned"),
    tags: all("tag"),
    compared: changes.length ? comparedIn(context, chosen) : null,
    changes,
    search: search ? searchOf(search) : null,
  };
}

/** A pair of types as the address has it. */
export const pairValue = (types: Types): string => JSON.stringify(types);

function typesFrom(text: string): Types[] | null {
  try {
    const read = JSON.parse(text) as unknown;
    return Array.isArray(read) && read.length === 2 ? [read as Types] : null;
  } catch {
    return null;
  }
}

function levelsFrom(values: string[]): Filter["levels"] {
  const levels = new Map<string, string[]>();
  for (const value of values) {
    const at = value.indexOf("=");
    const [facet, level] = [value.slice(0, at), value.slice(at + 1)];
    levels.set(facet, [...(levels.get(facet) ?? []), level]);
  }
  return [...levels].map(([facet, own]) => ({ facet, levels: own }));
}

function comparedIn(context: Context, chosen: URLSearchParams): [string, string] | null {
  const known = (name: string | null) => (name !== null && context.page.systems.includes(name) ? name : null);
  const [a, b] = [known(chosen.get("a")), known(chosen.get("b"))];
  return a !== null && b !== null ? [a, b] : pairOf(context);
}

/** Choices of the address, with some of them changed. */
export function changedChoices(chosen: URLSearchParams, changes: Choices): Choices {
  const old: Choices = {};
  for (const name of chosen.keys()) old[name] = chosen.getAll(name);
  return { ...old, ...changes };
}

/** The systems whose errors can be on the list. */
export function systemsOf(filter: Filter): string[] {
  return [...new Set([...(filter.compared ?? filter.shown), ...filter.systems])];
}
