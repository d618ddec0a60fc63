// One error a row: its words in context, gold, and what each system makes of it.
import { useEffect, useRef } from "preact/hooks";
import { colourOf } from "../../colours";
import { count } from "../../format";
import { type Chip, chipTitle, chipsOf, runsText } from "../../listing/chips";
import { placeText, shortPlace } from "../../listing/exports";
import { keyOf } from "../../listing/keys";
import type { Entry } from "../../listing/list";
import { NONE, placesOf } from "../../places";
import { chooseQuietly } from "../../state";
import type { ListKeys } from "./keys";
import { Opened } from "./opened";
import { type ListView, columnsOf } from "./view";

const PAGE = 60; // rows that are drawn at once
const SIDE = 160; // characters of context on each side

export function Lines({ view, keys }: { view: ListView; keys: ListKeys }) {
  const { entries, at } = view;
  const first = at < 0 ? 0 : Math.floor(at / PAGE) * PAGE;
  const systems = columnsOf(view);
  if (!entries.length) return null;
  return (
    <>
      <table class="lines" style={{ "--systems": systems.length }}>
        <caption class="spoken">Errors with gold and the systems</caption>
        <thead>
          <tr>
            <th scope="col" class="where">place</th>
            <th scope="col" class="text">in context</th>
            <th scope="col" class="gold">gold</th>
            {systems.map((system) => (
              <th key={system} scope="col" data-tip={system}>
                <span class="swatch" style={{ background: colourOf(view.context.page.systems.indexOf(system)) }} aria-hidden="true" /> {system}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {entries.slice(first, first + PAGE).map((entry, k) => (
            <Line key={keyOf(entry.units, entry.unit)} view={view} keys={keys} entry={entry} position={first + k} systems={systems} />
          ))}
        </tbody>
      </table>
      <Pager first={first} size={entries.length} step={PAGE} moveTo={keys.moveTo} />
    </>
  );
}

/** "1–100 of 1,042", and the ways to the rest. */
export function Pager({ first, size, step, moveTo }: { first: number; size: number; step: number; moveTo: (position: number) => void }) {
  if (size <= step) return null;
  return (
    <p class="tools pager">
      <button type="button" disabled={first === 0} onClick={() => moveTo(first - step)}>Previous {step}</button>
      <span>{count(first + 1)}–{count(Math.min(first + step, size))} of {count(size)}</span>
      <button type="button" disabled={first + step >= size} onClick={() => moveTo(first + step)}>Next {step}</button>
    </p>
  );
}

interface LineProps {
  view: ListView;
  keys: ListKeys;
  entry: Entry;
  position: number;
  systems: string[];
}

function Line({ view, keys, entry, position, systems }: LineProps) {
  const { units, unit } = entry;
  const { set } = units;
  const key = keyOf(units, unit);
  const row = useRef<HTMLTableRowElement>(null);
  const isCurrent = position === view.at;
  const isOpen = keys.open === key;
  useEffect(() => {
    if (isCurrent) row.current!.scrollIntoView({ block: "nearest" });
  }, [isCurrent, isOpen]);
  const toggle = () => {
    chooseQuietly({ at: key });
    keys.setOpen(isOpen ? null : key);
  };
  const type = units.goldType(0, unit);
  const sentence = units.sentence[unit];
  const mark = view.marks[key];
  return (
    <>
      <tr ref={row} class={`line${isCurrent ? " current" : ""}`} aria-current={isCurrent ? "true" : undefined} onClick={(event) => !(event.target as Element).closest("button") && chooseQuietly({ at: key })}>
        <td class="where"><span data-tip={placeText(set, sentence)}>{shortPlace(set, sentence)}</span></td>
        <td class="text"><Context entry={entry} isOpen={isOpen} toggle={toggle} mark={mark && `${mark.pinned ? "📌" : ""}${mark.tags?.length ? "#" : ""}${mark.note ? "✎" : ""}`} /></td>
        <td class="gold"><span class={type === NONE ? "mark nothing" : "mark gold"}>{type === NONE ? "–" : placesOf(view.context.page).types[type]}</span></td>
        {systems.map((system) => <td key={system} class="answer-cell"><ChipMark chips={chipsOf(view.context.page, units, unit, set.runs(system, view.filter.runs))} system={system} /></td>)}
      </tr>
      {isOpen && (
        <tr class="opened">
          <td colSpan={3 + systems.length}><Opened view={view} keys={keys} entry={entry} /></td>
        </tr>
      )}
    </>
  );
}

/** The words of a place between those around it. */
function Context({ entry: { units, unit }, isOpen, toggle, mark }: { entry: Entry; isOpen: boolean; toggle: () => void; mark?: string }) {
  const { words } = units.set;
  const sentence = units.sentence[unit];
  const [start, end] = [units.start[unit], units.start[unit] + units.length[unit]];
  const isPlaced = units.length[unit] > 0 && start >= 0;
  const hit = isPlaced || !units.isToken ? units.set.surface(units, unit) : "somewhere in";
  const before = isPlaced && words.known ? words.text(sentence, 0, start).slice(-SIDE) : "";
  const after = words.known ? words.text(sentence, isPlaced ? end : 0).slice(0, SIDE) : "";
  const gaps = isPlaced ? [words.gap(sentence, start), words.gap(sentence, end)] : ["", " "];
  return (
    <div class="context" dir={words.isRightToLeft(sentence) ? "rtl" : "ltr"}>
      <span class="before">{before}{gaps[0] && "\u00a0"}</span>
      <button type="button" class={isPlaced ? "hit" : "hit foreign"} aria-expanded={isOpen} onClick={toggle}><bdi>{hit || "(empty)"}</bdi></button>
      <span class="after">{gaps[1] && "\u00a0"}{!isPlaced && !units.isToken && "is not in: "}{after}{mark && <span class="marked"> {mark}</span>}</span>
    </div>
  );
}

/** What a system makes of a place; its tip tells about every run. */
export function ChipMark({ chips, system }: { chips: Chip[]; system: string }) {
  const [chip] = chips;
  if (!chip) return <span class="mark nothing" data-tip={`${system}: no output`}> </span>;
  const title = chipTitle(system, chips);
  return (
    <span class={`mark ${chip.kind}${chips.length > 1 ? " mixed" : ""}`} data-tip={title}>
      <span class="system" aria-hidden="true">{system}</span>
      <span class="answer" aria-hidden="true">{chip.text}</span>
      {runsText(chip) && <small aria-hidden="true">{runsText(chip)}</small>}
      <span class="spoken">{title}</span>
    </span>
  );
}
