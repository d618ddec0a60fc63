// Spans of a dataset with what became of them in each run, and the sentences that fit a filter.
import type { Dataset, Page } from "./data";

export const NONE = "(none)"; // the missing side of a pair
const ABSENT = ".";

/** What a reader asks for; whatever is missing does not matter. */
export interface Filter {
  dataset?: string | null;
  system?: string | null;
  run?: string | null;
  side?: string | null; // "gold" or "predicted": only such spans
  outcome?: string | null; // one of the outcomes, or "error" for all but correct
  gold?: string | null;
  predicted?: string | null;
  type?: string | null; // of either side
  facet?: string | null;
  level?: string | null;
  disagree?: boolean;
  only?: string | null; // "a" or "b": gold mentions that only this one of two systems gets right
  a?: string | null;
  b?: string | null;
}

export interface Found {
  dataset: number;
  sentence: number;
  hits: number[]; // the spans that fit
}

/** The spans of one dataset, ready to be asked. */
export class Mentions {
  readonly size: number;
  readonly first: number[]; // where the spans of each sentence begin
  private readonly mates: Map<number, number>[];
  private lower: string[] | null = null;

  constructor(
    readonly dataset: Dataset,
    readonly outcomes: string[],
  ) {
    const { spans, number, mates } = dataset.sentences;
    this.size = spans.sentence.length;
    this.first = Array.from({ length: number.length + 1 }, () => this.size);
    for (let span = this.size - 1; span >= 0; span--) this.first[spans.sentence[span]] = span;
    for (let k = number.length - 1; k >= 0; k--) this.first[k] = Math.min(this.first[k], this.first[k + 1]);
    this.mates = mates.map((pairs) => new Map(pairs.flatMap(([g, p]) => [[g, p], [p, g]] as [number, number][])));
  }

  /** The places of a system's runs. */
  runs(system: string): number[] {
    return this.dataset.runs.flatMap(([name], place) => (name === system ? [place] : []));
  }

  /** The place of a system's run; of its first one if it has none of that name. */
  run(system: string, wanted: string | null = null): number {
    const own = this.runs(system);
    return own.find((place) => this.dataset.runs[place][1] === wanted) ?? own[0] ?? -1;
  }

  /** Whether a run has to do with a span: it predicts it, or it is gold. */
  has(run: number, span: number): boolean {
    return this.dataset.sentences.outcomes[run][span] !== ABSENT;
  }

  outcome(run: number, span: number): string | null {
    const code = this.dataset.sentences.outcomes[run][span];
    return code === ABSENT ? null : this.outcomes[Number(code)];
  }

  isGold(span: number): boolean {
    return this.dataset.sentences.spans.gold[span] === 1;
  }

  /** Whether a run has this very span: as gold or not. */
  isPredicted(run: number, span: number): boolean {
    const outcome = this.outcome(run, span);
    return outcome !== null && (!this.isGold(span) || outcome === "correct");
  }

  type(span: number): string {
    return this.dataset.types[this.dataset.sentences.spans.type[span]];
  }

  mate(run: number, span: number): number | null {
    return this.mates[run].get(span) ?? null;
  }

  /** The gold and the predicted type that meet in a span. */
  types(run: number, span: number): [string, string] {
    const own = this.type(span);
    if (this.outcome(run, span) === "correct") return [own, own];
    const mate = this.mate(run, span);
    const other = mate === null ? NONE : this.type(mate);
    return this.isGold(span) ? [own, other] : [other, own];
  }

  tokens(sentence: number): string[] | null {
    const text = this.dataset.sentences.text?.[sentence];
    return text === undefined ? null : typeof text === "string" ? text.split(" ") : text;
  }

  /** The sentences as they are searched. */
  get lowered(): string[] {
    this.lower ??= this.dataset.sentences.number.map((_, k) => this.tokens(k)?.join(" ").toLocaleLowerCase() ?? "");
    return this.lower;
  }

  /** The spans of a sentence. */
  of(sentence: number): number[] {
    return Array.from({ length: this.first[sentence + 1] - this.first[sentence] }, (_, k) => this.first[sentence] + k);
  }
}

/** The sentences of all datasets that hold what is asked for, whatever their words. */
export function findSentences(page: Page, all: Mentions[], filter: Filter): Found[] {
  const facet = page.facets.find((one) => one.name === filter.facet);
  const find = facet && facet.unit !== "mention" ? sentencesByTokens : sentencesBySpans;
  return all.flatMap((mentions, dataset) => {
    if (filter.dataset && mentions.dataset.name !== filter.dataset) return [];
    const hits = find(page, mentions, filter);
    return [...hits]
      .sort(([one], [other]) => one - other)
      .map(([sentence, own]) => ({ dataset, sentence, hits: own }));
  });
}

/** Those of them that have some words. */
export function withWords(found: Found[], all: Mentions[], words: string): Found[] {
  const wanted = words.toLocaleLowerCase();
  return found.filter(({ dataset, sentence }) => all[dataset].lowered[sentence]?.includes(wanted));
}

type Hits = Map<number, number[]>; // spans by sentence
type SpanTest = (span: number) => boolean;
type RunTest = (run: number, span: number) => boolean;

function sentencesBySpans(page: Page, mentions: Mentions, filter: Filter): Hits {
  const { spans, number } = mentions.dataset.sentences;
  const ofSpans = spanTests(page, mentions, filter);
  const ofRuns = runTests(mentions, filter);
  if (!ofSpans.length && !ofRuns.length) return new Map(number.map((_, sentence) => [sentence, []]));
  const runs = runsOf(mentions, filter.system ? [filter.system] : page.systems, filter.run);
  const hits: Hits = new Map();
  for (let span = 0; span < mentions.size; span++) {
    if (!ofSpans.every((test) => test(span))) continue;
    if (!runs.some((run) => mentions.has(run, span) && ofRuns.every((test) => test(run, span)))) continue;
    const own = hits.get(spans.sentence[span]);
    if (own) own.push(span);
    else hits.set(spans.sentence[span], [span]);
  }
  return hits;
}

function runsOf(mentions: Mentions, systems: string[], run: string | null | undefined): number[] {
  return systems.map((system) => mentions.run(system, run)).filter((place) => place >= 0);
}

/** What is asked of a span in one run. */
function runTests(mentions: Mentions, { side, outcome, gold, predicted, type }: Filter): RunTest[] {
  const tests: RunTest[] = [];
  if (side === "predicted") tests.push((run, span) => mentions.isPredicted(run, span));
  if (outcome === "error") tests.push((run, span) => mentions.outcome(run, span) !== "correct");
  else if (outcome) tests.push((run, span) => mentions.outcome(run, span) === outcome);
  if (gold) tests.push((run, span) => mentions.types(run, span)[0] === gold);
  if (predicted) tests.push((run, span) => mentions.types(run, span)[1] === predicted);
  if (type) tests.push((run, span) => mentions.types(run, span).includes(type));
  return tests;
}

/** What is asked of a span whatever the run. */
function spanTests(page: Page, mentions: Mentions, filter: Filter): SpanTest[] {
  const tests: SpanTest[] = [];
  if (filter.side === "gold") tests.push((span) => mentions.isGold(span));
  const codes = filter.facet ? mentions.dataset.sentences.codes[filter.facet] : undefined;
  if (codes) {
    const level = levelCodes(page, filter);
    tests.push((span) => level.has(codes[span]));
  }
  if (filter.disagree) tests.push(disagreement(page, mentions, filter));
  if (filter.only && filter.a && filter.b) tests.push(rightInOne(mentions, filter));
  return tests;
}

function levelCodes(page: Page, { facet, level }: Filter): Set<number> {
  return new Set(page.facets.find((one) => one.name === facet)?.levels[level ?? ""] ?? []);
}

/** The systems whose disagreement is asked for: two of them, or all. */
function compared(page: Page, { a, b }: Filter): string[] {
  return a && b ? [a, b] : page.systems;
}

/** A span that some systems treat as they should, and others do not. */
function disagreement(page: Page, mentions: Mentions, filter: Filter): SpanTest {
  const runs = runsOf(mentions, compared(page, filter), filter.run);
  const fine = (run: number, span: number) => !mentions.has(run, span) || mentions.outcome(run, span) === "correct";
  return (span) => {
    const right = runs.filter((run) => fine(run, span)).length;
    return right > 0 && right < runs.length;
  };
}

/** A gold mention that only one of two systems gets right: in most of its runs, or in the one that is named. */
function rightInOne(mentions: Mentions, { a, b, only, run }: Filter): SpanTest {
  const places = (system: string) => (run ? runsOf(mentions, [system], run) : mentions.runs(system));
  const [ours, theirs] = only === "a" ? [places(a!), places(b!)] : [places(b!), places(a!)];
  const right = (runs: number[], span: number) =>
    2 * runs.filter((one) => mentions.outcome(one, span) === "correct").length > runs.length;
  return (span) => mentions.isGold(span) && right(ours, span) && !right(theirs, span);
}

/** Sentences with a token of a level that is labelled wrong. */
function sentencesByTokens(page: Page, mentions: Mentions, filter: Filter): Hits {
  const level = levelCodes(page, filter);
  const runs = runsOf(mentions, filter.system ? [filter.system] : filter.disagree ? compared(page, filter) : page.systems, filter.run);
  const hits: Hits = new Map();
  for (const { sentence, codes, wrong } of mentions.dataset.sentences.tokens) {
    codes[filter.facet!]?.forEach((code, k) => {
      const errors = runs.filter((run) => wrong[run][k] === "1").length;
      if (level.has(code) && errors > 0 && !(filter.disagree && errors === runs.length)) hits.set(sentence[k], []);
    });
  }
  return hits;
}
