// A page about two datasets and three systems, small enough to be checked by hand.
import { type Context, contextOf } from "../src/context";
import { type ErrorSum, type Page, type Row, Rows } from "../src/data";
import type { PageDataset, PageVerdict } from "../src/page-data";
import { parsePlace } from "../src/state";

const NO_SENTENCES = { total: 9, wrong: 2, wrongKept: 2, sampled: false, number: [], line: null, place: null, document: [], text: null, glued: null, codes: {}, outcomes: [], mates: [], tokens: [] };

export function toyDataset(name: string, changes: Partial<PageDataset> = {}): PageDataset {
  return {
    name,
    file: `${name}.conll`,
    types: ["LOC", "PER"],
    runs: [["x", "1"], ["x", "2"], ["y", "1"], ["z", "1"]],
    documents: 3,
    tokens: 60,
    mentions: 40,
    folded: false,
    resample: "document",
    ranges: {},
    sentences: { ...NO_SENTENCES, spans: { sentence: [], start: [], length: [], type: [], gold: [], text: {} } },
    answers: [],
    ...changes,
  };
}

export function toyRow(changes: Partial<Row>): Row {
  return {
    dataset: "one", system: "x", unit: "mention", facet: "all", level: "all", type: null, match: "exact", metric: "f1",
    value: 0.5, n: 40, std: null, runs: 1, low: 0.2, high: 0.8, clusters: 3, caution: null, ...changes,
  };
}

export function toyVerdict(changes: Partial<PageVerdict>): PageVerdict {
  return {
    dataset: "one", a: "x", b: "y", metric: "f1", aValue: 0.9, bValue: 0.8, difference: 0.1, low: 0.05, high: 0.15,
    p: 0.001, pCorrected: 0.003, k: 3, verdict: "better", sentence: "", about: "outputs", detectable: 0.05, runsA: 2, runsB: 1, untested: null, ...changes,
  };
}

export function toyError(changes: Partial<ErrorSum>): ErrorSum {
  return { dataset: "one", system: "x", run: "1", gold: "LOC", predicted: null, outcome: "missed", n: 1, ...changes };
}

const metric = (title: string) => ({ title, better: 1, fraction: true, about: "" });
const KINDS = [
  { name: "missed", title: "Missed", about: "", outcomes: ["missed"] },
  { name: "spurious", title: "Spurious", about: "", outcomes: ["spurious"] },
  { name: "wrong boundary", title: "Wrong boundary", about: "", outcomes: ["wrong boundary", "split", "merged"] },
];

/** F1 of x, y and z: 90, 80 and 70 on "one", 60, 80 and no score on "two". */
export function toyPage(changes: Partial<Page> = {}): Page {
  const scores: [string, string, number | null][] = [["one", "x", 0.9], ["one", "y", 0.8], ["one", "z", 0.7], ["two", "x", 0.6], ["two", "y", 0.8], ["two", "z", null]];
  return {
    version: "1", title: "toy", date: "2026-01-01", signature: "sig", settings: [], notes: [], commands: [], citations: [], train: false,
    systems: ["x", "y", "z"],
    datasets: [toyDataset("one"), toyDataset("two")],
    facets: [],
    metrics: { f1: metric("F1"), precision: metric("precision"), recall: metric("recall") },
    matches: { exact: "" },
    outcomes: ["correct", "missed", "spurious", "wrong boundary", "split", "merged"],
    kinds: KINDS,
    glossary: {},
    rows: scores.map(([dataset, system, value]) => toyRow({ dataset, system, value })),
    runScores: [
      { dataset: "one", system: "x", run: "1", precision: 0.9, recall: 0.8, f1: 0.85 },
      { dataset: "one", system: "x", run: "2", precision: 0.9, recall: 1, f1: 0.95 },
      { dataset: "one", system: "y", run: "1", precision: 0.8, recall: 0.8, f1: 0.8 },
    ],
    errors: [], gains: [], forgiven: [], findings: [], caveats: [],
    comparison: { settings: {}, verdicts: [], ranking: [], rows: [], overDatasets: [], changes: [], notes: [] },
    diagnosis: null,
    pairs: [],
    ...changes,
  };
}

export const toyContext = (address: string, changes: Partial<Page> = {}): Context => {
  const page = toyPage(changes);
  return contextOf(page, new Rows(page), parsePlace(address));
};
