// Tables that can be sorted, and copied as Markdown, LaTeX or CSV.
import { useState } from "preact/hooks";
import { useCopied } from "./parts/copied";
import type { Page, Row } from "./data";
import { about, interval, shown } from "./format";
import { signedTip } from "./signed";
import { type Cells, asCsv, asLatex, asMarkdown } from "./tables";

export interface Cell {
  text: string;
  small?: string; // beside the text, such as an interval
  tip?: string;
  href?: string;
  count?: string; // of the list that the link opens
  best?: boolean;
  value?: number | null; // to sort by
}

export interface TableProps {
  caption: string;
  header: { text: string; tip?: string; words?: boolean }[]; // words stand left
  rows: Cell[][];
  note?: string;
  most?: number; // rows that are shown at first
  stacked?: boolean; // what is small stands below
}

const FORMATS = { Markdown: asMarkdown, LaTeX: asLatex, CSV: asCsv };

export function Table({ caption, header, rows, note, most = 40, stacked = false }: TableProps) {
  const [order, setOrder] = useState<{ column: number; down: boolean } | null>(null);
  const [all, setAll] = useState(false);
  const [copied, copyAs] = useCopied();
  const sorted = order ? sortedBy(rows, order.column, order.down) : rows;
  const visible = all ? sorted : sorted.slice(0, most);
  const sortBy = (column: number) =>
    setOrder((old) => (old?.column === column ? (old.down ? { column, down: false } : null) : { column, down: true }));
  const take = (name: keyof typeof FORMATS) => {
    const names = header.map((one) => one.text);
    copyAs(name, FORMATS[name](name === "CSV" ? apart(caption, names, sorted) : together(caption, names, sorted)));
  };
  return (
    <div class="table-block">
      <div class="table-head">
        <span class="figure-title">{caption}</span>
        <span class="tools" role="group" aria-label={`Copy ${caption}`}>
          {(Object.keys(FORMATS) as (keyof typeof FORMATS)[]).map((name) => (
            <button key={name} type="button" aria-label={`Copy ${caption} as ${name}`} onClick={() => take(name)}>
              {copied === name ? "copied" : name}
            </button>
          ))}
          <span class="spoken" role="status">{copied && `copied as ${copied}`}</span>
        </span>
      </div>
      <div class="scroll" tabIndex={0} role="region" aria-label={caption}>
        <table class={stacked ? "stacked" : undefined}>
          <caption class="spoken">{caption}</caption>
          <thead>
            <tr>
              {header.map((one, k) => (
                <th
                  key={k}
                  scope="col"
                  class={one.words ? "words" : undefined}
                  data-tip={one.tip}
                  aria-sort={order?.column === k ? (order.down ? "descending" : "ascending") : undefined}
                >
                  <button type="button" onClick={() => sortBy(k)}>
                    {one.text}
                    {order?.column === k && (order.down ? " ↓" : " ↑")}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {visible.map((row, k) => (
              <tr key={k}>
                {row.map((cell, column) =>
                  column ? <td class={header[column].words ? "words" : undefined} data-label={header[column].text}>{content(cell, signedTip(tipOf(row, header, column)))}</td> : <th scope="row">{content(cell, cell.tip)}</th>,
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {visible.length < rows.length && (
        <button type="button" onClick={() => setAll(true)}>
          Show all {rows.length}
        </button>
      )}
      {note && <p class="note">{note}</p>}
    </div>
  );
}

/** What is known of a cell; at the least what it is of, and what its column means. */
function tipOf(row: Cell[], header: TableProps["header"], column: number): string {
  const { text, tip } = header[column];
  return row[column].tip ?? [`${row[0].text} · ${text}`, tip].filter(Boolean).join("\n");
}

function content(cell: Cell, tip?: string) {
  const text = cell.href ? <a href={cell.href} data-count={cell.count}>{cell.text}</a> : cell.text;
  return (
    <span class={cell.best ? "best" : undefined} data-tip={tip}>
      {text}
      {cell.small && <small> {cell.small}</small>}
    </span>
  );
}

/** Cells for people: a number and its interval in one. */
function together(caption: string, header: string[], rows: Cell[][]): Cells {
  return { caption, header, rows: rows.map((row) => row.map((cell) => [cell.text, cell.small].filter(Boolean).join(" "))) };
}

/** Cells for programs: what is small has a column of its own. */
function apart(caption: string, header: string[], rows: Cell[][]): Cells {
  const double = header.map((_, k) => rows.some((row) => row[k]?.small));
  const spread = <T,>(values: T[], beside: (value: T, k: number) => T) =>
    values.flatMap((value, k) => (double[k] ? [value, beside(value, k)] : [value]));
  return {
    caption,
    header: spread(header, (name) => `${name}, beside`),
    rows: rows.map((row) => spread(row.map((cell) => cell.text), (_, k) => row[k].small ?? "")),
  };
}

function sortedBy(rows: Cell[][], column: number, down: boolean): Cell[][] {
  const key = (row: Cell[]) => row[column]?.value ?? null;
  return [...rows].sort((one, other) => {
    const [a, b] = [key(one), key(other)];
    if (a !== null && b !== null) return down ? b - a : a - b;
    if (a !== null || b !== null) return a === null ? 1 : -1; // what is undefined stands last
    const words = (one[column]?.text ?? "").localeCompare(other[column]?.text ?? "");
    return down ? words : -words;
  });
}

/** A row as a cell: its number, its interval, and all that is known of it. */
export function numberCell(page: Page, row: Row | null): Cell {
  return {
    text: shown(row?.value ?? null, row ? page.metrics[row.metric] : undefined),
    small: row ? interval(row.low, row.high, page.metrics[row.metric]) : "",
    tip: row ? about(page, row) : undefined,
    value: row?.value ?? null,
  };
}

/** What stands behind a chart: made when it is opened. */
export function Behind(props: TableProps) {
  const [open, setOpen] = useState(false);
  return (
    <details class="behind" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Table: {props.caption}</summary>
      {open && <Table {...props} />}
    </details>
  );
}
