// The orders of a list. A further order is one more entry here.
import type { Page } from "../data";
import type { Entry } from "./list";

export interface Sort {
  name: string;
  title: string;
  applies?: (page: Page) => boolean;
  /** What places are sorted by, the smallest first; equal ones stay in the order of the file. */
  key: (entry: Entry, seed: number) => number;
}

export const SORTS: Sort[] = [
  { name: "file", title: "order of the file", key: () => 0 },
  { name: "wrong", title: "systems wrong", applies: (page) => page.systems.length > 1, key: ({ wrong }) => -wrong },
  { name: "length", title: "length", key: ({ units, unit }) => -units.set.lengthOf(units, unit) },
  { name: "random", title: "random", key: ({ units, unit }, seed) => scattered(seed, units.set.at, unit) },
];

export function sorted(entries: Entry[], name: string | null, seed: number): Entry[] {
  const sort = SORTS.find((one) => one.name === name) ?? SORTS[0];
  if (sort === SORTS[0]) return entries;
  const keys = Float64Array.from(entries, (entry) => sort.key(entry, seed));
  const order = Array.from(entries.keys()).sort((one, other) => keys[one] - keys[other] || one - other);
  return order.map((at) => entries[at]);
}

/** A number that looks random, but is the same for the same seed and place. */
export function scattered(seed: number, ...place: number[]): number {
  let hash = seed * 0x9e3779b1;
  for (const part of place) {
    hash = Math.imul(hash ^ part, 0x85ebca6b) + 0x165667b1;
    hash ^= hash >>> 13;
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0xc2b2ae35);
  return (hash ^ (hash >>> 15)) >>> 0;
}
