// A page about three sentences and two systems, small enough to be checked by hand; and pages drawn at random.
import { type ErrorSum, type Page, Rows, type Row } from "../src/data";
import { contextOf, type Context } from "../src/context";
import type { PageDataset, PageSentences } from "../src/page-data";
import { parsePlace } from "../src/state";

export const OUTCOMES = ["correct", "wrong type", "wrong boundary", "wrong type and boundary", "missed", "spurious", "split", "merged", "hallucinated"];

export const KINDS = [
  { name: "missed", title: "Missed", about: "", outcomes: ["missed"] },
  { name: "spurious", title: "Spurious", about: "", outcomes: ["spurious"] },
  { name: "wrong type", title: "Wrong type", about: "", outcomes: ["wrong type"] },
  { name: "wrong boundary", title: "Wrong boundary", about: "", outcomes: ["wrong boundary", "split", "merged"] },
  { name: "wrong type and boundary", title: "Wrong type and boundary", about: "", outcomes: ["wrong type and boundary"] },
  { name: "hallucinated", title: "Hallucinated", about: "", outcomes: ["hallucinated"] },
];

/** "Ada Lee met Bob" (PER, PER), "In Rome" (LOC, and nested in it nothing), "Nobody".
 * `x` has two runs: the first cuts Ada Lee short and takes Rome for ORG; the second finds Ada Lee and misses Rome.
 * `y` finds Ada Lee, misses Bob, makes up a PER of "met", and answers with "Zoe", which is not in the text. */
export const toyDataset: PageDataset = {
  name: "toy",
  file: "toy.conll",
  types: ["PER", "LOC", "ORG"],
  runs: [["x", "1"], ["x", "2"], ["y", "1"]],
  documents: 1,
  tokens: 7,
  mentions: 3,
  folded: false,
  resample: "sentence",
  ranges: {},
  sentences: {
    total: 9,
    wrong: 2,
    wrongKept: 2,
    sampled: false,
    number: [1, 5, 6],
    line: [1, 20, 30],
    place: null,
    document: [0, 0, 0],
    text: ["Ada Lee met Bob", ["In", "New Rome"], "Nobody"],
    glued: null,
    spans: {
      // Zoe (y), Ada (x 1), Ada Lee (gold), met (y), Bob (gold); New Rome LOC (gold), New Rome ORG (x 1)
      sentence: [0, 0, 0, 0, 0, 1, 1],
      start: [0, 0, 0, 2, 3, 1, 1],
      length: [0, 1, 2, 1, 1, 1, 1],
      type: [0, 0, 0, 0, 0, 1, 2],
      gold: [0, 0, 1, 0, 1, 1, 0],
      text: { "0": "Zoe" },
    },
    codes: { tmr: [1, 0, 1, 1, 0, 2, 2] },
    outcomes: [".22.011", "..0.04.", "8.0540."],
    mates: [[[2, 1], [5, 6]], [], []],
    tokens: [{ unit: "token", sentence: [0, 1], position: [1, 1], codes: { hard: [0, 1] }, wrong: ["11", "01", "10"] }],
  },
  answers: [],
};

const FACETS = [
  { name: "tmr", title: "Seen", about: "", unit: "mention", bucketed: false, needsTrain: true, levels: [level("seen", [0]), level("unseen-any", [1, 2]), level("unseen-type", [2])], metrics: {}, byType: true },
  { name: "hard", title: "Hard tokens", about: "", unit: "token", bucketed: false, needsTrain: true, levels: [level("unseen", [0]), level("other", [1])], metrics: {}, byType: false },
];

function level(name: string, codes: number[]) {
  return { name, phrase: name, about: "", codes };
}

export function toyPage(changes: Partial<Page> = {}): Page {
  const metric = { title: "F1", better: 1, fraction: true, about: "" };
  const datasets = changes.datasets ?? [toyDataset];
  const systems = [...new Set(datasets.flatMap((one) => one.runs.map(([system]) => system)))];
  return {
    version: "1", title: "toy", date: "2026-01-01", signature: "sig", settings: [], notes: [], commands: [], citations: [], train: true,
    systems, datasets, facets: FACETS, metrics: { f1: metric }, matches: { exact: "" }, outcomes: OUTCOMES, kinds: KINDS, glossary: {},
    rows: datasets.flatMap(({ name }) => systems.map((system, k) => toyRow({ dataset: name, system, value: 0.9 - k / 10 }))),
    runScores: [], errors: datasets.flatMap(sumsOf), gains: [], forgiven: [], findings: [], caveats: [], comparison: null, diagnosis: null, pairs: [],
    ...changes,
  };
}

export function toyRow(changes: Partial<Row>): Row {
  const head = { dataset: "toy", system: "x", unit: "mention", facet: "all", level: "all", type: null, match: "exact", metric: "f1" };
  return { ...head, value: 0.5, n: 3, std: null, runs: 1, low: null, high: null, clusters: 2, caution: null, ...changes };
}

export function toyContext(page: Page, address = "#/errors"): Context {
  return contextOf(page, new Rows(page), parsePlace(address));
}

/** An error or a right mention of one run, counted the slow way. */
export interface NaiveEvent {
  run: number;
  system: string;
  runName: string;
  unit: number;
  outcome: string;
  gold: string | null;
  predicted: string | null;
  mate: number;
}

/** All events of a dataset, straight from the definition. */
export function naiveEvents({ types, runs, sentences: { spans, outcomes, mates } }: PageDataset): NaiveEvent[] {
  return runs.flatMap(([system, runName], run) =>
    spans.sentence.flatMap((_, unit) => {
      const code = outcomes[run][unit];
      const pair = mates[run].find((one) => one.includes(unit));
      const mate = pair ? pair[0] + pair[1] - unit : -1;
      if (code === "." || (!spans.gold[unit] && mate >= 0)) return [];
      const outcome = OUTCOMES[Number(code)];
      const own = types[spans.type[unit]];
      const other = outcome === "correct" ? own : mate >= 0 ? types[spans.type[mate]] : null;
      return [{ run, system, runName, unit, outcome, gold: spans.gold[unit] ? own : null, predicted: spans.gold[unit] ? other : own, mate }];
    }),
  );
}

/** The sums of a dataset, as Python writes them. */
export function sumsOf(dataset: PageDataset): ErrorSum[] {
  const sums = new Map<string, ErrorSum>();
  for (const { system, runName, outcome, gold, predicted } of naiveEvents(dataset)) {
    const key = JSON.stringify([system, runName, outcome, gold, predicted]);
    const sum = sums.get(key) ?? { dataset: dataset.name, system, run: runName, gold, predicted, outcome, n: 0 };
    sum.n += 1;
    sums.set(key, sum);
  }
  return [...sums.values()];
}

/** Numbers that look random, the same for the same seed. */
export function random(seed: number): () => number {
  let state = seed + 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** A dataset of so many sentences, with any outcome anywhere. */
export function randomDataset(seed: number, sentences = 12, systems = 3, runs = 3): PageDataset {
  const next = random(seed * 7919 + 17);
  const below = (n: number) => Math.floor(next() * n);
  const names = Array.from({ length: systems * runs }, (_, k) => [`s${Math.floor(k / runs)}`, String((k % runs) + 1)]);
  const spans: PageSentences["spans"] = { sentence: [], start: [], length: [], type: [], gold: [], text: {} };
  const text = Array.from({ length: sentences }, () => Array.from({ length: 3 + below(6) }, () => ["Rome", "in", "A-1", "UN", "x"][below(5)]));
  for (let sentence = 0; sentence < sentences; sentence++)
    for (let k = below(5); k > 0; k--) {
      const unit = spans.sentence.push(sentence) - 1;
      const foreign = below(8) === 0;
      const start = foreign ? 0 : below(text[sentence].length);
      spans.start.push(start);
      spans.length.push(foreign ? 0 : 1 + below(text[sentence].length - start));
      spans.type.push(below(3));
      spans.gold.push(foreign ? 0 : below(2));
      if (foreign) spans.text[unit] = "New Zoe";
    }
  const mates = names.map(() => randomMates(spans, below));
  const outcomes = mates.map((pairs) => {
    const paired = new Set(pairs.flat());
    return spans.gold.map((gold, unit) => randomOutcome(gold, paired.has(unit), spans.length[unit], below)).join("");
  });
  const size = spans.sentence.length;
  const tokens = text.flatMap((words, sentence) => words.map((__, position) => ({ sentence, position }))).filter(() => below(4) === 0);
  return {
    ...toyDataset, name: `d${seed}`, types: ["LOC", "PER", "ORG"].slice(0, 3), runs: names,
    sentences: {
      ...toyDataset.sentences, total: sentences, number: text.map((_, k) => k + 1), line: null, document: text.map(() => 0), text: text.map((words) => words.join(" ")),
      spans, codes: { tmr: Array.from({ length: size }, () => below(3)) }, outcomes, mates,
      tokens: [{ unit: "token", sentence: tokens.map((one) => one.sentence), position: tokens.map((one) => one.position), codes: { hard: tokens.map(() => below(2)) }, wrong: names.map(() => tokens.map(() => below(2)).join("")) }],
    },
  };
}

function randomMates(spans: PageSentences["spans"], below: (n: number) => number): number[][] {
  const free = new Set(spans.sentence.keys());
  const pairs: number[][] = [];
  for (const gold of spans.sentence.keys())
    for (let other = Math.max(0, gold - 5); other < gold + 5; other++)
      if (spans.gold[gold] && spans.gold[other] === 0 && spans.length[other] && spans.sentence[gold] === spans.sentence[other] && free.has(gold) && free.has(other) && below(3) === 0) {
        pairs.push([gold, other]);
        free.delete(gold);
        free.delete(other);
      }
  return pairs;
}

function randomOutcome(gold: number, paired: boolean, length: number, below: (n: number) => number): string {
  if (paired) return String([1, 2, 3][below(3)]);
  if (gold) return String([0, 0, 4, 6, 7][below(5)]);
  return below(2) ? "." : length ? "5" : "8";
}
