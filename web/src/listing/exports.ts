// The current list for other programs.
import type { Page } from "../data";
import type { Marks } from "../marks";
import { type DatasetPlaces, NONE, placesOf } from "../places";
import { asCsv, asMarkdown } from "../tables";
import { chipsOf, runsText } from "./chips";
import { keyOf } from "./keys";
import type { Entry } from "./list";

/** Where a sentence is: file and line, the name of its record, or its number. */
export function placeText({ dataset }: DatasetPlaces, sentence: number): string {
  const { line, place, number } = dataset.sentences;
  const named = place?.[sentence];
  if (named) return `${dataset.file}: ${named}`;
  return line ? `${dataset.file}:${line[sentence]}` : `${dataset.name}, sentence ${number[sentence]}`;
}

/** A short form of it, for a column. */
export function shortPlace({ dataset }: DatasetPlaces, sentence: number): string {
  const { line, place, number } = dataset.sentences;
  return place?.[sentence] || (line ? `line ${line[sentence]}` : `sent. ${number[sentence]}`);
}

export interface ExportedRow {
  place: string;
  mention: string;
  gold: string;
  systems: Record<string, string>;
  tags: string[];
  note: string;
  text: string;
}

export function exportedRows(page: Page, entries: Entry[], systems: string[], marks: Marks): ExportedRow[] {
  return entries.map(({ units, unit }) => {
    const { set } = units;
    const mark = marks[keyOf(units, unit)] ?? {};
    const type = units.goldType(0, unit);
    return {
      place: placeText(set, units.sentence[unit]),
      mention: set.surface(units, unit),
      gold: type === NONE ? "" : placesOf(page).types[type],
      systems: Object.fromEntries(systems.map((system) => [system, answerText(page, { units, unit }, system)])),
      tags: mark.tags ?? [],
      note: mark.note ?? "",
      text: set.words.text(units.sentence[unit]),
    };
  });
}

/** What the runs of a system make of a place: "correct", "wrong type: ORG “China” 3/5; missed 2/5". */
function answerText(page: Page, { units, unit }: Pick<Entry, "units" | "unit">, system: string): string {
  const chips = chipsOf(page, units, unit, units.set.runs(system));
  return chips.map((chip) => [chip.title, runsText(chip)].filter(Boolean).join(" ")).join("; ");
}

const table = (rows: ExportedRow[], systems: string[]) => ({
  caption: "",
  header: ["place", "mention", "gold", ...systems, "tags", "note", "text"],
  rows: rows.map((row) => [row.place, row.mention, row.gold, ...systems.map((name) => row.systems[name]), row.tags.join(" "), row.note, row.text]),
});

export interface ExportFormat {
  name: string;
  ending: string;
  kind: string;
  write: (rows: ExportedRow[], systems: string[]) => string;
}

export const EXPORTS: ExportFormat[] = [
  { name: "CSV", ending: "csv", kind: "text/csv", write: (rows, systems) => asCsv(table(rows, systems)) },
  { name: "JSON Lines", ending: "jsonl", kind: "application/jsonl", write: (rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join("") },
  { name: "Markdown", ending: "md", kind: "text/markdown", write: (rows, systems) => asMarkdown(table(rows, systems)) },
];
