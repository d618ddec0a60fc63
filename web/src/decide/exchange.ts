// Decisions as files: what `--apply` reads, and what this page reads again.
import type { DecideSpan } from "../decide-data";
import { type Choice, type Choices, EDIT, type Model, type Place, isDecided, mentionsOf, namedChoice, sameSpans, without } from "./model";

const FORMAT = 1;
const AGAIN = "Choose one that this page exported.";

/** A decision on a sentence, as in docs/decisions.md. `places` names those decided on, if some are not. */
interface Item {
  file: string;
  sentence: number;
  text: string;
  gold: DecideSpan[];
  chosen: DecideSpan[];
  by: string | null;
  places?: string[];
}

export interface Exported {
  text: string;
  decided: number; // sentences
  unfinished: number; // sentences that only this page reads
}

/** The file of decisions. Of annotators, sentences with an undecided place are kept apart: gold without it is not known. */
export function exported(model: Model, choices: Choices): Exported {
  const all = itemsOf(model, choices, () => true);
  const isWhole = ({ places }: Item) => model.page.kind === "audit" || !places;
  const [items, unfinished] = [all.filter(isWhole), all.filter((item) => !isWhole(item))];
  return { text: written(items, unfinished), decided: items.length, unfinished: unfinished.length };
}

/** The judged sentences of the sample alone, for `--judged`. */
export function exportedSample(model: Model, choices: Choices): Exported {
  const judged = new Set(model.sample.filter((place) => isDecided(choices[place.key])).map((place) => place.sentence));
  const items = itemsOf(model, choices, (sentence) => judged.has(sentence));
  return { text: written(items, []), decided: items.length, unfinished: 0 };
}

function itemsOf(model: Model, choices: Choices, isWanted: (sentence: number) => boolean): Item[] {
  return model.page.sentences.flatMap((sentence, at) => {
    const decided = model.ofSentence[at].filter((place) => isDecided(choices[place.key]));
    if (!decided.length || !isWanted(at)) return [];
    const names = new Set(decided.map((place) => choices[place.key].by).filter(Boolean));
    const item: Item = {
      file: sentence.file,
      sentence: sentence.sentence,
      text: sentence.tokens.join(" "),
      gold: sentence.gold,
      chosen: mentionsOf(model, choices, at),
      by: [...names].join(", ") || null,
    };
    return [decided.length < model.ofSentence[at].length ? { ...item, places: decided.map(({ id }) => id) } : item];
  });
}

function written(items: Item[], unfinished: Item[]): string {
  const lines = (list: Item[]) => `[\n${list.map((item) => JSON.stringify(item)).join(",\n")}\n]`;
  const rest = unfinished.length ? `, "unfinished": ${lines(unfinished)}` : "";
  return `{"nerscope_decisions": ${FORMAT}, "items": ${lines(items)}${rest}}\n`;
}

export interface Imported {
  choices: Choices;
  strangers: number; // decisions on sentences that are not on this page, or have changed
}

/** Choices from a file of decisions; refuses, in words, what is none. */
export function imported(model: Model, text: string): Imported {
  const items = itemsIn(text);
  const { sentences } = model.page;
  const index = new Map(sentences.map((one, at) => [JSON.stringify([one.file, one.sentence]), at]));
  // A file may have been named from another folder.
  const isOne = sentences.every(({ file }) => file === sentences[0].file);
  const indexOf = ({ file, sentence }: Item) => index.get(JSON.stringify([file, sentence])) ?? (isOne ? index.get(JSON.stringify([sentences[0]?.file, sentence])) : undefined);
  const choices: Choices = {};
  let strangers = 0;
  for (const item of items) {
    const at = indexOf(item);
    if (at !== undefined && isCurrent(model, at, item)) Object.assign(choices, choicesOf(model.ofSentence[at], item));
    else strangers += 1;
  }
  return { choices, strangers };
}

function itemsIn(text: string): Item[] {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    throw new Error(`This file is not JSON. ${AGAIN}`);
  }
  const { nerscope_decisions: format, items, unfinished = [] } = (read ?? {}) as Record<string, unknown>;
  if (format !== FORMAT || !Array.isArray(items) || !Array.isArray(unfinished)) throw new Error(`This file holds no decisions. ${AGAIN}`);
  const all = [...items, ...unfinished] as Item[];
  if (!all.every(isItem)) throw new Error(`A decision in this file is not complete. ${AGAIN}`);
  return all;
}

function isItem(item: Item | null): boolean {
  return typeof item?.text === "string" && areSpans(item.gold) && areSpans(item.chosen) && (item.places === undefined || Array.isArray(item.places));
}

function areSpans(spans: unknown): boolean {
  return Array.isArray(spans) && spans.every((span: DecideSpan | null) => Number.isInteger(span?.start) && Number.isInteger(span?.end) && typeof span?.type === "string");
}

const letters = (text: string): string => text.replace(/\s+/gu, "");

function isCurrent(model: Model, at: number, item: Item): boolean {
  const { tokens, gold } = model.page.sentences[at];
  const fits = item.chosen.every(({ start, end }) => 0 <= start && start < end && end <= tokens.length);
  return fits && letters(tokens.join("")) === letters(item.text) && sameSpans(gold, item.gold);
}

/** The choices at the places of a sentence; a change outside all of them belongs to the first. */
function choicesOf(places: Place[], { gold, chosen, by, places: named }: Item): Choices {
  const own = places.filter(({ id }) => !named || named.includes(id));
  const changes = { removed: without(gold, chosen), added: without(chosen, gold) };
  const owner = (span: DecideSpan) => own.find(({ start, end }) => span.start < end && start < span.end) ?? own[0];
  return Object.fromEntries(
    own.map((place) => {
      const mine = (spans: DecideSpan[]) => spans.filter((span) => owner(span) === place).map(({ start, end, type }) => ({ start, end, type }));
      const choice: Choice = { how: EDIT, removed: mine(changes.removed), added: mine(changes.added), by: by ?? "" };
      return [place.key, namedChoice(place, choice)];
    }),
  );
}
