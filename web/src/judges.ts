// How well judges agree on the same pairs.
import type { Judgements } from "./review";

export interface Agreement {
  pairs: number; // that all judged
  raw: number; // mean share of equal judgements, over pairs of judges
  kappa: number | null; // Cohen's of two judges, Fleiss' of more; null if all judgements are equal
}

/** The agreement of judges on what all of them judged. */
export function agreementOf(judges: Judgements[]): Agreement | null {
  if (judges.length < 2) return null;
  const keys = Object.keys(judges[0]).filter((key) => judges.every((one) => one[key]));
  if (!keys.length) return null;
  const rows = keys.map((key) => judges.map((one) => one[key]));
  const raw = mean(rows.map(equalPairs));
  const expected = judges.length === 2 ? cohenExpected(rows) : fleissExpected(rows);
  return { pairs: keys.length, raw, kappa: expected === 1 ? null : (raw - expected) / (1 - expected) };
}

const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The share of pairs of judges that say the same. */
function equalPairs(row: string[]): number {
  let [equal, all] = [0, 0];
  for (let one = 0; one < row.length; one++)
    for (let other = one + 1; other < row.length; other++) {
      all += 1;
      equal += row[one] === row[other] ? 1 : 0;
    }
  return equal / all;
}

function cohenExpected(rows: string[][]): number {
  const share = (judge: number, value: string) => mean(rows.map((row) => Number(row[judge] === value)));
  return valuesOf(rows).reduce((sum, value) => sum + share(0, value) * share(1, value), 0);
}

function fleissExpected(rows: string[][]): number {
  const all = rows.flat();
  return valuesOf(rows).reduce((sum, value) => sum + mean(all.map((one) => Number(one === value))) ** 2, 0);
}

const valuesOf = (rows: string[][]): string[] => [...new Set(rows.flat())];
