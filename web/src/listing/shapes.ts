// What the words of a mention look like, without lists of words.
import type { Units } from "../places";

export interface Shape {
  name: string;
  title: string;
  holds: (text: string, units: Units, unit: number) => boolean;
}

const SIGN = /^[^\p{L}\p{N}]$/u;

/** Shapes overlap: a mention can have several. */
export const SHAPES: Shape[] = [
  { name: "hyphen", title: "with a hyphen", holds: (text) => /\p{L}[-‐‑–]\p{L}/u.test(text) },
  { name: "digits", title: "with digits", holds: (text) => /\p{N}/u.test(text) },
  { name: "upper", title: "all upper case", holds: (text) => /\p{Lu}.*\p{Lu}/su.test(text) && text === text.toLocaleUpperCase() },
  { name: "lower", title: "begins in lower case", holds: (text) => /^\p{Ll}/u.test(text) },
  { name: "mixed", title: "upper case inside a word", holds: (text) => /\p{Ll}\p{Lu}/u.test(text) },
  { name: "symbols", title: "with other signs", holds: (text) => /[^\p{L}\p{M}\p{N}\s\-‐‑–]/u.test(text) },
  { name: "first", title: "first in the sentence", holds: (_, units, unit) => units.length[unit] > 0 && units.start[unit] === 0 },
  { name: "last", title: "last in the sentence", holds: isLast },
  ...["1", "2", "3", "4+"].map((length) => ({ name: `length-${length}`, title: lengthTitle(length), holds: lengthIs(length) })),
];

function isLast(_: string, units: Units, unit: number): boolean {
  const tokens = units.set.words.tokens(units.sentence[unit]);
  if (!tokens || !units.length[unit]) return false;
  // A full stop at the end is no word.
  const end = tokens.length - (SIGN.test(tokens.at(-1)!) ? 1 : 0);
  return units.start[unit] + units.length[unit] >= end;
}

function lengthTitle(length: string): string {
  return length === "1" ? "1 word" : length === "4+" ? "4 words or more" : `${length} words`;
}

function lengthIs(length: string): Shape["holds"] {
  return (_, units, unit) => {
    const n = units.set.lengthOf(units, unit);
    return length === "4+" ? n >= 4 : n === Number(length);
  };
}

/** The text of a mention; without texts, nothing. */
const textOf = (units: Units, unit: number): string => (units.set.words.known || !units.length[unit] ? units.set.surface(units, unit) : "");

export function shapesOf(units: Units, unit: number): Shape[] {
  const text = textOf(units, unit);
  return SHAPES.filter((shape) => shape.holds(text, units, unit));
}

/** Units that have one of some shapes. */
export function shapeTest(units: Units, names: string[]): (unit: number) => boolean {
  const wanted = SHAPES.filter(({ name }) => names.includes(name));
  return (unit) => wanted.some(({ holds }) => holds(textOf(units, unit), units, unit));
}
