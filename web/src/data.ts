// The page's data, read from the text that is embedded in it, and looked up by what a number is of.
import type {
  Column,
  Columns,
  PageComparison,
  PageData,
  PageDataset,
  PageFacet,
  PageLevel,
  PagePair,
} from "./page-data";
import { pairKey } from "./review";

/** A number of a system: the mean over its runs. */
export interface Row {
  dataset: string;
  system: string;
  unit: string;
  facet: string;
  level: string;
  type: string | null;
  match: string;
  metric: string;
  value: number | null;
  n: number;
  std: number | null;
  runs: number | null;
  low: number | null;
  high: number | null;
  clusters: number | null;
  caution: string | null;
}

/** Exact match of one run. */
export interface RunScore {
  dataset: string;
  system: string;
  run: string;
  precision: number | null;
  recall: number | null;
  f1: number | null;
}

/** How many mentions of a run have a gold type, a predicted type and an outcome; a pair counts once. */
export interface ErrorSum {
  dataset: string;
  system: string;
  run: string;
  gold: string | null;
  predicted: string | null;
  outcome: string;
  n: number;
}

/** The difference A − B of a number, by type or by level. */
export interface Difference {
  dataset: string;
  system_a: string;
  system_b: string;
  facet: string;
  level: string;
  type: string | null;
  match: string;
  metric: string;
  a: number | null;
  b: number | null;
  difference: number | null;
  low: number | null;
  high: number | null;
  p: number | null;
  p_corrected: number | null;
  family: string;
  n: number;
  untested: string | null;
}

/** Gold mentions of a type by what two systems made of them. */
export interface Change {
  dataset: string;
  a: string;
  b: string;
  kindA: string;
  kindB: string;
  type: string;
  n: number;
}

export type Pair = PagePair & { key: string };

export type Comparison = Omit<PageComparison, "rows" | "changes"> & { rows: Difference[]; changes: Change[] };

export type Page = Omit<PageData, "rows" | "runScores" | "errors" | "comparison" | "pairs"> & {
  rows: Row[];
  runScores: RunScore[];
  errors: ErrorSum[];
  comparison: Comparison | null;
  pairs: Pair[];
};

/** Records from columns. */
export function recordsOf<T>(table: Columns): T[] {
  const read = Object.entries(table.columns).map(([name, column]) => ({ name, at: reader(column) }));
  return Array.from({ length: table.size }, (_, k) => {
    const record: Record<string, unknown> = {};
    for (const { name, at } of read) record[name] = at(k) ?? null;
    return record as T;
  });
}

function reader(column: Column): (k: number) => unknown {
  return Array.isArray(column) ? (k) => column[k] : (k) => column.of[column.at[k]];
}

/** The page's data from the text that is embedded in it. */
export function parsePage(text: string): Page {
  const written = JSON.parse(text) as PageData;
  return {
    ...written,
    metrics: dictionary(written.metrics),
    matches: dictionary(written.matches),
    glossary: dictionary(written.glossary),
    rows: recordsOf<Row>(written.rows),
    runScores: recordsOf<RunScore>(written.runScores),
    errors: recordsOf<ErrorSum>(written.errors),
    pairs: written.pairs.map((pair) => ({ ...pair, key: pairKey(pair) })),
    comparison: written.comparison && {
      ...written.comparison,
      rows: recordsOf<Difference>(written.comparison.rows),
      changes: recordsOf<Change>(written.comparison.changes),
    },
  };
}

/** Users choose the names that are looked up in it, so it must not know names such as "constructor". */
export function dictionary<T>(names: Record<string, T>): Record<string, T> {
  return Object.assign(Object.create(null), names) as Record<string, T>;
}

/** What a number is of; by default all mentions, exact match, over all runs. `dataset: null` is the mean. */
export type Wanted = Partial<Pick<Row, "facet" | "level" | "type" | "match">> & {
  dataset: string | null;
  system: string;
  metric: string;
};

/** Rows by what they are numbers of. */
export class Rows {
  private readonly index = new Map<string, Row>();

  constructor(readonly page: Page) {
    for (const row of page.rows) this.index.set(keyOf(row), row);
  }

  /** The number of a system on a dataset, or its mean over all datasets. */
  get(wanted: Wanted): Row | null {
    if (wanted.dataset !== null) return this.find(wanted);
    const rows = this.page.datasets
      .map((dataset) => this.find({ ...wanted, dataset: dataset.name }))
      .filter((row): row is Row => row !== null && row.value !== null);
    if (!rows.length || rows.length < this.page.datasets.length) return null; // means of other datasets do not compare
    const value = rows.reduce((sum, row) => sum + row.value!, 0) / rows.length;
    const n = rows.reduce((sum, row) => sum + row.n, 0);
    const unknown = { low: null, high: null, std: null, clusters: null, caution: null };
    return { ...rows[0], ...unknown, dataset: `mean of ${rows.length} datasets`, value, n };
  }

  private find(wanted: Wanted): Row | null {
    const overall = { facet: "all", level: "all", type: null, match: this.page.matches.exact ? "exact" : Object.keys(this.page.matches)[0] };
    return this.index.get(keyOf({ ...overall, ...wanted })) ?? null;
  }
}

function keyOf(row: Required<Wanted>): string {
  const { dataset, system, facet, level, type, match, metric } = row;
  return JSON.stringify([dataset, system, facet, level, type, match, metric]);
}

export function facetNamed(page: Page, name: string): PageFacet | undefined {
  return page.facets.find((facet) => facet.name === name);
}

export function levelNamed(facet: PageFacet | undefined, name: string): PageLevel | undefined {
  return facet?.levels.find((level) => level.name === name);
}

/** A level in plain words; of a bucket, its range, if it is the same in all these datasets. */
export function levelPhrase(facet: PageFacet, level: PageLevel, datasets: PageDataset[]): string {
  const ranges = new Set(datasets.map((dataset) => dataset.ranges[facet.name]?.[level.name]));
  const [range] = ranges;
  if (ranges.size === 1 && range !== undefined) return range;
  return facet.bucketed ? (RELATIVE[level.name] ?? level.phrase) : level.phrase;
}

/** Buckets of several datasets, whose edges differ. */
const RELATIVE: Record<string, string> = { XS: "lowest values", S: "low values", L: "high values", XL: "highest values" };
