// Written by web/page_types.py from nerscope/render/page/decide_schema.py: change it there.

/** A mention of a sentence: its tokens, half-open and counted from 0, and its type. */
export interface DecideSpan {
  start: number;
  end: number;
  type: string;
}

/** A sentence with something to decide, and the text around it. */
export interface DecideSentence {
  file: string;
  sentence: number;
  place: string;
  tokens: string[];
  glued: number[] | null;
  before: string;
  after: string;
  gold: DecideSpan[];
}

/** One annotation of a place, and whose it is; annotators that agree are together. */
export interface DecideOption {
  names: string[];
  spans: DecideSpan[];
}

/** A place to decide on: the option that is chosen replaces its mentions of gold. */
export interface DecideItem {
  sentence: number;
  start: number;
  end: number;
  kind: string;
  current: DecideSpan[];
  options: DecideOption[];
  score: number | null;
  reasons: string[];
  group: number | null;
}

/** Suspects with the same correction of the same text. */
export interface DecideGroup {
  kind: string;
  gold: string;
  proposed: string;
  score: number;
  items: number[];
}

/** A table of numbers, as the terminal shows it. */
export interface DecideTable {
  title: string;
  header: string[];
  rows: string[][];
  notes: string[];
}

/** All that the page shows. */
export interface DecidePage {
  title: string;
  date: string;
  version: string;
  kind: "agreement" | "audit";
  names: string[];
  types: string[];
  nested: boolean;
  summary: string[];
  tables: DecideTable[];
  notes: string[];
  commands: string[];
  sentences: DecideSentence[];
  items: DecideItem[];
  groups: DecideGroup[];
  sample: number[];
}
