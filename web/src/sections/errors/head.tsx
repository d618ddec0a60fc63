// The head of the list: search, order, views, quick sets, and how many errors there are.
import { useMemo } from "preact/hooks";
import { count, counted } from "../../format";
import { changedChoices } from "../../listing/filter";
import { EXPORTS, exportedRows } from "../../listing/exports";
import { quickSets } from "../../listing/quick";
import { SORTS } from "../../listing/sorts";
import { countText, isSampled, totalErrors } from "../../listing/totals";
import { Select } from "../../parts/select";
import { download, fileName } from "../../save";
import { choose, chooseQuietly, placeHref } from "../../state";
import { ActiveFilters } from "./active";
import { KEYS, type ListKeys } from "./keys";
import { MatrixButton } from "./matrix";
import { type ListView, VIEWS, columnsOf } from "./view";

export function Head({ view, keys, isKept }: { view: ListView; keys: ListKeys; isKept: boolean }) {
  return (
    <div class="errors-head">
      <div class="errors-tools">
        <SearchField view={view} />
        <Order view={view} />
        <ViewSwitch view={view} />
        <MatrixButton view={view} />
        <ExportMenu view={view} />
        <KeysMenu keys={keys} />
      </div>
      <QuickSets view={view} />
      <div class="errors-status">
        <Status view={view} />
        <ActiveFilters view={view} />
        {!isKept && <span class="note">This browser keeps no marks: export the list before you close the page.</span>}
      </div>
    </div>
  );
}

function SearchField({ view: { context, filter } }: { view: ListView }) {
  const { page, place } = context;
  if (!filter.datasets.some((at) => page.datasets[at].sentences.text)) return null;
  const fault = filter.search?.fault ?? null;
  return (
    <span class="field search">
      <input
        type="search"
        aria-label="Search the sentences: words, or /a regular expression/"
        placeholder="words or /regex/"
        value={place.chosen.get("q") ?? ""}
        aria-invalid={fault ? "true" : undefined}
        aria-describedby={fault ? "search-fault" : undefined}
        onInput={(event) => chooseQuietly({ q: event.currentTarget.value || null, at: null })}
      />
      {fault && <span id="search-fault" class="fault" role="alert">{fault}</span>}
    </span>
  );
}

function Order({ view: { context } }: { view: ListView }) {
  const { page, place } = context;
  const sort = place.chosen.get("sort") ?? SORTS[0].name;
  const seed = Number(place.chosen.get("seed") ?? 1);
  return (
    <>
      <Select
        label="Sort"
        value={sort}
        options={SORTS.filter(({ applies }) => !applies || applies(page)).map(({ name, title }) => ({ value: name, text: title }))}
        onChange={(value) => choose({ sort: value === SORTS[0].name ? null : value, at: null })}
      />
      {sort === "random" && (
        <button type="button" data-tip={`Seed ${seed}: the same seed gives the same order`} onClick={() => choose({ seed: String(seed + 1), at: null })}>shuffle</button>
      )}
    </>
  );
}

export function ViewSwitch({ view: { context } }: { view: Pick<ListView, "context"> }) {
  const { chosen } = context.place;
  const current = chosen.get("view") ?? VIEWS[0].name;
  const views = VIEWS.filter(({ name }) => name !== "review" || context.page.pairs.length > 0);
  return (
    <span class="switch" role="group" aria-label="View">
      {views.map(({ name, title }) => (
        <a key={name} class="button" aria-current={name === current ? "true" : undefined} href={placeHref("errors", changedChoices(chosen, { view: name === VIEWS[0].name ? null : name, at: null }))}>{title}</a>
      ))}
    </span>
  );
}

function QuickSets({ view: { context, listing } }: { view: ListView }) {
  const { chosen } = context.place;
  const sets = quickSets({ systems: context.systems });
  if (!sets.length) return null;
  return (
    <div class="quick" role="group" aria-label="Quick sets">
      {sets.map(({ title, about, choices, facet, value }) => {
        const n = listing.counts.get(facet)?.get(value) ?? 0;
        const isOn = chosen.getAll(facet).length === 1 && chosen.get(facet) === value;
        const next = isOn ? { [facet]: null } : choices;
        const counts = isOn || chosen.has("system") ? undefined : n; // a named system is counted by errors
        return (
          <a key={value} class="button" data-tip={about} aria-current={isOn ? "true" : undefined} data-count={counts} href={placeHref("errors", changedChoices(chosen, { ...next, at: null }))}>
            {title} <small>{count(n)}</small>
          </a>
        );
      })}
    </div>
  );
}

/** "12 of 339 places", the errors per run, and how much of the data is here. */
function Status({ view: { context, filter, listing, entries, at } }: { view: ListView }) {
  const { page } = context;
  const total = useMemo(() => (isSampled(page, filter) ? totalErrors(page, filter) : null), [page, JSON.stringify(filter)]);
  const sets = filter.datasets.map((one) => page.datasets[one]);
  const sampled = sets.filter(({ sentences }) => sentences.sampled);
  const systems = filter.systems.length || filter.shown.length;
  const runs = Math.max(...sets.map((one) => one.runs.length / Math.max(1, new Set(one.runs.map(([system]) => system)).size)));
  const isPlain = systems === 1 && runs <= 1 && !filter.compared;
  const place = at < 0 ? "" : `${count(at + 1)} of `;
  const errors = countText(listing.errors);
  const isOf = filter.compared || filter.outcomes.includes(page.outcomes[0]);
  return (
    <p role="status" class="count" data-count={entries.length} data-places={entries.length} data-errors={countText(total ?? listing.errors)}>
      <strong>{place}{counted(entries.length, isPlain && !isOf ? "error" : "place")}</strong>
      {!isPlain && !isOf && ` · ${count(Number(errors))} ${Number(errors) === 1 ? "error" : "errors"}${systems > 1 ? ` of ${systems} systems` : ""}${runs > 1 ? " per run" : ""}`}
      {sampled.length > 0 && sampleText(sampled.map(({ sentences }) => sentences.number.length), Number(errors), total)}
    </p>
  );
}

function sampleText(sizes: number[], here: number, total: number | null): string {
  const size = sizes.reduce((sum, one) => sum + one, 0);
  if (!size) return `${total === null ? "" : ` · ${count(Number(countText(total)))} errors in the data`}: the sentences are not on this page`;
  const sample = `a sample of ${counted(size, "sentence")} is on this page`;
  return total === null ? `; ${sample}` : ` · ${count(here)} of ${count(Number(countText(total)))} errors: ${sample}`;
}

function ExportMenu({ view }: { view: ListView }) {
  const { context, entries, marks } = view;
  const save = (name: string) => {
    const format = EXPORTS.find((one) => one.name === name)!;
    const systems = columnsOf(view);
    download(fileName(`errors ${context.page.title}`, format.ending), format.write(exportedRows(context.page, entries, systems, marks), systems), format.kind);
  };
  return (
    <details class="picker">
      <summary>Export</summary>
      <fieldset>
        <legend>{counted(entries.length, "listed place")}, with tags and notes</legend>
        {EXPORTS.map(({ name }) => <button key={name} type="button" onClick={() => save(name)}>{name}</button>)}
      </fieldset>
    </details>
  );
}

function KeysMenu({ keys }: { keys: ListKeys }) {
  return (
    <details class="picker">
      <summary>{keys.copied ? "link copied" : "Keys"}</summary>
      <fieldset>
        <legend>Keyboard shortcuts</legend>
        <label class="check">
          <input type="checkbox" checked={keys.isOn} onChange={(event) => keys.setOn(event.currentTarget.checked)} /> on
        </label>
        <dl class="keys">{KEYS.map(([key, meaning]) => <div key={key}><dt><kbd>{key}</kbd></dt><dd>{meaning}</dd></div>)}</dl>
      </fieldset>
      <span class="spoken" role="status">{keys.copied && "link copied"}</span>
    </details>
  );
}
