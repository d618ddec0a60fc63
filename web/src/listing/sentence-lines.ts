// A sentence as lines of spans: gold, and below it the systems, of which equal ones share a line.
import type { Page } from "../data";
import { type DatasetPlaces, type MentionUnits, placesOf } from "../places";

export interface DrawnSpan {
  unit: number;
  start: number;
  end: number;
  type: string;
  kind: "gold" | "right" | "wrong";
  runs: string; // "3/5" of a system with several runs
  isHit: boolean;
}

export interface SpanLine {
  names: string[]; // of the systems that say this
  spans: DrawnSpan[];
}

/** A mention whose text is not in the sentence. */
export interface ForeignSpan {
  names: string[];
  type: string;
  text: string;
  isHit: boolean;
}

export interface SentenceLines {
  gold: DrawnSpan[];
  right: string[]; // systems that are equal to gold
  silent: string[]; // systems without a mention here, where gold has some
  lines: SpanLine[];
  foreign: ForeignSpan[];
}

export interface SystemRuns {
  name: string;
  runs: number[];
}

export function sentenceLines(page: Page, set: DatasetPlaces, sentence: number, systems: SystemRuns[], hits: Set<number>): SentenceLines {
  const { mentions } = set;
  const here = mentions.of(sentence);
  const placed = here.filter((unit) => mentions.length[unit] > 0);
  const golds = placed.filter((unit) => mentions.gold[unit]);
  const marked = new Set([...hits, ...systems.flatMap(({ runs }) => matesOf(mentions, hits, runs))]);
  const found: SentenceLines = { gold: [], right: [], silent: [], lines: [], foreign: foreignSpans(page, set, here, systems, hits) };
  found.gold = golds.map((unit) => drawn(page, mentions, unit, "gold", "", hits));
  const bySpans = new Map<string, SpanLine>();
  for (const { name, runs } of systems.filter((one) => one.runs.length)) {
    const own = placed.filter((unit) => timesOf(mentions, unit, runs) > 0);
    const ratios = own.map((unit) => `${timesOf(mentions, unit, runs)}/${runs.length}`);
    const everyRun = ratios.every((text) => text === `${runs.length}/${runs.length}`);
    if (everyRun && sameMembers(own, golds)) found.right.push(name);
    else if (!own.length) found.silent.push(name);
    else {
      const key = JSON.stringify([own, everyRun ? null : ratios]);
      const known = bySpans.get(key);
      if (known) known.names.push(name);
      else bySpans.set(key, { names: [name], spans: own.map((unit, k) => drawn(page, mentions, unit, mentions.gold[unit] ? "right" : "wrong", everyRun ? "" : ratios[k], marked)) });
    }
  }
  return { ...found, lines: [...bySpans.values()] };
}

const sameMembers = (one: number[], other: number[]): boolean => one.length === other.length && one.every((unit, k) => unit === other[k]);

const timesOf = (mentions: MentionUnits, unit: number, runs: number[]): number => runs.reduce((sum, run) => sum + mentions.predicted[run][unit], 0);

function matesOf(mentions: MentionUnits, hits: Set<number>, runs: number[]): number[] {
  return [...hits].flatMap((unit) => runs.map((run) => mentions.mates[run][unit]).filter((mate) => mate >= 0));
}

function drawn(page: Page, mentions: MentionUnits, unit: number, kind: DrawnSpan["kind"], runs: string, hits: Set<number>): DrawnSpan {
  const start = mentions.start[unit];
  return { unit, start, end: start + mentions.length[unit], type: placesOf(page).types[mentions.type[unit]], kind, runs, isHit: hits.has(unit) };
}

function foreignSpans(page: Page, { mentions }: DatasetPlaces, here: number[], systems: SystemRuns[], hits: Set<number>): ForeignSpan[] {
  return here.filter((unit) => mentions.length[unit] === 0).flatMap((unit) => {
    const names = systems.flatMap(({ name, runs }) => {
      const times = timesOf(mentions, unit, runs);
      return times ? [runs.length > 1 ? `${name} ${times}/${runs.length}` : name] : [];
    });
    return names.length ? [{ names, type: placesOf(page).types[mentions.type[unit]], text: mentions.foreignText(unit) ?? "", isHit: hits.has(unit) }] : [];
  });
}
