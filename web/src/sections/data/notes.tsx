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

const OPEN = 8; // notes, or files with notes, up to which all are shown at once

export function Notes({ notes }: { notes: PageNote[] }) {
  if (!notes.length) return null;
  const warnings = notes.filter(({ severity }) => severity === "warning").length;
  const groups = noteGroups(notes);
  const plain = groups.filter(({ severity }) => severity === "note");
  const counts = [warnings && counted(warnings, "warning"), notes.length > warnings && counted(notes.length - warnings, "note")];
  return (
    <section class="notes">
      <h3>Notes on the input <small>{counts.filter(Boolean).join(", ")}</small></h3>
      {groups.filter(({ severity }) => severity === "warning").map((group) => <Group key={group.file} group={group} open />)}
      {plain.length > OPEN ? (
        <details>
          <summary>{counted(notes.length - warnings, "note")} on {counted(plain.length, "file")}</summary>
          {plain.map((group) => <Group key={group.file} group={group} open={false} />)}
        </details>
      ) : (
        plain.map((group) => <Group key={group.file} group={group} open={notes.length <= OPEN} />)
      )}
    </section>
  );
}

function Group({ group, open }: { group: NoteGroup; open: boolean }) {
  const { severity, file, texts } = group;
  return (
    <details open={open}>
      <summary>
        <span class={`badge ${severity === "warning" ? "bad" : "even"}`}>{severity}</span> {file ?? "all data"} <small>{texts.length > 1 && texts.length}</small>
      </summary>
      <ul>{texts.map((text) => <li key={text}>{text}</li>)}</ul>
    </details>
  );
}
