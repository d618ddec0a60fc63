// Gold mentions by what systems A and B made of them.
import type { Change, Page } from "../../data";
import type { PageKind } from "../../page-data";

export const RIGHT = "correct";

/** The changes between two systems, with A first however the pair was counted. */
export function changesBetween(page: Page, datasets: string[], a: string, b: string): Change[] {
  return (page.comparison?.changes ?? []).flatMap((row) => {
    if (!datasets.includes(row.dataset)) return [];
    if (row.a === a && row.b === b) return [row];
    if (row.a === b && row.b === a) return [{ ...row, a, b, kindA: row.kindB, kindB: row.kindA }];
    return [];
  });
}

export const sumOf = (rows: Change[]): number => rows.reduce((sum, row) => sum + row.n, 0);

/** Who is right: a part of the bar, and what the address calls it ("fixed" from A to B: only B is right). */
export interface Outcome {
  name: string;
  change: string;
  holds: (row: Change) => boolean;
}

export function outcomesOf(a: string, b: string): Outcome[] {
  const isRight = (kind: string) => kind === RIGHT;
  return [
    { name: "both right", change: "both right", holds: (row) => isRight(row.kindA) && isRight(row.kindB) },
    { name: `only ${a} right`, change: "broken", holds: (row) => isRight(row.kindA) && !isRight(row.kindB) },
    { name: `only ${b} right`, change: "fixed", holds: (row) => !isRight(row.kindA) && isRight(row.kindB) },
    { name: "both wrong", change: "both wrong", holds: (row) => !isRight(row.kindA) && !isRight(row.kindB) },
  ];
}

/** The kinds that gold mentions can have, "correct" first. */
export function goldKinds(page: Page, rows: Change[]): PageKind[] {
  const right: PageKind = { name: RIGHT, title: "right", about: "", outcomes: [RIGHT] };
  const present = new Set(rows.flatMap((row) => [row.kindA, row.kindB]));
  return [right, ...page.kinds.filter((kind) => kind.outcomes.some((outcome) => present.has(outcome)))];
}

/** The `change` parameters that list the mentions of a cell of kinds. */
export function changeParameters(kindA: PageKind, kindB: PageKind): string[] {
  return kindA.outcomes.flatMap((one) => kindB.outcomes.map((other) => JSON.stringify([one, other])));
}

export interface NetRow {
  name: string;
  onlyA: number;
  onlyB: number;
  net: number; // in favour of A
}

/** By type: mentions that only one of the two gets right, the largest net change first. */
export function netByType(rows: Change[], a: string, b: string): NetRow[] {
  const [, onlyA, onlyB] = outcomesOf(a, b);
  const types = [...new Set(rows.map((row) => row.type))];
  return types
    .map((name) => {
      const own = rows.filter((row) => row.type === name);
      const [forA, forB] = [onlyA, onlyB].map(({ holds }) => sumOf(own.filter(holds)));
      return { name, onlyA: forA, onlyB: forB, net: forA - forB };
    })
    .filter(({ onlyA: forA, onlyB: forB }) => forA + forB > 0)
    .sort((one, other) => Math.abs(other.net) - Math.abs(one.net));
}
