// What a reader has marked and judged, by unit.

export interface MarkedUnits {
  pinned: Set<number>;
  tags: Map<number, string[]>;
  judged: Map<number, string[]>; // "good", "bad" or "no" for each pair with partial credit
}

export const NO_MARKS: MarkedUnits = { pinned: new Set(), tags: new Map(), judged: new Map() };
