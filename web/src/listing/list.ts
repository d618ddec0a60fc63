// The places that fit a filter, and how many each value of a facet would list.
import { type Page, facetNamed } from "../data";
import { ABSENT, type DatasetPlaces, type Units, type Verdicts, placesOf } from "../places";
import { Events } from "./events";
import type { Filter } from "./filter";
import { type MarkedUnits, NO_MARKS } from "./marked";
import { type FacetCounts, OTHER } from "./tally";
import { UnitTests } from "./unit-tests";

/** A place on the list. */
export interface Entry {
  units: Units;
  unit: number;
  wrong: number; // shown systems that are wrong
}

export interface Listing {
  entries: Entry[];
  errors: number; // per run, summed over systems and datasets
  counts: FacetCounts;
}

export type MarksOf = (units: Units) => MarkedUnits;

export function listPlaces(page: Page, filter: Filter, marks: MarksOf = () => NO_MARKS): Listing {
  const listing: Listing = { entries: [], errors: 0, counts: new Map() };
  for (const at of filter.datasets) {
    const units = unitsFor(page, placesOf(page).set(at), filter);
    if (units) new Scan(page, filter, units, marks(units)).into(listing);
  }
  return listing;
}

/** Mentions; or tokens, if a level of theirs is asked for. */
export function unitsFor(page: Page, set: DatasetPlaces, { levels }: Filter): Units | null {
  const facets = levels.map(({ facet }) => facet);
  const ofTokens = facets.find((facet) => (facetNamed(page, facet)?.unit ?? "mention") !== "mention");
  const units = ofTokens === undefined ? set.mentions : set.unitsOf(ofTokens);
  return units && facets.every((facet) => units.codes[facet]) ? units : null;
}

/** One walk over the units of a dataset, and over the runs at each of them. */
class Scan {
  private readonly events: Events;
  private readonly verdicts: Verdicts;
  private readonly unitTests: UnitTests;

  constructor(page: Page, filter: Filter, private readonly units: Units, marks: MarkedUnits) {
    this.events = new Events(page, filter, units);
    this.verdicts = units.set.verdictsOf(units, filter.shown);
    this.unitTests = new UnitTests(page, filter, units, this.verdicts, marks);
  }

  into(listing: Listing): void {
    const fitting = new Int32Array(this.events.runs.length);
    for (let unit = 0; unit < this.units.size; unit++) {
      const failing = this.unitTests.failing(unit);
      if (!mayCount(failing) || !this.scanRuns(unit, failing === 0, fitting)) continue;
      this.unitTests.count(unit, failing);
      if (failing === 0) listing.entries.push({ units: this.units, unit, wrong: this.verdicts.wrong[unit] });
    }
    this.events.runs.forEach(({ runs }, k) => (listing.errors += runs ? fitting[k] / runs : 0));
    this.unitTests.addTo(listing.counts);
    this.events.tests.addTo(listing.counts);
  }

  /** Counts what the runs make of a unit; tells whether one of them fits. */
  private scanRuns(unit: number, unitFits: boolean, fitting: Int32Array): boolean {
    const { runs, tests } = this.events;
    let fits = false;
    for (let k = 0; k < runs.length; k++) {
      const outcome = this.events.outcome(k, unit);
      if (outcome === ABSENT) continue;
      const failing = tests.failing(k, unit, outcome);
      if (failing === 0) fits = true;
      if (!unitFits) continue;
      if (failing === 0) fitting[k] += 1;
      if (mayCount(failing)) tests.count(k, unit, outcome, failing);
    }
    return fits;
  }
}

/** Whether a unit or an event that fails some tests still counts somewhere: it fails those of one facet at most. */
const mayCount = (failing: number): boolean => (failing & OTHER) === 0 && (failing & (failing - 1)) === 0;
