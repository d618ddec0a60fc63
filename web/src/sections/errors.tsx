// The sentences: filtered, drawn, and gone through by keyboard.
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { heatChart } from "../charts/heat";
import type { Context } from "../context";
import { KeySwitch, Select, useCopied } from "../controls";
import type { Confusion, Dataset } from "../data";
import { Drawing, Figure } from "../figure";
import { count, counted } from "../format";
import { type Filter, type Found, NONE, findSentences, withWords } from "../mentions";
import { Sentence } from "../sentence";
import { address, choose, here, isTyping, placeHref } from "../state";
import { Behind } from "../table";

const STEP = 20; // sentences that are drawn at once

export function filterOf(context: Context): Filter {
  const own = context.place.chosen;
  return {
    dataset: context.dataset?.name ?? null,
    system: own.get("system"),
    run: own.get("run"),
    side: own.get("side"),
    outcome: own.get("outcome"),
    gold: own.get("gold"),
    predicted: own.get("predicted"),
    type: own.get("type"),
    facet: own.get("facet"),
    level: own.get("level"),
    disagree: own.get("disagree") === "1",
    only: own.get("only"),
    a: own.get("a"),
    b: own.get("b"),
  };
}

export function Errors({ context }: { context: Context }) {
  const { page, mentions, place } = context;
  const filter = filterOf(context);
  const key = JSON.stringify(filter);
  const words = place.chosen.get("q");
  const fitting = useMemo(() => findSentences(page, mentions, filter), [key]);
  const found = useMemo(() => (words ? withWords(fitting, mentions, words) : fitting), [fitting, words]);
  const name = (one: Found) => `${mentions[one.dataset].dataset.name}:${mentions[one.dataset].dataset.sentences.number[one.sentence]}`;
  const spans = useMemo(() => found.reduce((sum, one) => sum + one.hits.length, 0), [found]);
  const placeOf = (wanted: string | null) => found.findIndex((one) => name(one) === wanted);
  const at = placeOf(place.chosen.get("at"));
  const [most, setMost] = useState(STEP);
  useEffect(() => setMost(STEP), [found]);
  // Far down the list, only the surroundings of the current sentence are drawn.
  const first = at < most ? 0 : at - 5;
  const shown = found.slice(first, first + (first ? STEP : most));
  const step = useCallback(
    (by: number) => {
      const now = placeOf(here().chosen.get("at")); // keys may come faster than the page is drawn
      const next = Math.min(Math.max(now + by, 0), found.length - 1);
      if (found[next]) choose({ at: name(found[next]) });
    },
    [found],
  );
  return (
    <>
      <Matrix context={context} filter={filter} />
      <Filters context={context} filter={filter} />
      <p class="note" role="status" data-count={found.length}>
        {counted(found.length, "sentence")} {found.length === 1 ? "fits" : "fit"}
        {spans > 0 && `, with ${counted(spans, "mention")}`}. {sampling(context, filter)}
      </p>
      <Keys step={step} at={at} />
      <p class="note">
        Gold stands above the words, systems below: <span class="span right first last">right</span>{" "}
        <span class="span wrong first last">wrong</span> <span class="span missed first last">missed</span>, underlined what the filter asks for.
      </p>
      {first > 0 && (
        <button type="button" onClick={() => choose({ at: null })}>
          Back to the first of {count(found.length)}
        </button>
      )}
      <ol class="sentences">
        {shown.map((one) => (
          <Card key={name(one)} context={context} found={one} id={name(one)} current={name(one) === place.chosen.get("at")} filter={filter} />
        ))}
      </ol>
      {!first && shown.length < found.length && (
        <button type="button" onClick={() => setMost(shown.length + STEP)}>
          Show {Math.min(STEP, found.length - shown.length)} more
        </button>
      )}
    </>
  );
}

/** What of the data is on this page. */
function sampling(context: Context, filter: Filter): string {
  const sets = context.page.datasets.filter((one) => !filter.dataset || one.name === filter.dataset);
  const several = sets.some((one) => new Set(one.runs.map(([system]) => system)).size < one.runs.length);
  const told = sets.map(({ name, sentences }: Dataset) => {
    const right = sentences.number.length - sentences.wrongKept;
    const errors =
      sentences.wrongKept === sentences.wrong
        ? `all ${count(sentences.wrong)} sentences with an error${several ? " in some run" : ""}`
        : `${count(sentences.wrongKept)} of ${count(sentences.wrong)} sentences with an error, drawn so that every kind of error is there`;
    return `${sets.length > 1 ? `${name}: ` : ""}${errors}, and ${count(right)} of ${count(sentences.total - sentences.wrong)} without`;
  });
  return `This page holds ${told.join("; ")}. Numbers in charts and tables are of all of them.`;
}

function Keys({ step, at }: { step: (by: number) => void; at: number }) {
  const [copied, copyAs] = useCopied();
  const [heard, setHeard] = useState(true);
  const link = () => copyAs("link", address());
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!heard || isTyping(event)) return;
      if (event.key === "j" || event.key === "n") step(1);
      else if (event.key === "k" || event.key === "p") step(-1);
      else if (event.key === "c" && at >= 0) link();
      else if (event.key === "/") {
        event.preventDefault();
        document.querySelector<HTMLInputElement>("input[type=search]")?.focus();
      }
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  });
  return (
    <p class="tools keys">
      <button type="button" onClick={() => step(-1)}>Previous (k)</button>
      <button type="button" onClick={() => step(1)}>Next (j)</button>
      <button type="button" disabled={at < 0} onClick={link}>{copied ? "copied" : "Copy a link to this sentence (c)"}</button>
      <span class="note">/ searches</span>
      <KeySwitch heard={heard} onChange={setHeard} />
    </p>
  );
}

function Card(props: { context: Context; found: Found; id: string; current: boolean; filter: Filter }) {
  const { context, found, id, current, filter } = props;
  const mentions = context.mentions[found.dataset];
  const { dataset } = mentions;
  const card = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (current) card.current!.scrollIntoView({ block: "nearest" });
  }, [current]);
  const line = dataset.sentences.line?.[found.sentence];
  const number = dataset.sentences.number[found.sentence];
  const file = dataset.file.startsWith("<") || line === undefined ? "" : `${dataset.file}:${line}`;
  const compared = [filter.a, filter.b].filter((name): name is string => !!name && !context.systems.includes(name));
  return (
    <li ref={card} class={current ? "card current" : "card"} aria-current={current ? "true" : undefined}>
      <button type="button" class="where" onClick={() => choose({ at: id })}>
        {dataset.name}, sentence {count(number)} {file && <small>{file}</small>}
      </button>
      <Sentence
        mentions={mentions}
        sentence={found.sentence}
        systems={[...context.systems, ...compared, ...(filter.system && !context.systems.includes(filter.system) ? [filter.system] : [])]}
        run={filter.run ?? null}
        hits={found.hits}
      />
    </li>
  );
}

function Filters({ context, filter }: { context: Context; filter: Filter }) {
  const { page, place } = context;
  const set = (changes: Record<string, string | null>) => choose({ ...changes, at: null });
  const any = (text: string) => ({ value: "", text });
  const types = [...new Set(page.datasets.flatMap((one) => one.types))];
  const runs = [...new Set(page.datasets.flatMap((one) => one.runs.map(([, run]) => run)))];
  const facet = page.facets.find((one) => one.name === filter.facet);
  const ofTokens = facet !== undefined && facet.unit !== "mention"; // for which mentions do not matter
  const simple = (label: string, name: string, value: string | null | undefined, options: (string | { value: string; text: string })[]) => (
    <Select label={label} value={value ?? ""} options={options} onChange={(chosen) => set({ [name]: chosen || null })} />
  );
  const outcomes = page.outcomes.filter((one) => one !== "correct");
  return (
    <form class="filters" onSubmit={(event) => event.preventDefault()} aria-label="Filter the sentences">
      {page.systems.length > 1 && simple("System", "system", filter.system, [any("any"), ...page.systems])}
      {runs.length > 1 && simple("Run", "run", filter.run, [any("the first"), ...runs])}
      {!ofTokens && simple("Outcome", "outcome", filter.outcome, [any("any"), { value: "error", text: "any error" }, ...outcomes, "correct"])}
      {!ofTokens && simple("Side", "side", filter.side, [any("both"), "gold", "predicted"])}
      {!ofTokens && simple("Type", "type", filter.type, [any("any"), ...types])}
      {!ofTokens && simple("Gold", "gold", filter.gold, [any("any"), ...types, NONE])}
      {!ofTokens && simple("Predicted", "predicted", filter.predicted, [any("any"), ...types, NONE])}
      <Select
        label="Facet"
        value={filter.facet ?? ""}
        options={[any("any"), ...page.facets.map((one) => one.name)]}
        onChange={(value) => set({ facet: value || null, level: value ? Object.keys(page.facets.find((one) => one.name === value)!.levels)[0] : null })}
      />
      {facet && simple("Level", "level", filter.level, Object.keys(facet.levels))}
      {page.datasets.some((one) => one.sentences.text) && (
        <label class="field">
          <span>Words</span>
          <input type="search" value={place.chosen.get("q") ?? ""} onInput={(event) => set({ q: event.currentTarget.value || null })} />
        </label>
      )}
      {page.systems.length > 1 && (
        <label class="check">
          <input type="checkbox" checked={filter.disagree} onChange={(event) => set({ disagree: event.currentTarget.checked ? "1" : null })} />
          {filter.a && filter.b ? `${filter.a} and ${filter.b} disagree` : "systems disagree"}
        </label>
      )}
      {filter.only && (
        <span class="note">
          right in {filter.only === "a" ? filter.a : filter.b}, not in {filter.only === "a" ? filter.b : filter.a}
        </span>
      )}
      <a class="button" href={placeHref("errors", { d: place.chosen.get("d"), s: place.chosen.getAll("s") })}>
        Clear
      </a>
    </form>
  );
}

/** Gold types against predicted ones: a cell leads to its sentences. */
function Matrix({ context, filter }: { context: Context; filter: Filter }) {
  const { page } = context;
  const dataset = context.dataset ?? page.datasets[0];
  const system = filter.system ?? context.systems[0];
  const [, run] = dataset.runs[context.mentions[page.datasets.indexOf(dataset)].run(system, filter.run)] ?? [];
  const cells = useMemo(
    () => page.confusion.filter((one) => one.dataset === dataset.name && one.system === system && one.run === run),
    [dataset, system, run],
  );
  const names = [...new Set(cells.flatMap((one) => [one.gold, one.predicted]))].map((one) => one ?? NONE).sort(byName);
  const wrong = cells.filter((one) => one.gold !== one.predicted);
  const most = Math.max(...wrong.map((one) => one.n), 1);
  const side = (one: string | null) => one ?? NONE;
  const chart = {
    label: `Gold types against predicted types, ${system}`,
    cells: cells.map((one) => ({
      row: side(one.gold),
      column: side(one.predicted),
      value: one.gold === one.predicted ? 0 : -one.n,
      text: count(one.n),
      tip: told(one, system),
      href: placeHref("errors", { d: dataset.name, system, run: filter.run, gold: side(one.gold), predicted: side(one.predicted) }),
    })),
    rows: names,
    columns: names,
    most,
    x: "predicted →",
    y: "gold",
  };
  if (!cells.length) return null;
  const sizes = new Map(cells.map((one) => [JSON.stringify([side(one.gold), side(one.predicted)]), one.n]));
  const body = names.map((gold) => [
    { text: gold },
    ...names.map((predicted) => {
      const n = sizes.get(JSON.stringify([gold, predicted])) ?? 0;
      return { text: count(n), value: n };
    }),
  ]);
  const title = `Which types are taken for which: ${system}${dataset.runs.filter(([name]) => name === system).length > 1 ? `, run ${run}` : ""} on ${dataset.name}`;
  return (
    <details open={!isNarrow(filter) && !context.place.chosen.get("at")} class="matrix">
      <summary>{title}</summary>
      <Figure title="Gold types against predicted types" note={`${NONE}: missed (column) or spurious (row). Click a cell to read the sentences.`}>
        <Drawing plot={heatChart} chart={chart} />
      </Figure>
      <Behind caption={title} header={["gold", ...names].map((text) => ({ text }))} rows={body} />
    </details>
  );
}

/** Whether the reader has come to see something in particular. */
function isNarrow({ side, gold, predicted, type, facet, disagree, only }: Filter): boolean {
  return [side, gold, predicted, type, facet, disagree, only].some(Boolean);
}

function told(one: Confusion, system: string): string {
  if (one.gold === null) return `${system}: ${one.n} spurious ${one.predicted}`;
  if (one.predicted === null) return `${system}: ${one.n} ${one.gold} missed`;
  return `${system}: ${one.n} ${one.gold} taken for ${one.predicted}`;
}

const byName = (one: string, other: string) => (one === NONE ? 1 : other === NONE ? -1 : one.localeCompare(other));
