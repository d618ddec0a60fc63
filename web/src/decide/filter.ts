// Which places the reader wants to see, from the address.
import { type Choices, type Model, type Place, SKIP, isDecided } from "./model";

export const SHOWN = ["all", "undecided", "decided", "skipped"] as const;

export interface Wanted {
  show: string;
  kind: string;
  type: string;
  pair: [string, string] | null; // annotators who differ
}

export function wantedOf(chosen: URLSearchParams): Wanted {
  const known = (name: string) => chosen.get(name) ?? "";
  return { show: known("show") || "all", kind: known("kind"), type: known("type"), pair: pairOf(chosen.get("pair")) };
}

function pairOf(text: string | null): [string, string] | null {
  try {
    const read: unknown = JSON.parse(text ?? "null");
    return Array.isArray(read) && read.length === 2 ? [String(read[0]), String(read[1])] : null;
  } catch {
    return null;
  }
}

/** The places that fit; the current one stays in the list after it was decided on. */
export function filtered({ places }: Model, choices: Choices, wanted: Wanted, current: string | null): Place[] {
  return places.filter((place) => fits(place, wanted) && (place.key === current || isShown(choices[place.key]?.how, wanted.show)));
}

function isShown(how: string | undefined, show: string): boolean {
  if (show === "undecided") return how === undefined;
  if (show === "skipped") return how === SKIP;
  return show !== "decided" || (how !== undefined && how !== SKIP);
}

function fits(place: Place, { kind, type, pair }: Wanted): boolean {
  if (kind && place.kind !== kind) return false;
  if (type && !place.options.some(({ spans }) => spans.some((span) => span.type === type))) return false;
  return !pair || differ(place, pair);
}

/** Whether two annotators have both annotated a place, each in another way. */
function differ({ options }: Place, [one, other]: [string, string]): boolean {
  const of = (name: string) => options.findIndex(({ names }) => names.includes(name));
  return of(one) >= 0 && of(other) >= 0 && of(one) !== of(other);
}

export const kindsOf = ({ places }: Model): string[] => [...new Set(places.map(({ kind }) => kind))];

/** The next place in a list that is still to be decided on; at its end, from the beginning; or null. */
export function nextOpen(list: Place[], choices: Choices, at: number): Place | null {
  const ahead = [...list.slice(at + 1), ...list.slice(0, at)];
  return ahead.find((place) => choices[place.key] === undefined) ?? null;
}

export interface Progress {
  all: number;
  decided: number;
  skipped: number;
}

export function progressOf(places: Place[], choices: Choices): Progress {
  const made = places.map((place) => choices[place.key]);
  return { all: places.length, decided: made.filter(isDecided).length, skipped: made.filter((one) => one?.how === SKIP).length };
}
