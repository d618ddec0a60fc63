// Notes on what was read, by severity and by file.
import { counted } from "../../format";
import type { PageNote } from "../../page-data";

interface NoteGroup {
  severity: PageNote["severity"];
  file: string | null;
  texts: string[];
}

/** Notes of one severity and file together; warnings first, then notes that belong to no file. */
export function noteGroups(notes: PageNote[]): NoteGroup[] {
  const groups = new Map<string, NoteGroup>();
  for (const { text, severity, file } of notes) {
    const key = JSON.stringify([severity, file]);
    if (!groups.has(key)) groups.set(key, { severity, file, texts: [] });
    groups.get(key)!.texts.push(text);
  }
  const order = ({ severity, file }: NoteGroup) => (severity === "warning" ? 0 : 2) + (file === null ? 0 : 1);
  return [...groups.values()].sort((one, other) => order(one) - order(other));
}

const OPEN = 8; // notes up to which all are shown at once

export function Notes({ notes }: { notes: PageNote[] }) {
  if (!notes.length) return null;
  const warnings = notes.filter(({ severity }) => severity === "warning").length;
  const counts = [warnings && counted(warnings, "warning"), notes.length > warnings && counted(notes.length - warnings, "note")];
  return (
    <section class="notes">
      <h3>Notes on the input <small>{counts.filter(Boolean).join(", ")}</small></h3>
      {noteGroups(notes).map((group) => (
        <details key={`${group.severity} ${group.file}`} open={notes.length <= OPEN || group.severity === "warning"}>
          <summary>
            <span class={`badge ${group.severity === "warning" ? "bad" : "even"}`}>{group.severity}</span>{" "}
            {group.file ?? "all data"} <small>{group.texts.length > 1 && group.texts.length}</small>
          </summary>
          <ul>{group.texts.map((text) => <li key={text}>{text}</li>)}</ul>
        </details>
      ))}
    </section>
  );
}
