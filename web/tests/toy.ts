// A page about two sentences and two systems, small enough to be checked by hand.
import { pairKey } from "../src/review";
import type { Dataset, Difference, Page, Pair, Row } from "../src/data";

export const OUTCOMES = ["correct", "wrong type", "wrong boundary", "wrong type and boundary", "missed", "spurious", "split", "merged"];

/** "Ada Lee met Bob" (PER, PER) and "In Rome" (LOC): `x` cuts Ada Lee short and takes Rome for ORG;
 * `y` finds Ada Lee, misses Bob, finds Rome, and makes up a PER of "met". */
export const toyDataset: Dataset = {
  name: "toy",
  file: "toy.conll",
  types: ["LOC", "ORG", "PER"],
  runs: [
    ["x", "1"],
    ["y", "1"],
  ],
  documents: 1,
  tokens: 6,
  resample: "sentence",
  ranges: {},
  sentences: {
    total: 9,
    wrong: 2,
    wrongKept: 2,
    number: [1, 5],
    line: [1, 20],
    text: ["Ada Lee met Bob", ["In", "New Rome"]],
    spans: {
      // Ada (x), Ada Lee (gold), met (y), Bob (gold); New Rome LOC (gold), New Rome ORG (x)
      sentence: [0, 0, 0, 0, 1, 1],
      start: [0, 0, 2, 3, 1, 1],
      length: [1, 2, 1, 1, 1, 1],
      type: [2, 2, 2, 2, 0, 1],
      gold: [0, 1, 0, 1, 1, 0],
    },
    codes: { tmr: [0, 1, 1, 0, 2, 2] },
    outcomes: ["22.011", ".0540."],
    mates: [
      [
        [1, 0],
        [4, 5],
      ],
      [],
    ],
    tokens: [{ sentence: [0, 1], codes: { hard: [0, 1] }, wrong: ["10", "01"] }],
  },
};

export function toyRow(changes: Partial<Row>): Row {
  return {
    dataset: "toy",
    system: "x",
    unit: "mention",
    facet: "all",
    level: "all",
    type: null,
    match: "exact",
    metric: "f1",
    value: 0.5,
    n: 3,
    std: null,
    runs: 1,
    low: 0.2,
    high: 0.8,
    clusters: 2,
    caution: null,
    ...changes,
  };
}

export function toyDifference(changes: Partial<Difference>): Difference {
  return {
    dataset: "toy",
    system_a: "x",
    system_b: "y",
    facet: "all",
    level: "all",
    type: null,
    match: "exact",
    metric: "f1",
    a: 0.5,
    b: 0.7,
    difference: -0.2,
    low: -0.3,
    high: -0.1,
    p: 0.001,
    p_corrected: 0.002,
    family: "primary",
    about: "recipes",
    n: 3,
    differing: 2,
    test: "randomisation",
    untested: null,
    ...changes,
  };
}

const pair = {
  dataset: "toy",
  sentence: 1,
  gold: { start: 0, end: 2, type: "PER", text: "Ada Lee" },
  predicted: { start: 0, end: 1, type: "PER", text: "Ada" },
  systems: { x: { left: 0.5, overlap: 0.5 } },
  judgement: "",
};
export const toyPair: Pair = { ...pair, key: pairKey(pair) };

export function toyPage(changes: Partial<Page> = {}): Page {
  const f1 = { title: "F1", better: 1, fraction: true, about: "" };
  return {
    version: "1",
    title: "toy",
    signature: "sig",
    notes: [],
    systems: ["x", "y"],
    datasets: [toyDataset],
    facets: [
      { name: "tmr", title: "Tough mentions", about: "", unit: "mention", bucketed: false, levels: { seen: [0], unseen: [1, 2] }, metrics: { exact: ["recall"] }, byType: true },
      { name: "hard", title: "Hard tokens", about: "", unit: "token", bucketed: false, levels: { unseen: [0], other: [1] }, metrics: { bilou: ["ter"] }, byType: false },
    ],
    metrics: { f1, recall: { ...f1, title: "recall" }, ter: { ...f1, title: "token error rate", better: -1 } },
    matches: { exact: "" },
    outcomes: OUTCOMES,
    glossary: {},
    rows: [toyRow({}), toyRow({ system: "y", value: 0.7, low: 0.4, high: 0.9 })],
    weakest: [
      { dataset: "toy", system: "y", facet: "tmr", level: "unseen-type", phrase: "mentions seen only with another type", match: "exact", metric: "recall", n: 30, value: 0.133, low: 0.04, high: 0.36 },
      { dataset: "toy", system: "y", facet: "hard", level: "unseen", phrase: "words never seen in training", match: "bilou", metric: "ter", n: 12, value: 0.4, low: 0.2, high: 0.6 },
    ],
    comparison: { settings: {}, rows: [toyDifference({})], overDatasets: [], ranks: [], changes: [] },
    diagnosis: null,
    confusion: [],
    pairs: [toyPair],
    ...changes,
  };
}
