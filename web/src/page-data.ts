// Written by web/page_types.py from nerscope/render/page/schema.py: change it there.

/** Rows by column; a column of texts holds distinct texts and indices into them. */
export type Column = (number | boolean | null)[] | { of: (string | null)[]; at: number[] };
export interface Columns {
  size: number;
  columns: Record<string, Column>;
}

/** A place on the page: a section, and the choices of its address. */
export interface PageLink {
  section: string;
  chosen: Record<string, string | string[]>;
}

export interface PageMetric {
  title: string;
  better: number;
  fraction: boolean;
  about: string;
}

export interface PageLevel {
  name: string;
  phrase: string;
  about: string;
  codes: number[];
}

export interface PageFacet {
  name: string;
  title: string;
  about: string;
  unit: string;
  bucketed: boolean;
  needsTrain: boolean;
  levels: PageLevel[];
  metrics: Record<string, string[]>;
  byType: boolean;
}

/** A kind of error of the summaries, and the detailed outcomes that it counts. */
export interface PageKind {
  name: string;
  title: string;
  about: string;
  outcomes: string[];
}

/** One gold mention or prediction per row; a hallucinated one has length 0 and a text. */
export interface SpanColumns {
  sentence: number[];
  start: number[];
  length: number[];
  type: number[];
  gold: number[];
  text: Record<string, string>;
}

/** The tokens of one token unit that some run labels wrong, one per row. */
export interface PageTokens {
  unit: string;
  sentence: number[];
  position: number[];
  codes: Record<string, number[]>;
  wrong: string[];
}

/** The sentences on the page: all of them, or a seeded sample that is stratified by error. */
export interface PageSentences {
  total: number;
  wrong: number;
  wrongKept: number;
  sampled: boolean;
  number: number[];
  line: number[] | null;
  place: string[] | null;
  document: number[];
  text: (string | string[])[] | null;
  glued: number[][] | null;
  spans: SpanColumns;
  codes: Record<string, number[]>;
  outcomes: string[];
  mates: number[][][];
  tokens: PageTokens[];
}

/** What a system that answers in text (a language model) gave, on one dataset and run. */
export interface PageAnswers {
  system: string;
  run: string;
  answers: number | null;
  unreadable: number;
  cutOff: number;
  malformed: number;
  repeated: number;
  foreignTypes: number;
  hallucinated: number;
  predicted: number;
  topHallucinated: ((string | number)[])[];
  f1: number | null;
  f1Without: number | null;
}

export interface PageDataset {
  name: string;
  file: string;
  types: string[];
  runs: string[][];
  documents: number | null;
  tokens: number | null;
  mentions: number;
  folded: boolean;
  resample: string;
  ranges: Record<string, Record<string, string>>;
  sentences: PageSentences;
  answers: PageAnswers[];
}

/** Is A better than B: the one verdict that page and command line share. `dataset` is null for the answer over all datasets. `p` stands alone, `pCorrected` is corrected for `k` pairs; the interval is the one that the verdict rests on. */
export interface PageVerdict {
  dataset: string | null;
  a: string;
  b: string;
  metric: string;
  aValue: number | null;
  bValue: number | null;
  difference: number | null;
  low: number | null;
  high: number | null;
  p: number | null;
  pCorrected: number | null;
  k: number;
  verdict: "better" | "worse" | "no clear difference" | "not tested";
  sentence: string;
  about: string;
  detectable: number | null;
  runsA: number;
  runsB: number;
  untested: string | null;
}

/** The place of a system in the ranking of a dataset; null: by the mean over datasets. */
export interface PageRank {
  dataset: string | null;
  system: string;
  place: number;
  groups: string;
}

/** F1 of a system if boundaries are forgiven: any overlap with the same type, full credit. */
export interface PageForgiven {
  dataset: string;
  system: string;
  f1: number | null;
}

/** F1 after every error of a kind is replaced by its gold mention, minus F1. */
export interface PageGain {
  dataset: string;
  system: string;
  kind: string;
  errors: number;
  gain: number | null;
}

/** One of the things to know; the rule that chose it, and where to read on. */
export interface PageFinding {
  rule: string;
  scope: string | null;
  dataset: string | null;
  system: string | null;
  text: string;
  n: number | null;
  link: PageLink | null;
}

/** Something that limits what the numbers mean. */
export interface PageCaveat {
  rule: string;
  text: string;
}

export interface PageNote {
  text: string;
  severity: "warning" | "note";
  file: string | null;
}

/** One entry of the signature. */
export interface PageSetting {
  dataset: string | null;
  name: string;
  value: string;
  about: string;
}

export interface PageComparison {
  settings: Record<string, string>;
  verdicts: PageVerdict[];
  ranking: PageRank[];
  rows: Columns;
  overDatasets: Record<string, unknown>[];
  changes: Columns;
  notes: string[];
}

export interface PageSide {
  start: number;
  end: number;
  type: string;
  text: string | null;
}

/** A pair with partial credit, to be judged good or bad. */
export interface PagePair {
  dataset: string;
  sentence: number;
  gold: PageSide;
  predicted: PageSide;
  systems: Record<string, Record<string, number>>;
  judgement: string;
}

/** All that a page shows. */
export interface PageData {
  version: string;
  title: string;
  date: string;
  signature: string;
  settings: PageSetting[];
  notes: PageNote[];
  commands: string[];
  citations: string[];
  train: boolean;
  systems: string[];
  datasets: PageDataset[];
  facets: PageFacet[];
  metrics: Record<string, PageMetric>;
  matches: Record<string, string>;
  outcomes: string[];
  kinds: PageKind[];
  glossary: Record<string, string>;
  rows: Columns;
  runScores: Columns;
  errors: Columns;
  gains: PageGain[];
  forgiven: PageForgiven[];
  findings: PageFinding[];
  caveats: PageCaveat[];
  comparison: PageComparison | null;
  diagnosis: Record<string, Record<string, unknown>[]> | null;
  pairs: PagePair[];
}
