// What every view of the list needs.
import type { Context } from "../../context";
import type { Filter } from "../../listing/filter";
import { systemsOf } from "../../listing/filter";
import type { Entry, Listing } from "../../listing/list";
import type { SystemRuns } from "../../listing/sentence-lines";
import type { Marks } from "../../marks";
import type { DatasetPlaces } from "../../places";

export const VIEWS = [
  { name: "lines", title: "Lines" },
  { name: "groups", title: "Groups" },
  { name: "sentences", title: "Sentences" },
  { name: "review", title: "Review" },
] as const;

export interface ListView {
  context: Context;
  filter: Filter;
  listing: Listing;
  entries: Entry[]; // in the chosen order
  at: number; // the current one, or -1
  marks: Marks;
  save: (marks: Marks) => void;
}

/** The systems that have a column: those of the page, and those that the filter names. */
export function columnsOf({ context, filter }: Pick<ListView, "context" | "filter">): string[] {
  const wanted = new Set([...context.systems, ...systemsOf(filter)].filter((system) => context.page.systems.includes(system)));
  const first = filter.compared ?? [];
  return [...new Set([...first, ...wanted])];
}

/** The chosen runs of the systems with a column. */
export function runsOf(view: Pick<ListView, "context" | "filter">, set: DatasetPlaces): SystemRuns[] {
  return columnsOf(view).map((name) => ({ name, runs: set.runs(name, view.filter.runs) }));
}

/** Changes of the address that remove all filters. */
export function clearing({ place }: Context): Record<string, null> {
  const stays = ["d", "s", "m", "view", "sort", "seed", "group"];
  return Object.fromEntries([...new Set(place.chosen.keys())].filter((name) => !stays.includes(name)).map((name) => [name, null]));
}
