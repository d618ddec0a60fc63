// Gold types against predicted types: a drawer whose cells lead to their errors.
import { useEffect, useRef, useState } from "preact/hooks";
import { type HeatCell, heatChart } from "../../charts/heat";
import { Drawing, Figure } from "../../figure";
import { count, percent } from "../../format";
import { type Confusion, confusionsOf, typesOf } from "../../listing/confusions";
import { type Types, pairValue } from "../../listing/filter";
import { confusionText } from "../../listing/groups";
import { countText } from "../../listing/totals";
import { Select } from "../../parts/select";
import { placeHref } from "../../state";
import type { ListView } from "./view";

export function MatrixButton({ view }: { view: ListView }) {
  const drawer = useRef<HTMLDialogElement>(null);
  const [open, setOpen] = useState(false);
  useEffect(() => {
    if (open && !drawer.current!.open) drawer.current!.showModal();
  }, [open]);
  const follow = (event: MouseEvent) => (event.target as Element).closest("a") && drawer.current!.close();
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>Matrix</button>
      <dialog ref={drawer} class="drawer matrix" aria-label="Gold types against predicted types" onClose={() => setOpen(false)} onClick={follow}>
        <form method="dialog"><button>Close</button></form>
        <h3>Gold types against predicted types</h3>
        {open && <Matrix view={view} />}
      </dialog>
    </>
  );
}

interface MatrixCell {
  types: Types;
  ours: Confusion;
  theirs: Confusion | null;
  value: number; // errors, or the difference, or shares of them
}

function Matrix({ view }: { view: ListView }) {
  const { context, filter } = view;
  const [system, setSystem] = useState(filter.systems[0] ?? context.systems[0]);
  const [other, setOther] = useState("");
  const [share, setShare] = useState(false);
  const ours = confusionsOf(context.page, filter, system);
  const theirs = other && other !== system ? confusionsOf(context.page, filter, other) : null;
  const types = typesOf(new Map([...ours, ...(theirs ?? [])]));
  const cells = types.flatMap((gold) => types.filter((predicted) => gold !== null || predicted !== null).map((predicted) => cellOf([gold, predicted], ours, theirs, share)));
  const scope: Scope = { view, systems: theirs ? [system, other] : [system], share };
  const title = theirs ? `${system} − ${other}` : system;
  return (
    <>
      <p class="tools">
        {context.page.systems.length > 1 && <Select label="System" value={system} options={context.page.systems} onChange={setSystem} />}
        {context.page.systems.length > 1 && <Select label="minus" value={other} options={[{ value: "", text: "nothing" }, ...context.page.systems.filter((one) => one !== system)]} onChange={setOther} />}
        <Select label="Show" value={share ? "share" : "count"} options={[{ value: "count", text: "errors per run" }, { value: "share", text: "share of the gold type (%)" }]} onChange={(value) => setShare(value === "share")} />
      </p>
      <div class="matrix-chart">
        <Figure title={`Gold types against predicted types: ${title}`} note="Diagonal: exact matches | boundary errors; its link opens the boundary errors. Nothing: missed (column) or spurious and hallucinated (row).">
          <Drawing draw={heatChart} chart={{ label: `Gold types against predicted types: ${title}`, rows: types.map(sideName), columns: types.map(sideName), corner: "gold ↓  predicted →", cells: cells.map((cell) => heatCell(cell, scope, mostOf(cells))) }} />
        </Figure>
      </div>
      <TopConfusions cells={cells} scope={scope} />
    </>
  );
}

interface Scope {
  view: ListView;
  systems: string[];
  share: boolean;
}

const NOTHING = "nothing";
const sideName = (type: string | null): string => type ?? NOTHING;
const mostOf = (cells: MatrixCell[]): number => Math.max(1e-9, ...cells.map(({ value }) => Math.abs(value)));

function cellOf(types: Types, ours: Map<string, Confusion>, theirs: Map<string, Confusion> | null, share: boolean): MatrixCell {
  const empty: Confusion = { types, errors: 0, exact: 0 };
  const [one, other] = [ours.get(pairValue(types)) ?? empty, theirs ? (theirs.get(pairValue(types)) ?? empty) : null];
  const size = (all: Map<string, Confusion>) => (share ? sideTotal(all, types) : 1);
  const value = one.errors / size(ours) - (other && theirs ? other.errors / size(theirs) : 0);
  return { types, ours: one, theirs: other, value };
}

/** The gold mentions of a type; for predictions without one, the predictions of their type. */
function sideTotal(all: Map<string, Confusion>, [gold, predicted]: Types): number {
  let total = 0;
  for (const { types, errors, exact } of all.values()) if (gold === null ? types[1] === predicted : types[0] === gold) total += errors + exact;
  return total || 1;
}

function linkOf({ types, ours, theirs }: MatrixCell, { view, systems }: Scope): { href?: string; count?: string } {
  const n = ours.errors + (theirs?.errors ?? 0);
  const { chosen } = view.context.place;
  if (!n) return {};
  const href = placeHref("errors", { d: chosen.get("d"), s: chosen.getAll("s"), m: chosen.get("m"), run: chosen.getAll("run"), system: systems, pair: pairValue(types) });
  return { href, count: countText(n) };
}

function heatCell(cell: MatrixCell, scope: Scope, most: number): HeatCell {
  const { types, ours, theirs, value } = cell;
  const isDiagonal = types[0] === types[1];
  const shown = valueText(value, scope.share, theirs !== null);
  const isSplit = isDiagonal && !theirs && !scope.share;
  const split = isSplit ? { text: `${count(Math.round(ours.exact))} |`, title: shown } : { text: value === 0 ? "" : shown };
  const text = isSplit ? `${split.text} ${shown}` : shown;
  const lines = [`${text}: ${confusionText(...types)}`, `${scope.systems[0]}: ${countText(ours.errors)}`];
  if (theirs) lines.push(`${scope.systems[1]}: ${countText(theirs.errors)}`);
  if (isDiagonal) lines.push(`exact: ${countText(ours.exact)}${theirs ? ` and ${countText(theirs.exact)}` : ""}`);
  return { row: sideName(types[0]), column: sideName(types[1]), ...split, share: value / most, tip: lines.join("\n"), ...linkOf(cell, scope) };
}

function valueText(value: number, share: boolean, signed: boolean): string {
  const text = share ? percent(Math.abs(value)) : countText(Math.abs(value));
  return signed && value !== 0 ? `${value < 0 ? "−" : "+"}${text}` : text;
}

const TOP = 10;

/** The largest confusions, or the largest differences between two systems. */
function TopConfusions({ cells, scope }: { cells: MatrixCell[]; scope: Scope }) {
  const top = cells.filter(({ value }) => value !== 0).sort((one, other) => Math.abs(other.value) - Math.abs(one.value)).slice(0, TOP);
  return (
    <>
      <h4>{scope.systems.length > 1 ? "Largest differences" : "Most frequent confusions"}</h4>
      <ol class="confusions">
        {top.map((cell) => {
          const { href, count: n } = linkOf(cell, scope);
          return (
            <li key={pairValue(cell.types)}>
              <a href={href} data-count={n}>{confusionText(...cell.types)}</a> {valueText(cell.value, scope.share, scope.systems.length > 1)}{scope.share ? " %" : ""}
            </li>
          );
        })}
      </ol>
    </>
  );
}
