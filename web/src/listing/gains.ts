// F1 of a system after a group of its errors is solved: every error is replaced by its gold mention.
import type { ErrorSum, Page } from "../data";
import { CORRECT, NONE } from "../places";
import type { ErrorEvent } from "./events";
import type { Filter } from "./filter";
import type { Entry } from "./list";

/** What F1 is made of in one run: correct pairs, and gold mentions and predictions together. */
interface Sums {
  hits: number;
  size: number;
}

const f1 = ({ hits, size }: Sums): number | null => (size ? (2 * hits) / size : null);

export class Gains {
  private readonly before = new Map<string, Map<string, Sums>>(); // by dataset and run
  private readonly solved = new Map<string, Map<string, Sums>>(); // by group, then by dataset and run
  private readonly known: boolean;

  constructor(page: Page, filter: Filter, private readonly system: string) {
    const datasets = filter.datasets.map((at) => page.datasets[at]);
    // Of a sample, not all errors of a group are here.
    this.known = !datasets.some(({ sentences }) => sentences.sampled);
    const names = new Set(datasets.map(({ name }) => name));
    for (const row of page.errors) if (row.system === system && names.has(row.dataset)) this.addBefore(row, page.outcomes[CORRECT]);
  }

  private addBefore({ dataset, run, gold, predicted, outcome, n }: ErrorSum, correct: string): void {
    const runs = this.before.get(dataset) ?? new Map<string, Sums>();
    this.before.set(dataset, runs);
    const sums = runs.get(run) ?? { hits: 0, size: 0 };
    runs.set(run, sums);
    if (outcome === correct) sums.hits += n;
    sums.size += n * (Number(gold !== null) + Number(predicted !== null));
  }

  add(group: string, { units, unit }: Entry, { by, outcome }: ErrorEvent): void {
    if (!this.known || by.system !== this.system || outcome === CORRECT || units.isToken) return;
    const runs = this.solved.get(group) ?? new Map<string, Sums>();
    this.solved.set(group, runs);
    const key = runKey(units.set.dataset.name, by.name);
    const sums = runs.get(key) ?? { hits: 0, size: 0 };
    runs.set(key, sums);
    if (!units.gold[unit]) sums.size -= 1; // the prediction vanishes
    else {
      sums.hits += 1;
      if (units.predictedType(by.run, unit) === NONE) sums.size += 1;
    }
  }

  /** The mean over runs, then over datasets. */
  of(group: string): number | null {
    if (!this.known) return null;
    const solved = this.solved.get(group);
    const means = [...this.before].map(([dataset, runs]) => {
      const gains = [...runs].map(([run, before]) => {
        const more = solved?.get(runKey(dataset, run)) ?? { hits: 0, size: 0 };
        const [old, better] = [f1(before), f1({ hits: before.hits + more.hits, size: before.size + more.size })];
        return old === null || better === null ? null : better - old;
      });
      return mean(gains);
    });
    return mean(means);
  }
}

const runKey = (dataset: string, run: string): string => `${dataset}\t${run}`;

function mean(values: (number | null)[]): number | null {
  const known = values.filter((value): value is number => value !== null);
  return known.length ? known.reduce((sum, value) => sum + value, 0) / known.length : null;
}
