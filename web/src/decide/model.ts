// Places to decide on, the choices that people make, and the mentions that follow from them.
import type { DecideItem, DecidePage, DecideSentence, DecideSpan } from "../decide-data";
import { Words } from "../words";

export const SKIP = "skip";
export const EDIT = "edit";
export const WHOLE = "all"; // the name of a sentence that is judged as a whole
const BROKEN = "broken";

/** What was chosen at a place: mentions of gold that go, and mentions that come. */
export interface Choice {
  how: string; // the number of an option, "edit" or "skip"
  removed: DecideSpan[];
  added: DecideSpan[];
  by: string;
}

export type Choices = Record<string, Choice>; // by the key of the place

/** A place to decide on; `at` is its index on the page, or -1 for a sentence that is judged as a whole. */
export interface Place extends DecideItem {
  at: number;
  id: string; // among the places of its sentence
  key: string;
}

export interface Model {
  page: DecidePage;
  words: Words;
  places: Place[];
  sample: Place[];
  ofSentence: Place[][]; // places by sentence that can be decided on, of the sample too
}

export function modelOf(page: DecidePage): Model {
  const places = page.items.map((item, at): Place => {
    const id = `${item.start}-${item.end}${item.kind === BROKEN ? ":broken" : ""}`;
    return { ...item, at, id, key: keyOf(page.sentences[item.sentence], id) };
  });
  const sample = page.sample.map((sentence) => wholeSentence(page, sentence));
  const ofSentence = page.sentences.map((): Place[] => []);
  for (const place of [...places, ...sample]) if (place.options.length) ofSentence[place.sentence].push(place);
  const words = new Words({ text: page.sentences.map((one) => one.tokens), glued: gluesOf(page), number: page.sentences.map((one) => one.sentence) });
  return { page, words, places, sample, ofSentence };
}

function gluesOf(page: DecidePage): number[][] | null {
  return page.sentences.some((one) => one.glued) ? page.sentences.map((one) => one.glued ?? []) : null;
}

function wholeSentence(page: DecidePage, sentence: number): Place {
  const { gold, tokens } = page.sentences[sentence];
  const place = { sentence, start: 0, end: tokens.length, kind: "", current: gold, options: [{ names: ["gold"], spans: gold }], score: null, reasons: [], group: null };
  return { ...place, at: -1, id: WHOLE, key: keyOf(page.sentences[sentence], WHOLE) };
}

const keyOf = (sentence: DecideSentence, id: string): string => JSON.stringify([sentence.file, sentence.sentence, id]);

export const isDecided = (choice: Choice | undefined): choice is Choice => choice !== undefined && choice.how !== SKIP;

/** Whether a place can be decided on; places that are cut wrongly are only listed. */
export const isOpen = (place: Place): boolean => place.options.length > 0;

export const spanKey = ({ start, end, type }: DecideSpan): string => `${start}-${end}-${type}`;

export const sameSpans = (one: DecideSpan[], other: DecideSpan[]): boolean =>
  one.length === other.length && new Set([...one, ...other].map(spanKey)).size === one.length;

/** The mentions of one list that the other does not have. */
export function without(spans: DecideSpan[], others: DecideSpan[]): DecideSpan[] {
  const known = new Set(others.map(spanKey));
  return spans.filter((span) => !known.has(spanKey(span)));
}

const inOrder = (spans: DecideSpan[]): DecideSpan[] =>
  [...new Map(spans.map((span) => [spanKey(span), span])).values()].sort((a, b) => a.start - b.start || a.end - b.end || (a.type < b.type ? -1 : 1));

/** The choice of an option of a place. */
export function optionChoice(place: Place, option: number, by: string): Choice {
  const { spans } = place.options[option];
  return { how: String(option), removed: without(place.current, spans), added: without(spans, place.current), by };
}

/** The choice that turns the mentions of a sentence into those of an editor. */
export function editChoice(model: Model, choices: Choices, place: Place, wanted: DecideSpan[], by: string): Choice {
  const others = mentionsOf(model, choices, place.sentence, place);
  return namedChoice(place, { how: EDIT, removed: without(others, wanted), added: without(wanted, others), by });
}

/** A choice whose mentions are those of an option is the choice of that option. */
export function namedChoice(place: Place, choice: Choice): Choice {
  const at = place.options.findIndex((_, k) => {
    const { removed, added } = optionChoice(place, k, choice.by);
    return sameSpans(removed, choice.removed) && sameSpans(added, choice.added);
  });
  return at < 0 ? choice : { ...choice, how: String(at) };
}

export const skipChoice = (by: string): Choice => ({ how: SKIP, removed: [], added: [], by });

/** The mentions of a sentence after all decisions, or all but that on one place. */
export function mentionsOf(model: Model, choices: Choices, sentence: number, except?: Place): DecideSpan[] {
  const decided = model.ofSentence[sentence].filter((place) => place.key !== except?.key).map((place) => choices[place.key]).filter(isDecided);
  const { gold } = model.page.sentences[sentence];
  return inOrder([...without(gold, decided.flatMap((one) => one.removed)), ...decided.flatMap((one) => one.added)]);
}

/** The mentions in which an editor starts: those chosen, or the likeliest ones. */
export function draftOf(model: Model, choices: Choices, place: Place): DecideSpan[] {
  if (isDecided(choices[place.key])) return mentionsOf(model, choices, place.sentence);
  const likely = optionChoice(place, place.score === null ? 0 : place.options.length - 1, "");
  return inOrder([...without(mentionsOf(model, choices, place.sentence, place), likely.removed), ...likely.added]);
}

/** Mentions with one more; where mentions may not overlap, it replaces those that it touches. */
export function withSpan(spans: DecideSpan[], added: DecideSpan, nested: boolean): DecideSpan[] {
  const stays = (span: DecideSpan) => (nested ? span.start !== added.start || span.end !== added.end : span.end <= added.start || added.end <= span.start);
  return inOrder([...spans.filter(stays), added]);
}

/** A mention in words: "PER Ada Lovelace". */
export function spelt(model: Model, sentence: number, spans: DecideSpan[]): string {
  return spans.map(({ start, end, type }) => `${type} ${model.words.text(sentence, start, end)}`).join(", ") || "no mention";
}
