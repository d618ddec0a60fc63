// How many places each value of a facet has.

/** By facet and value: the places on the list if this value alone were chosen in the facet. */
export type FacetCounts = Map<string, Map<string, number>>;

/** The bit of all tests that belong to no facet of the rail. */
export const OTHER = 1;

/** Counts of the values of a facet. */
export class Tally {
  readonly counts: Int32Array;
  private readonly last: Int32Array;

  constructor(readonly name: string, readonly values: readonly string[]) {
    this.counts = new Int32Array(values.length);
    this.last = new Int32Array(values.length).fill(-1);
  }

  /** Counts a unit once per value. */
  add(value: number, unit: number): void {
    if (value < 0 || this.last[value] === unit) return;
    this.last[value] = unit;
    this.counts[value] += 1;
  }

  addTo(all: FacetCounts): void {
    const sums = all.get(this.name) ?? new Map<string, number>();
    all.set(this.name, sums);
    this.counts.forEach((n, k) => sums.set(this.values[k], (sums.get(this.values[k]) ?? 0) + n));
  }
}
