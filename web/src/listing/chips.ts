// What a system makes of a place, in a word or two.
import type { Page } from "../data";
import { ABSENT, CORRECT, type MentionUnits, NONE, type Units, placesOf } from "../places";

export type ChipKind = "right" | "missed" | "wrong" | "extra" | "nothing";

export interface Chip {
  kind: ChipKind;
  text: string; // a type, "+Bank of …", "missed"
  title: string; // the same in full
  times: number; // runs that do so
  runs: number;
}

/** What each run of a system makes of a place, the most frequent answer first. */
export function chipsOf(page: Page, units: Units, unit: number, runs: number[]): Chip[] {
  const found = new Map<string, Chip & { outcome: number }>();
  for (const run of runs) {
    const outcome = units.outcomes[run][unit];
    const chip = units.isToken ? tokenChip(page, units, unit, run) : mentionChip(page, units.set.mentions, unit, run);
    const key = chip.kind + chip.title;
    const known = found.get(key);
    if (known) known.times += 1;
    else found.set(key, { ...chip, outcome, times: 1, runs: runs.length });
  }
  return [...found.values()].sort((one, other) => other.times - one.times || one.outcome - other.outcome);
}

type Answer = Pick<Chip, "kind" | "text" | "title">;

function mentionChip(page: Page, mentions: MentionUnits, unit: number, run: number): Answer {
  const outcome = mentions.outcomes[run][unit];
  const kind = page.outcomes[outcome];
  const { types } = placesOf(page);
  if (!mentions.gold[unit]) {
    if (outcome === ABSENT) return { kind: "nothing", text: "–", title: mentions.predicted[run][unit] ? "paired with a gold mention" : "no mention here" };
    return { kind: "extra", text: types[mentions.type[unit]], title: `${kind}: ${types[mentions.type[unit]]}` };
  }
  if (outcome === CORRECT) return { kind: "right", text: "✓", title: "correct" };
  const mate = mentions.mates[run][unit];
  if (mate < 0) return { kind: "missed", text: kind === "missed" ? "missed" : kind, title: kind };
  const bounds = boundaryText(mentions, unit, mate);
  const type = mentions.type[mate] === mentions.type[unit] ? "" : types[mentions.type[mate]];
  const text = [type, bounds].filter(Boolean).join(" ");
  return { kind: "wrong", text, title: `${kind}: ${types[mentions.type[mate]]} “${mentions.set.surface(mentions, mate)}”` };
}

function tokenChip(page: Page, units: Units, unit: number, run: number): Answer {
  if (units.outcomes[run][unit] === CORRECT) return { kind: "right", text: "✓", title: "correct" };
  const [gold, predicted] = [units.goldType(run, unit), units.predictedType(run, unit)];
  const name = (type: number) => (type === NONE ? "O" : placesOf(page).types[type]);
  if (units.start[unit] < 0) return { kind: "wrong", text: "wrong", title: "wrong label" };
  const text = gold === predicted ? "B/I" : name(predicted);
  return { kind: "wrong", text, title: gold === predicted ? `${name(predicted)} with another boundary` : `wrong label: ${name(predicted)}` };
}

/** What a prediction has more or less than a gold mention: "+Bank of …", "… −York". */
export function boundaryText(mentions: MentionUnits, gold: number, predicted: number): string {
  const sentence = mentions.sentence[gold];
  const [start, end] = [mentions.start[gold], mentions.start[gold] + mentions.length[gold]];
  const [low, high] = [mentions.start[predicted], mentions.start[predicted] + mentions.length[predicted]];
  const words = (sign: string, from: number, to: number) => {
    if (from >= to) return "";
    return sign + (mentions.set.words.known ? mentions.set.words.text(sentence, from, to) : String(to - from));
  };
  const left = words("+", low, start) || words("−", start, Math.min(low, end));
  const right = words("+", end, high) || words("−", Math.max(high, start), end);
  if (!left && !right) return start === low && end === high ? "" : "…";
  return [left, right ? `… ${right}` : "…"].filter(Boolean).join(" ");
}

/** "3/5" if a system has several runs. */
export const runsText = ({ times, runs }: Chip): string => (runs > 1 ? `${times}/${runs}` : "");

/** All answers of a system in words, for tips and those who hear the page. */
export function chipTitle(system: string, chips: Chip[]): string {
  const answers = chips.map((chip) => (chip.runs > 1 ? `${chip.title} (${chip.times} of ${chip.runs} runs)` : chip.title));
  return `${system}: ${answers.join("; ")}`;
}
