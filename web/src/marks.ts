// Pins, tags and notes of a reader, kept in the browser.
import type { Page } from "./data";
import { keyOf, mentionNamed } from "./listing/keys";
import { type MarkedUnits, NO_MARKS } from "./listing/marked";
import type { MarksOf } from "./listing/list";
import { BAD, GOOD, type Judgements } from "./review";
import type { DatasetPlaces, Units } from "./places";

export interface Mark {
  pinned?: boolean;
  tags?: string[];
  note?: string;
}

export type Marks = Record<string, Mark>; // by the key of the place

const STORE = "nerscope-marks";

/** Pages with the same title, date and signature share their marks. */
const storeName = ({ title, date, signature }: Page): string => `${STORE}:${title}:${date}:${signature}`;

export function keptMarks(page: Page): Marks {
  try {
    const read = JSON.parse(localStorage.getItem(storeName(page)) ?? "{}") as Marks;
    return typeof read === "object" && read !== null ? read : {};
  } catch {
    return {};
  }
}

/** Keeps marks; tells whether the browser did. */
export function keepMarks(page: Page, marks: Marks): boolean {
  try {
    localStorage.setItem(storeName(page), JSON.stringify(marks));
    return true;
  } catch {
    return false;
  }
}

/** The marks with one of them changed; empty ones vanish. */
export function withMark(marks: Marks, key: string, change: Mark): Marks {
  const mark = { ...marks[key], ...change };
  const { [key]: _, ...others } = marks;
  return mark.pinned || mark.tags?.length || mark.note ? { ...others, [key]: mark } : others;
}

/** Marks and judgements by unit, for filters and counts. */
export function marksOf(page: Page, marks: Marks, judgements: Judgements): MarksOf {
  const known = new Map<Units, MarkedUnits>();
  return (units) => {
    let found = known.get(units);
    if (!found) known.set(units, (found = markedUnits(page, units, marks, judgements)));
    return found;
  };
}

function markedUnits(page: Page, units: Units, marks: Marks, judgements: Judgements): MarkedUnits {
  const keys = Object.keys(marks);
  if (units.isToken && !keys.length) return NO_MARKS;
  const found: MarkedUnits = { pinned: new Set(), tags: new Map(), judged: units.isToken ? new Map() : judgedMentions(page, units.set, judgements) };
  const put = (unit: number, { pinned, tags }: Mark) => {
    if (pinned) found.pinned.add(unit);
    if (tags?.length) found.tags.set(unit, tags);
  };
  if (units.isToken) {
    for (let unit = 0; unit < units.size; unit++) if (marks[keyOf(units, unit)]) put(unit, marks[keyOf(units, unit)]);
    return found;
  }
  for (const key of keys) {
    const named = mentionNamed(page, key);
    if (named?.units === units) put(named.unit, marks[key]);
  }
  return found;
}

/** For each gold mention with partial credit: what was judged of its pairs. */
function judgedMentions(page: Page, set: DatasetPlaces, judgements: Judgements): Map<number, string[]> {
  const found = new Map<number, string[]>();
  for (const pair of page.pairs) {
    if (pair.dataset !== set.dataset.name) continue;
    const unit = goldUnit(set, pair.sentence, pair.gold);
    if (unit === undefined) continue;
    const given = judgements[pair.key];
    const value = given === GOOD || given === BAD ? given : "no";
    const others = found.get(unit) ?? [];
    if (!others.includes(value)) found.set(unit, [...others, value]);
  }
  return found;
}

function goldUnit(set: DatasetPlaces, number: number, gold: { start: number; end: number; type: string }): number | undefined {
  const sentence = set.sentenceNumbered(number);
  if (sentence < 0) return undefined;
  const { mentions } = set;
  const type = set.pageTypes[set.dataset.types.indexOf(gold.type)];
  return mentions.of(sentence).find(
    (unit) => mentions.gold[unit] && mentions.start[unit] === gold.start && mentions.start[unit] + mentions.length[unit] === gold.end && mentions.type[unit] === type,
  );
}

