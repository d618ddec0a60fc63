// Levels of facets in plain words, for sentences; a facet that is not here is called by its name.
import type { Facet } from "./data";

type Ends = [string, string]; // at the lower and at the upper end of an attribute

// Where a bucket holds one value alone: 0 or 1.
const EXACTLY: Record<string, Ends> = {
  eFre: ["names that training does not have", ""],
  tFre: ["words that training does not have", ""],
  eCon: ["names that training never labels so", "names that training always labels so"],
  eCon_mentions: ["names that training never labels so", "names that training always labels so"],
  tCon: ["words that training never labels so", "words that training always labels so"],
};

const ATTRIBUTES: Record<string, Ends> = {
  eLen: ["short names", "long names"],
  sLen: ["short sentences", "long sentences"],
  eDen: ["sentences with few names", "sentences full of names"],
  eDen_entities: ["sentences with few names", "sentences full of names"],
  oDen: ["sentences of known words", "sentences of unknown words"],
  eFre: ["names rare in training", "names frequent in training"],
  eCon: ["names that training seldom labels so", "names that training mostly labels so"],
  eCon_mentions: ["names that training seldom labels so", "names that training mostly labels so"],
  tFre: ["words rare in training", "words frequent in training"],
  tCon: ["words that training seldom labels so", "words that training mostly labels so"],
};

const LEVELS: Record<string, string> = {
  "tmr seen": "names seen in training",
  "tmr unseen-any": "unseen names",
  "tmr unseen-tokens": "names never seen",
  "tmr unseen-type": "names never seen with this type",
  "tmr tcm-all": "type-confusable names",
  "tmr tcm-seen": "type-confusable seen names",
  "tmr tcm-unseen": "type-confusable unseen names",
  "hard unseen": "unseen words",
  "hard unseen-I": "unseen words in names",
  "hard unseen-O": "unseen words outside names",
  "hard diff": "words labelled otherwise in training",
  "hard diff-I": "words in names that training mostly has outside",
  "hard diff-O": "words outside names that training mostly has inside",
  "hard diff-E": "words whose type differs from training",
  "hard other": "other words",
  "hard-strict unseen": "unseen words",
  "hard-strict unseen-I": "unseen words in names",
  "hard-strict unseen-O": "unseen words outside names",
  "hard-strict diff": "words that training never labels so",
  "hard-strict diff-I": "words in names that training has only outside",
  "hard-strict diff-O": "words outside names that training has only inside",
  "hard-strict diff-E": "words whose type training never gives them",
  "hard-strict other": "other words",
};

export function inWords(facet: string, level: string, range?: string): string {
  if (facet === "type") return level;
  const end = level === "XS" ? 0 : level === "XL" ? 1 : null;
  const exactly = end !== null && range === String(end) ? EXACTLY[facet]?.[end] : "";
  const attribute = end === null ? undefined : ATTRIBUTES[facet]?.[end];
  return exactly || attribute || LEVELS[`${facet} ${level}`] || `${facet} ${range ?? level}`;
}

/** What an axis calls a level: its name, and the range of a bucket. */
export function levelTitle(facet: Facet, level: string, ranges?: Record<string, string>): string {
  const range = ranges?.[level];
  return facet.bucketed && range ? `${level} ${range}` : level;
}
