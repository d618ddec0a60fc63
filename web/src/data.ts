// What the page is told, as `nerscope/render/page/data.py` writes it.
import { pairKey } from "./review";

export type Column = (number | boolean | null)[] | { of: (string | null)[]; at: number[] };
export interface Columns {
  size: number;
  columns: Record<string, Column>;
}

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
  differing: number | null;
  about: string;
  test: string | null;
  untested: string | null;
}

export interface Change {
  dataset: string;
  a: string;
  b: string;
  facet: string;
  level: string;
  fixed: number;
  broken: number;
  "both wrong": number;
  "both right": number;
}

export interface Confusion {
  dataset: string;
  system: string;
  run: string;
  gold: string | null;
  predicted: string | null;
  n: number;
}

export interface Tokens {
  sentence: number[];
  codes: Record<string, number[]>;
  wrong: string[];
}

export interface Sentences {
  total: number;
  wrong: number;
  wrongKept: number;
  number: number[];
  line: number[] | null;
  text: (string | string[])[] | null;
  spans: {
    sentence: number[];
    start: number[];
    length: number[];
    type: number[];
    gold: number[];
  };
  codes: Record<string, number[]>;
  outcomes: string[];
  mates: [number, number][][];
  tokens: Tokens[];
}

export interface Dataset {
  name: string;
  file: string;
  types: string[];
  runs: [string, string][];
  documents: number;
  tokens: number | null;
  resample: string; // what intervals are over
  ranges: Record<string, Record<string, string>>;
  sentences: Sentences;
}

export interface Facet {
  name: string;
  title: string;
  about: string;
  unit: string;
  bucketed: boolean;
  levels: Record<string, number[]>;
  metrics: Record<string, string[]>;
  byType: boolean;
}

export interface Metric {
  title: string;
  better: number;
  fraction: boolean;
  about: string;
}

export interface Weakest {
  phrase: string; // the place in words
  dataset: string;
  system: string;
  facet: string;
  level: string;
  match: string;
  metric: string;
  n: number;
  value: number | null;
  low: number | null;
  high: number | null;
}

export interface PairSide {
  start: number;
  end: number;
  type: string;
  text: string | null;
}

export interface Pair {
  dataset: string;
  sentence: number;
  gold: PairSide;
  predicted: PairSide;
  systems: Record<string, Record<string, number>>;
  judgement: string;
  key: string; // what tells it from all others
}

export type ViewRow = Record<string, string | number | boolean | null | string[]>;

export interface Comparison {
  settings: Record<string, string>;
  rows: Difference[];
  overDatasets: ViewRow[];
  ranks: ViewRow[];
  changes: Change[];
}

export interface Page {
  version: string;
  title: string;
  signature: string;
  notes: string[];
  systems: string[];
  datasets: Dataset[];
  facets: Facet[];
  metrics: Record<string, Metric>;
  matches: Record<string, string>;
  outcomes: string[];
  glossary: Record<string, string>;
  rows: Row[];
  weakest: Weakest[];
  comparison: Comparison | null;
  diagnosis: Record<string, ViewRow[]> | null;
  confusion: Confusion[];
  pairs: Pair[];
}

/** Records from columns. */
export function recordsOf<T>(table: Columns): T[] {
  const read = Object.entries(table.columns).map(([name, column]) => ({
    name,
    at: Array.isArray(column) ? (k: number) => column[k] : (k: number) => column.of[column.at[k]],
  }));
  return Array.from({ length: table.size }, (_, k) => {
    const record: Record<string, unknown> = {};
    for (const { name, at } of read) record[name] = at(k) ?? null;
    return record as T;
  });
}

interface Written extends Omit<Page, "rows" | "confusion" | "comparison" | "pairs"> {
  pairs: Omit<Pair, "key">[];
  rows: Columns;
  confusion: Columns;
  comparison: (Omit<Comparison, "rows" | "changes"> & { rows: Columns; changes: Columns }) | null;
}

/** The page's data from the text that is embedded in it. */
export function parsePage(text: string): Page {
  const written = JSON.parse(text) as Written;
  const comparison = written.comparison && {
    ...written.comparison,
    rows: recordsOf<Difference>(written.comparison.rows),
    changes: recordsOf<Change>(written.comparison.changes),
  };
  return {
    ...written,
    metrics: dictionary(written.metrics),
    matches: dictionary(written.matches),
    glossary: dictionary(written.glossary),
    facets: written.facets.map((facet) => ({ ...facet, levels: dictionary(facet.levels) })),
    rows: recordsOf<Row>(written.rows),
    confusion: recordsOf<Confusion>(written.confusion),
    pairs: written.pairs.map((pair) => ({ ...pair, key: pairKey(pair) })),
    comparison,
  };
}

/** Names that users choose are looked up in it: it must not know any by itself, as "constructor". */
function dictionary<T>(names: Record<string, T>): Record<string, T> {
  return Object.assign(Object.create(null), names) as Record<string, T>;
}

/** What a number is asked for by; what is not said is exact match of everything, over all runs. */
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

  find(wanted: Wanted): Row | null {
    const whole = { facet: "all", level: "all", type: null, match: "exact" };
    return this.index.get(keyOf({ ...whole, ...wanted })) ?? null;
  }

  /** A number of a system on a dataset, or if none is named, its mean over all of them. */
  get(wanted: Wanted): Row | null {
    if (wanted.dataset !== null) return this.find(wanted);
    const rows = this.page.datasets
      .map((dataset) => this.find({ ...wanted, dataset: dataset.name }))
      .filter((row): row is Row => row !== null && row.value !== null);
    if (!rows.length || rows.length < this.page.datasets.length) return null; // means of other datasets are no match
    const mean = rows.reduce((sum, row) => sum + row.value!, 0) / rows.length;
    const n = rows.reduce((sum, row) => sum + row.n, 0);
    const rest = { low: null, high: null, std: null, clusters: null, caution: null };
    return { ...rows[0], ...rest, dataset: `mean of ${rows.length} datasets`, value: mean, n };
  }
}

function keyOf(row: Required<Wanted>): string {
  const { dataset, system, facet, level, type, match, metric } = row;
  return JSON.stringify([dataset, system, facet, level, type, match, metric]);
}
