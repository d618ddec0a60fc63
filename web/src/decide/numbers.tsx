// What is known of annotators, or of gold and systems; and the commands that use decisions.
import { Commands } from "../parts/commands";
import { Table } from "../table";
import type { Session } from "./session";

export function NumbersView({ session: { model: { page } } }: { session: Session }) {
  return (
    <>
      {page.summary.map((line) => <p key={line}>{line}</p>)}
      {page.notes.length > 0 && <ul class="caveats">{page.notes.map((note) => <li key={note}>{note}</li>)}</ul>}
      <div class="columns numbers">{page.tables.map((table) => (
        <Table
          key={table.title}
          caption={table.title}
          header={table.header.map((text) => ({ text }))}
          rows={table.rows.map((row) => row.map((text) => ({ text, value: numberIn(text) })))}
          note={table.notes.join("; ")}
        />
      ))}</div>
      <h3>Next</h3>
      <Commands commands={page.commands} />
    </>
  );
}

/** The number that a cell begins with, to sort by. */
function numberIn(text: string): number | null {
  const found = /^[+\-−]?[\d,]*\.?\d+/.exec(text);
  return found ? Number(found[0].replace("−", "-").replaceAll(",", "")) : null;
}
