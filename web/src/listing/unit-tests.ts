// What a filter asks of a place whatever the run, and the facets that count it.
import { type Page, facetNamed } from "../data";
import { type Units, type Verdicts, isRight, usualOutcome } from "../places";
import type { Filter } from "./filter";
import { levelTable } from "./levels";
import type { MarkedUnits } from "./marked";
import { shapeTest } from "./shapes";
import { type FacetCounts, OTHER, Tally } from "./tally";

/** A facet of the rail: the values of a unit, as indices. */
interface UnitFacet {
  tally: Tally;
  bit: number;
  chosen: Set<number> | null; // null: all
  of: (unit: number) => readonly number[];
}

type UnitTest = (unit: number) => boolean;

export const LENGTHS = ["1", "2", "3", "4+"] as const;
export const JUDGED = ["good", "bad", "no"] as const;
const NOTHING: readonly number[] = [];
const SEEN = "tmr"; // the facet of the rail that tells what training has seen
const FIRST_BIT = 2;

export class UnitTests {
  private readonly facets: UnitFacet[] = [];
  private readonly others: UnitTest[];

  constructor(
    private readonly page: Page,
    private readonly filter: Filter,
    private readonly units: Units,
    private readonly verdicts: Verdicts,
    private readonly marks: MarkedUnits,
  ) {
    this.addVerdicts();
    if (!units.isToken) this.addMentions();
    this.addMarks();
    this.others = this.otherTests();
  }

  /** The bits of the tests that fail. */
  failing(unit: number): number {
    let failing = 0;
    for (const { chosen, of, bit } of this.facets) if (chosen && !of(unit).some((value) => chosen.has(value))) failing |= bit;
    return this.others.every((test) => test(unit)) ? failing : failing | OTHER;
  }

  /** Counts a listed unit, or one that fails the test of one facet. */
  count(unit: number, failing: number): void {
    for (const { tally, of, bit } of this.facets) if (failing === 0 || failing === bit) for (const value of of(unit)) tally.add(value, unit);
  }

  addTo(counts: FacetCounts): void {
    for (const { tally } of this.facets) tally.addTo(counts);
  }

  private add(name: string, values: readonly string[], wanted: string[], of: UnitFacet["of"]): void {
    const chosen = wanted.length ? new Set(wanted.map((value) => values.indexOf(value))) : null;
    this.facets.push({ tally: new Tally(name, values), bit: FIRST_BIT << this.facets.length, chosen, of });
  }

  private addVerdicts(): void {
    const { shown, patterns, wrong } = this.filter;
    const single = singles(2 * shown.length + 2);
    const { wrong: n, onlyWrong, onlyRight, systems } = this.verdicts;
    const values = ["all", ...shown.map((system) => `only:${system}`), ...shown.map((system) => `right:${system}`)];
    this.add("pattern", values, patterns, (unit) => {
      const found: number[] = [];
      if (systems > 0 && n[unit] === systems) found.push(0);
      if (onlyWrong[unit] >= 0) found.push(1 + onlyWrong[unit]);
      if (systems > 1 && onlyRight[unit] >= 0) found.push(1 + shown.length + onlyRight[unit]);
      return found;
    });
    this.add("wrong", Array.from({ length: shown.length + 1 }, (_, k) => String(k)), wrong, (unit) => single[n[unit]]);
  }

  private addMentions(): void {
    const { set } = this.units;
    const single = singles(LENGTHS.length);
    this.add("length", LENGTHS, this.filter.lengths, (unit) => single[Math.min(set.lengthOf(this.units, unit), 4) - 1] ?? NOTHING);
    const { judged } = this.marks;
    const indices = new Map([...judged].map(([unit, values]) => [unit, values.map((value) => JUDGED.indexOf(value as "no"))]));
    this.add("judged", JUDGED, this.filter.judged, (unit) => indices.get(unit) ?? NOTHING);
    const levels = facetNamed(this.page, SEEN)?.levels ?? [];
    const codes = this.units.codes[SEEN];
    if (!codes) return;
    const byCode: number[][] = [];
    levels.forEach((level, k) => level.codes.forEach((code) => (byCode[code] ??= []).push(k)));
    const wanted = this.levelsOfUnits().filter(({ facet }) => facet === SEEN).flatMap((one) => one.levels);
    this.add("level", levels.map(({ name }) => `${SEEN}=${name}`), wanted.map((name) => `${SEEN}=${name}`), (unit) => byCode[codes[unit]] ?? NOTHING);
  }

  private addMarks(): void {
    const { pinned, tags } = this.marks;
    const single = singles(1);
    this.add("pinned", ["1"], this.filter.pinned ? ["1"] : [], (unit) => (pinned.has(unit) ? single[0] : NOTHING));
    const names = [...new Set([...tags.values()].flat())].sort();
    this.add("tag", names, this.filter.tags, (unit) => tags.get(unit)?.map((tag) => names.indexOf(tag)) ?? NOTHING);
  }

  /** Levels that are asked of a place; of predictions, they are asked in each run. */
  private levelsOfUnits(): Filter["levels"] {
    return this.filter.sides.includes("predicted") && !this.units.isToken ? [] : this.filter.levels;
  }

  private otherTests(): UnitTest[] {
    const { filter, units, page } = this;
    const tests: UnitTest[] = [];
    for (const one of this.levelsOfUnits().filter(({ facet }) => facet !== SEEN || units.isToken)) {
      const { codes, has } = levelTable(page, units, one);
      tests.push((unit) => has[codes[unit]]);
    }
    if (filter.sides.length && !filter.sides.includes("predicted")) tests.push((unit) => units.gold[unit] === 1);
    if (filter.surfaces.length) tests.push(surfaceTest(units, filter.surfaces));
    if (filter.shapes.length) tests.push(shapeTest(units, filter.shapes));
    if (filter.compared) tests.push(changeTest(page, units, filter.compared, filter.changes));
    if (filter.search && !filter.search.fault) {
      const matching = units.set.words.matching(filter.search);
      tests.push((unit) => matching[units.sentence[unit]] === 1);
    }
    return tests;
  }
}

const singles = (size: number): readonly (readonly number[])[] => Array.from({ length: size }, (_, k) => [k]);

function surfaceTest(units: Units, wanted: string[]): UnitTest {
  const texts = new Set(wanted);
  if (!units.isToken) return (unit) => texts.has(units.set.surfaces[unit]);
  return (unit) => texts.has(units.set.surface(units, unit));
}

/** Gold mentions by what became of them from system A to system B. */
function changeTest(page: Page, units: Units, [a, b]: [string, string], changes: string[]): UnitTest {
  const [ofA, ofB] = [units.set.runs(a), units.set.runs(b)];
  const wanted = new Set(changes);
  return (unit) => {
    if (!units.gold[unit] || !ofA.length || !ofB.length) return false;
    const [rightA, rightB] = [isRight(units, unit, ofA), isRight(units, unit, ofB)];
    const change = rightA ? (rightB ? "both right" : "broken") : rightB ? "fixed" : "both wrong";
    if (wanted.has(change)) return true;
    const kinds = [ofA, ofB].map((runs) => page.outcomes[usualOutcome(units, unit, runs)]);
    return wanted.has(JSON.stringify(kinds));
  };
}
