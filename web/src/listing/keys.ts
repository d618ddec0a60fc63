// The name of a place in the address and in the browser's storage: "demo:12:3-5:LOC".
import { type Units, placesOf } from "../places";
import type { Page } from "../data";

export function keyOf(units: Units, unit: number): string {
  const { set } = units;
  const head = `${set.dataset.name}:${set.dataset.sentences.number[units.sentence[unit]]}`;
  if (units.isToken) return `${head}:token ${units.start[unit]}`;
  const end = units.start[unit] + units.length[unit];
  const type = set.dataset.types[set.pageTypes.indexOf(set.mentions.type[unit])];
  const foreign = set.mentions.foreignText(unit);
  const name = `${head}:${units.start[unit]}-${end}:${type}${units.gold[unit] ? "" : ":predicted"}${foreign === null ? "" : `:${foreign}`}`;
  const twins = twinsBefore(units, unit);
  return twins ? `${name}~${twins}` : name;
}

/** Mentions that differ in gaps alone have equal bounds. */
function twinsBefore({ set: { mentions } }: Units, unit: number): number {
  let twins = 0;
  for (let other = unit - 1; other >= mentions.first[mentions.sentence[unit]]; other--) {
    const equal = mentions.start[other] === mentions.start[unit] && mentions.length[other] === mentions.length[unit] && mentions.type[other] === mentions.type[unit];
    if (equal && mentions.gold[other] === mentions.gold[unit] && mentions.foreignText(other) === mentions.foreignText(unit)) twins += 1;
  }
  return twins;
}

/** The mention that a key names, if the page has it. */
export function mentionNamed(page: Page, key: string): { units: Units; unit: number } | null {
  for (const [at, dataset] of page.datasets.entries()) {
    if (!key.startsWith(`${dataset.name}:`)) continue;
    const set = placesOf(page).set(at);
    const sentence = set.sentenceNumbered(Number.parseInt(key.slice(dataset.name.length + 1), 10));
    const unit = sentence < 0 ? undefined : set.mentions.of(sentence).find((one) => keyOf(set.mentions, one) === key);
    if (unit !== undefined) return { units: set.mentions, unit };
  }
  return null;
}
