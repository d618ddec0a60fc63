// What the runs make of a listed place, as far as the filter asks for it.
import type { Page } from "../data";
import { ABSENT, CORRECT, type Units } from "../places";
import { EventTests } from "./event-tests";
import { type Filter, systemsOf } from "./filter";

/** A run whose errors can be on the list. */
export interface RunOf {
  run: number; // its place among the runs of the dataset
  name: string;
  system: string;
  runs: number; // of its system, that the filter lets through
}

export interface ErrorEvent {
  by: RunOf;
  outcome: number;
}

/** The runs over some units, with the tests of a filter. */
export class Events {
  readonly runs: RunOf[];
  readonly tests: EventTests;
  private readonly withCorrect: boolean;

  constructor(page: Page, filter: Filter, readonly units: Units) {
    const { set } = units;
    this.runs = systemsOf(filter).flatMap((system) => {
      const runs = set.runs(system, filter.runs).length;
      return set.runs(system).map((run) => ({ run, system, name: set.dataset.runs[run][1], runs }));
    });
    this.tests = new EventTests(page, filter, units, this.runs);
    // Right mentions are listed on demand alone: as an outcome, or for what changed between two systems.
    this.withCorrect = filter.compared !== null || filter.outcomes.includes(page.outcomes[CORRECT]);
  }

  /** What the k-th run makes of a unit, if it can be on the list. */
  outcome(k: number, unit: number): number {
    const outcome = this.units.outcomes[this.runs[k].run][unit];
    return outcome === CORRECT && !this.withCorrect ? ABSENT : outcome;
  }

  /** The events at a unit that fit. */
  at(unit: number): ErrorEvent[] {
    return this.runs.flatMap((by, k) => {
      const outcome = this.outcome(k, unit);
      return outcome !== ABSENT && this.tests.failing(k, unit, outcome) === 0 ? [{ by, outcome }] : [];
    });
  }
}
