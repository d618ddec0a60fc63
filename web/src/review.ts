// Judgements of partial matches: kept in the browser, exported and imported as JSON.
import type { Page, Pair } from "./data";

export type Judgements = Record<string, string>; // by pair

export const GOOD = "good";
export const BAD = "bad";

/** What tells a pair from all others: where it stands, and its types. */
export function pairKey(pair: Omit<Pair, "key">): string {
  const side = (one: Pair["gold"]) => [one.start, one.end, one.type];
  return JSON.stringify([pair.dataset, pair.sentence, ...side(pair.gold), ...side(pair.predicted)]);
}

/** The file that `nerscope judged` reads. */
export function exported(pairs: Pair[], judgements: Judgements): string {
  const judged = pairs.map(({ key, ...pair }) => ({ ...pair, judgement: judgements[key] ?? "" }));
  return `${JSON.stringify({ nerscope_judgements: 1, pairs: judged }, null, 1)}\n`;
}

export interface Imported {
  judgements: Judgements;
  strangers: number; // judgements of pairs that this page does not have
}

/** Judgements from such a file; refuses, in words, what is none. */
export function imported(text: string, pairs: Pair[]): Imported {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    throw new Error("This file is no JSON. Choose one that this page exported.");
  }
  const given = (read as { nerscope_judgements?: unknown; pairs?: unknown } | null) ?? {};
  if (given.nerscope_judgements !== 1 || !Array.isArray(given.pairs))
    throw new Error("This file holds no judgements. Choose one that this page exported.");
  const known = new Set(pairs.map((pair) => pair.key));
  const judgements: Judgements = {};
  let strangers = 0;
  for (const pair of given.pairs as Pair[]) {
    if (!isPair(pair)) throw new Error("A pair in this file is not whole. Choose one that this page exported.");
    if (pair.judgement !== GOOD && pair.judgement !== BAD) continue;
    const key = pairKey(pair);
    if (known.has(key)) judgements[key] = pair.judgement;
    else strangers += 1;
  }
  return { judgements, strangers };
}

function isPair(pair: Pair | null): pair is Pair {
  return typeof pair?.gold === "object" && typeof pair.predicted === "object" && !!pair.gold && !!pair.predicted;
}

export interface Share {
  system: string;
  match: string;
  pairs: number;
  judged: number;
  good: number;
}

/** How many pairs of each system and match were judged, and how many of them good. */
export function shares(pairs: Pair[], judgements: Judgements): Share[] {
  const found = new Map<string, Share>();
  for (const pair of pairs) {
    const judgement = judgements[pair.key]; // empty once it was taken back
    for (const [system, credits] of Object.entries(pair.systems))
      for (const match of Object.keys(credits)) {
        const key = JSON.stringify([system, match]);
        const share = found.get(key) ?? { system, match, pairs: 0, judged: 0, good: 0 };
        share.pairs += 1;
        share.judged += judgement ? 1 : 0;
        share.good += judgement === GOOD ? 1 : 0;
        found.set(key, share);
      }
  }
  return [...found.values()].sort((one, other) => one.system.localeCompare(other.system) || one.match.localeCompare(other.match));
}

const STORE = "nerscope-judgements";
const stores = new WeakMap<Page, string>();

/** The place of a page's judgements in the browser: pages that come with the same pairs and judgements share it. */
export function storeKey(page: Page): string {
  const known = stores.get(page);
  if (known) return known;
  let hash = 0;
  for (const { key, judgement } of page.pairs) for (const character of key + judgement) hash = (31 * hash + character.codePointAt(0)!) | 0;
  const found = `${STORE}:${page.pairs.length}:${hash >>> 0}`;
  stores.set(page, found);
  return found;
}

/** Judgements that came with the page, and those kept in the browser, where it keeps anything. */
export function kept(page: Page): Judgements {
  const given = page.pairs.filter((pair) => pair.judgement).map((pair) => [pair.key, pair.judgement]);
  try {
    return { ...Object.fromEntries(given), ...(JSON.parse(localStorage.getItem(storeKey(page)) ?? "{}") as Judgements) };
  } catch {
    return Object.fromEntries(given);
  }
}

/** Keep judgements; tells whether the browser did. */
export function keep(page: Page, judgements: Judgements): boolean {
  try {
    localStorage.setItem(storeKey(page), JSON.stringify(judgements));
    return true;
  } catch {
    return false;
  }
}
