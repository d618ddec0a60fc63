// Places where systems err: gold mentions, predictions without a gold mention, and wrong tokens.
//
// In one run, an error is a gold mention that is not correct (with the prediction it is paired with), or a
// prediction that is paired with none. Over several runs, a system is right at a place if most of its runs are.
import { type Page, dictionary } from "./data";
import type { PageDataset, PageTokens } from "./page-data";
import { Words } from "./words";

export const ABSENT = 255; // a run has nothing to do with a place
export const CORRECT = 0; // the first of the page's outcomes
export const WRONG_TOKEN = 1; // what a run makes of a token: correct or this
export const NONE = -1; // no type: the missing side of a pair

/** What is counted, in parallel columns: mentions or tokens. */
export interface Units {
  readonly set: DatasetPlaces;
  readonly isToken: boolean;
  readonly size: number;
  readonly sentence: ArrayLike<number>;
  readonly start: ArrayLike<number>;
  readonly length: ArrayLike<number>;
  readonly gold: ArrayLike<number>; // 1: a gold mention, or a token
  readonly codes: Record<string, number[]>; // by facet
  readonly outcomes: Uint8Array[]; // by run; a prediction that is paired counts at its gold mention alone
  /** The gold and the predicted type in a run, as indices in the types of the page. */
  goldType(run: number, unit: number): number;
  predictedType(run: number, unit: number): number;
  /** The prediction that a gold mention is paired with in a run, else the unit itself. */
  prediction(run: number, unit: number): number;
}

/** The mentions of a dataset, gold and predicted. */
export class MentionUnits implements Units {
  readonly isToken = false;
  readonly size: number;
  readonly sentence: Int32Array;
  readonly start: Int32Array;
  readonly length: Int32Array;
  readonly gold: Uint8Array;
  readonly type: Int16Array; // in the types of the page
  readonly codes: Record<string, number[]>;
  readonly outcomes: Uint8Array[];
  readonly predicted: Uint8Array[]; // by run: 1 if the run predicts this very span
  readonly mates: Int32Array[]; // by run: the counterpart of another span, or -1
  readonly first: Int32Array; // where the mentions of each sentence begin

  constructor(readonly set: DatasetPlaces) {
    const { spans, codes, outcomes, mates, number } = set.dataset.sentences;
    this.size = spans.sentence.length;
    this.sentence = Int32Array.from(spans.sentence);
    this.start = Int32Array.from(spans.start);
    this.length = Int32Array.from(spans.length);
    this.gold = Uint8Array.from(spans.gold);
    this.type = Int16Array.from(spans.type, (type) => set.pageTypes[type]);
    this.codes = dictionary(codes);
    this.mates = mates.map((pairs) => bothWays(pairs, this.size));
    this.predicted = outcomes.map((text) => this.predictedIn(text));
    this.outcomes = outcomes.map((text, run) => this.outcomesIn(text, run));
    this.first = firstOf(this.sentence, number.length);
  }

  private predictedIn(text: string): Uint8Array {
    return Uint8Array.from(this.gold, (gold, unit) => (gold ? Number(text[unit] === "0") : Number(text[unit] !== ".")));
  }

  private outcomesIn(text: string, run: number): Uint8Array {
    const codes = new Uint8Array(this.size);
    for (let unit = 0; unit < this.size; unit++) {
      const counted = text[unit] !== "." && (this.gold[unit] || this.mates[run][unit] < 0);
      codes[unit] = counted ? text.charCodeAt(unit) - 48 : ABSENT;
    }
    return codes;
  }

  goldType(_: number, unit: number): number {
    return this.gold[unit] ? this.type[unit] : NONE;
  }

  predictedType(run: number, unit: number): number {
    if (!this.gold[unit] || this.outcomes[run][unit] === CORRECT) return this.type[unit];
    const mate = this.mates[run][unit];
    return mate < 0 ? NONE : this.type[mate];
  }

  prediction(run: number, unit: number): number {
    const mate = this.mates[run][unit];
    return this.gold[unit] && mate >= 0 ? mate : unit;
  }

  /** The mentions of a sentence. */
  of(sentence: number): number[] {
    const [from, to] = [this.first[sentence], this.first[sentence + 1]];
    return Array.from({ length: to - from }, (_, k) => from + k);
  }

  /** The text of a hallucinated mention, or null. */
  foreignText(unit: number): string | null {
    return this.set.dataset.sentences.spans.text[unit] ?? null;
  }
}

function bothWays(pairs: number[][], size: number): Int32Array {
  const mates = new Int32Array(size).fill(-1);
  for (const [gold, predicted] of pairs) [mates[gold], mates[predicted]] = [predicted, gold];
  return mates;
}

function firstOf(sentence: Int32Array, sentences: number): Int32Array {
  const first = new Int32Array(sentences + 1);
  for (const one of sentence) first[one + 1] += 1;
  for (let k = 0; k < sentences; k++) first[k + 1] += first[k];
  return first;
}

/** The tokens of a unit that some run labels wrong. */
export class TokenUnits implements Units {
  readonly isToken = true;
  readonly size: number;
  readonly sentence: number[];
  readonly start: number[];
  readonly length: Uint8Array;
  readonly gold: Uint8Array;
  readonly codes: Record<string, number[]>;
  readonly outcomes: Uint8Array[];

  constructor(readonly set: DatasetPlaces, tokens: PageTokens) {
    this.size = tokens.sentence.length;
    this.sentence = tokens.sentence;
    this.start = tokens.position;
    this.length = new Uint8Array(this.size).fill(1);
    this.gold = this.length;
    this.codes = dictionary(tokens.codes);
    this.outcomes = tokens.wrong.map((text) => Uint8Array.from(text, (digit) => (digit === "1" ? WRONG_TOKEN : CORRECT)));
  }

  goldType(_: number, unit: number): number {
    const { mentions } = this.set;
    return this.covering(unit, (mention) => mentions.gold[mention] === 1);
  }

  predictedType(run: number, unit: number): number {
    const { mentions } = this.set;
    return this.covering(unit, (mention) => mentions.predicted[run][mention] === 1);
  }

  /** The type of the longest mention over a token. */
  private covering(unit: number, holds: (mention: number) => boolean): number {
    const { mentions } = this.set;
    const position = this.start[unit];
    let longest = NONE;
    for (let mention = mentions.first[this.sentence[unit]]; mention < mentions.first[this.sentence[unit] + 1]; mention++) {
      const inside = mentions.start[mention] <= position && position < mentions.start[mention] + mentions.length[mention];
      if (inside && holds(mention) && (longest < 0 || mentions.length[mention] > mentions.length[longest])) longest = mention;
    }
    return longest < 0 ? NONE : mentions.type[longest];
  }

  prediction(_: number, unit: number): number {
    return unit;
  }
}

/** The places of one dataset, and its words. */
export class DatasetPlaces {
  readonly pageTypes: number[]; // of the dataset's types, their indices in the types of the page
  readonly words: Words;
  readonly mentions: MentionUnits;
  private readonly tokenUnits: TokenUnits[];
  private readonly verdicts = new Map<string, Verdicts>();
  private surfaceList: string[] | null = null;
  private numbers: Map<number, number> | null = null;

  constructor(readonly dataset: PageDataset, readonly at: number, types: string[]) {
    this.pageTypes = dataset.types.map((type) => types.indexOf(type));
    this.words = new Words(dataset.sentences);
    this.mentions = new MentionUnits(this);
    this.tokenUnits = dataset.sentences.tokens.map((tokens) => new TokenUnits(this, tokens));
  }

  /** The units that a facet divides: mentions, or tokens. */
  unitsOf(facet: string): Units | null {
    if (this.mentions.codes[facet]) return this.mentions;
    return this.tokenUnits.find((units) => units.codes[facet]) ?? null;
  }

  /** The runs of a system; those of given names, if any are. */
  runs(system: string, names: string[] = []): number[] {
    return this.dataset.runs.flatMap(([name, run], at) => (name === system && (!names.length || names.includes(run)) ? [at] : []));
  }

  /** For each mention its text; of hallucinated ones, the text that was answered. */
  get surfaces(): string[] {
    this.surfaceList ??= Array.from({ length: this.mentions.size }, (_, unit) => this.surface(this.mentions, unit));
    return this.surfaceList;
  }

  surface(units: Units, unit: number): string {
    const foreign = units.isToken ? null : this.mentions.foreignText(unit);
    return foreign ?? this.words.text(units.sentence[unit], units.start[unit], units.start[unit] + units.length[unit]);
  }

  /** The length of a mention in words. */
  lengthOf(units: Units, unit: number): number {
    const foreign = units.length[unit] ? null : this.mentions.foreignText(unit);
    return foreign === null ? units.length[unit] : foreign.trim().split(/\s+/).length;
  }

  /** The index of a sentence on the page by its number in the data, or -1. */
  sentenceNumbered(number: number): number {
    this.numbers ??= new Map(this.dataset.sentences.number.map((one, at) => [one, at]));
    return this.numbers.get(number) ?? -1;
  }

  /** Which of some systems are wrong where. */
  verdictsOf(units: Units, systems: string[]): Verdicts {
    const key = JSON.stringify([units === this.mentions ? -1 : this.tokenUnits.indexOf(units as TokenUnits), systems]);
    let known = this.verdicts.get(key);
    if (!known) this.verdicts.set(key, (known = verdicts(units, systems)));
    return known;
  }
}

/** For each unit: how many systems are wrong, and the only one that is wrong or right (else -1). */
export interface Verdicts {
  systems: number;
  wrong: Uint8Array;
  onlyWrong: Int16Array;
  onlyRight: Int16Array;
}

function verdicts(units: Units, systems: string[]): Verdicts {
  const runs = systems.map((system) => units.set.runs(system));
  const known = runs.filter((own) => own.length).length;
  const found = { systems: known, wrong: new Uint8Array(units.size), onlyWrong: new Int16Array(units.size).fill(-1), onlyRight: new Int16Array(units.size).fill(-1) };
  for (let unit = 0; unit < units.size; unit++) {
    let [wrong, lastWrong, lastRight] = [0, -1, -1];
    runs.forEach((own, system) => {
      if (!own.length) return;
      if (isRight(units, unit, own)) lastRight = system;
      else [wrong, lastWrong] = [wrong + 1, system];
    });
    found.wrong[unit] = wrong;
    if (wrong === 1) found.onlyWrong[unit] = lastWrong;
    if (wrong === known - 1) found.onlyRight[unit] = lastRight;
  }
  return found;
}

export const isError = (outcome: number): boolean => outcome !== CORRECT && outcome !== ABSENT;

/** Whether most runs make no error at a place. */
export function isRight(units: Units, unit: number, runs: number[]): boolean {
  let errors = 0;
  for (const run of runs) if (isError(units.outcomes[run][unit])) errors += 1;
  return 2 * errors < runs.length;
}

/** What a system makes of a place: correct if most runs are, else the kind of most runs that are not. */
export function usualOutcome(units: Units, unit: number, runs: number[]): number {
  if (isRight(units, unit, runs)) return units.gold[unit] ? CORRECT : ABSENT;
  const counts = new Map<number, number>();
  for (const run of runs) {
    const outcome = units.outcomes[run][unit];
    if (isError(outcome)) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  }
  return [...counts].sort(([one, n], [other, m]) => m - n || one - other)[0][0];
}

/** The places of all datasets, made when they are first asked for. */
export class Places {
  readonly types: string[];
  private readonly sets = new Map<number, DatasetPlaces>();

  constructor(readonly page: Page) {
    this.types = [...new Set(page.datasets.flatMap((one) => one.types))].sort();
  }

  set(at: number): DatasetPlaces {
    let known = this.sets.get(at);
    if (!known) this.sets.set(at, (known = new DatasetPlaces(this.page.datasets[at], at, this.types)));
    return known;
  }
}

const indexes = new WeakMap<Page, Places>();

/** The places of a page, made once. */
export function placesOf(page: Page): Places {
  let known = indexes.get(page);
  if (!known) indexes.set(page, (known = new Places(page)));
  return known;
}
