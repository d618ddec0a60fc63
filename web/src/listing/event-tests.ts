// What a filter asks of a run at a place, and the facets that count it.
import type { Page } from "../data";
import { CORRECT, NONE, type Units, placesOf } from "../places";
import type { RunOf } from "./events";
import { type Filter, type Types, pairValue } from "./filter";
import { levelTable } from "./levels";
import { type FacetCounts, OTHER, Tally } from "./tally";

const [SYSTEM, RUN, KIND, PAIR] = [2, 4, 8, 16]; // bits of failed tests; OTHER is 1
const UNKNOWN = -2; // a type that the page does not have

export class EventTests {
  private readonly ofRun: Uint8Array; // by run: bits that fail
  private readonly ofOutcome: Uint8Array;
  private readonly pairs: Set<number> | null;
  private readonly either: Set<number> | null;
  private readonly gold: Set<number> | null;
  private readonly predicted: Set<number> | null;
  private readonly needsTypes: boolean;
  private readonly levels: { codes: number[]; has: boolean[] }[]; // of predictions
  private readonly systems: Tally;
  private readonly runNames: Tally;
  private readonly kinds: Tally;
  private readonly pairTally: Tally;
  private readonly placeOf: { system: number; run: number }[];
  private readonly kindOf: number[]; // by outcome

  constructor(page: Page, private readonly filter: Filter, private readonly units: Units, private readonly runs: RunOf[]) {
    const { types } = placesOf(page);
    const code = (type: string | null) => (type === null ? NONE : types.includes(type) ? types.indexOf(type) : UNKNOWN);
    const typeSet = (names: (string | null)[]) => (names.length ? new Set(names.map(code)) : null);
    const pairCode = (gold: number, predicted: number) => (gold + 1) * (types.length + 1) + predicted + 1;
    this.pairCode = pairCode;
    this.pairs = filter.pairs.length ? new Set(filter.pairs.map(([gold, predicted]) => pairCode(code(gold), code(predicted)))) : null;
    this.either = typeSet(filter.types);
    this.gold = typeSet(filter.gold);
    this.predicted = typeSet(filter.predicted);
    this.needsTypes = [this.pairs, this.either, this.gold, this.predicted].some(Boolean) || filter.sides.includes("predicted");
    this.ofRun = Uint8Array.from(runs, (run) => this.failingRun(run));
    this.ofOutcome = Uint8Array.from(page.outcomes, (name) => this.failingOutcome(page, name));
    this.levels = filter.sides.includes("predicted") && !units.isToken ? filter.levels.map((one) => levelTable(page, units, one)) : [];
    const [systems, names] = [unique(runs.map((run) => run.system)), unique(runs.map((run) => run.name))];
    this.placeOf = runs.map(({ system, name }) => ({ system: systems.indexOf(system), run: names.indexOf(name) }));
    this.kindOf = page.outcomes.map((name) => (units.isToken ? -1 : page.kinds.findIndex((kind) => kind.outcomes.includes(name))));
    this.systems = new Tally("system", systems);
    this.runNames = new Tally("run", names);
    this.kinds = new Tally("kind", page.kinds.map((kind) => kind.name));
    this.pairTally = new Tally("pair", pairValues(types));
  }

  private readonly pairCode: (gold: number, predicted: number) => number;

  private failingRun({ system, name }: RunOf): number {
    const { systems, runs } = this.filter;
    return (systems.length && !systems.includes(system) ? SYSTEM : 0) | (runs.length && !runs.includes(name) ? RUN : 0);
  }

  private failingOutcome(page: Page, name: string): number {
    const { kinds, outcomes } = this.filter;
    if (this.units.isToken) return 0;
    const isOfKind = page.kinds.some((kind) => kinds.includes(kind.name) && kind.outcomes.includes(name));
    return (kinds.length && !isOfKind ? KIND : 0) | (outcomes.length && !outcomes.includes(name) ? OTHER : 0);
  }

  /** The bits of the tests that fail. */
  failing(k: number, unit: number, outcome: number): number {
    const failing = this.ofRun[k] | this.ofOutcome[outcome];
    if (failing & OTHER || !(this.needsTypes || this.levels.length)) return failing;
    return failing | this.failingTypes(this.runs[k].run, unit);
  }

  private failingTypes(run: number, unit: number): number {
    const [gold, predicted] = [this.units.goldType(run, unit), this.units.predictedType(run, unit)];
    const { sides } = this.filter;
    const fits =
      (!this.either || this.either.has(gold) || this.either.has(predicted)) &&
      (!this.gold || this.gold.has(gold)) &&
      (!this.predicted || this.predicted.has(predicted)) &&
      (!sides.length || (sides.includes("gold") && gold !== NONE) || (sides.includes("predicted") && predicted !== NONE)) &&
      this.levels.every(({ codes, has }) => has[codes[this.units.prediction(run, unit)]]);
    return (fits ? 0 : OTHER) | (this.pairs && !this.pairs.has(this.pairCode(gold, predicted)) ? PAIR : 0);
  }

  /** Counts an event that fails the tests of one facet at most. */
  count(k: number, unit: number, outcome: number, failing: number): void {
    const counts = (bit: number) => failing === 0 || failing === bit;
    if (counts(SYSTEM)) this.systems.add(this.placeOf[k].system, unit);
    if (counts(RUN)) this.runNames.add(this.placeOf[k].run, unit);
    if (counts(KIND) && outcome !== CORRECT) this.kinds.add(this.kindOf[outcome], unit);
    if (!counts(PAIR) || this.units.isToken) return;
    const { run } = this.runs[k];
    this.pairTally.add(this.pairCode(this.units.goldType(run, unit), this.units.predictedType(run, unit)), unit);
  }

  addTo(counts: FacetCounts): void {
    for (const tally of [this.systems, this.runNames, this.kinds, this.pairTally]) tally.addTo(counts);
  }
}

/** All pairs of types in the order of their codes. */
function pairValues(types: string[]): string[] {
  const names = [null, ...types];
  return names.flatMap((gold) => names.map((predicted) => pairValue([gold, predicted] as Types)));
}

const unique = (names: string[]): string[] => [...new Set(names)];
