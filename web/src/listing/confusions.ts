// Gold types against predicted types, from the sums of all data.
import type { ErrorSum, Page } from "../data";
import type { Filter } from "./filter";
import { type Types, pairValue } from "./filter";

/** Errors per run of a system with these types; on the diagonal, right mentions apart. */
export interface Confusion {
  types: Types;
  errors: number;
  exact: number; // correct mentions per run
}

/** The confusions of a system over some datasets, by the value that the address has for their types. */
export function confusionsOf(page: Page, { datasets, runs }: Pick<Filter, "datasets" | "runs">, system: string): Map<string, Confusion> {
  const found = new Map<string, Confusion>();
  for (const at of datasets) {
    const dataset = page.datasets[at];
    const own = dataset.runs.filter(([name, run]) => name === system && (!runs.length || runs.includes(run)));
    const fits = (row: ErrorSum) => row.dataset === dataset.name && row.system === system && (!runs.length || runs.includes(row.run));
    for (const row of page.errors.filter(fits)) add(found, row, row.outcome === page.outcomes[0], row.n / own.length);
  }
  return found;
}

function add(found: Map<string, Confusion>, { gold, predicted }: ErrorSum, isCorrect: boolean, n: number): void {
  const key = pairValue([gold, predicted]);
  const cell = found.get(key) ?? { types: [gold, predicted], errors: 0, exact: 0 };
  found.set(key, cell);
  if (isCorrect) cell.exact += n;
  else cell.errors += n;
}

/** All types on one side of a confusion, by size; null (no mention) comes last. */
export function typesOf(confusions: Map<string, Confusion>): (string | null)[] {
  const sizes = new Map<string, number>();
  for (const { types, errors, exact } of confusions.values())
    for (const type of new Set(types)) if (type !== null) sizes.set(type, (sizes.get(type) ?? 0) + errors + exact);
  const sorted = [...sizes].sort(([one, n], [other, m]) => m - n || one.localeCompare(other)).map(([type]) => type);
  return [...sorted, null];
}
