// The head of the page: what was evaluated, the tabs, and the choices that hold on the whole page.
import { colourOf } from "../colours";
import { type Context, MEAN, bestFirst, datasetKey, datasetsOf, scoreMetrics } from "../context";
import { count, counted } from "../format";
import { choose, placeHref, withPageChoices } from "../state";
import { GlossaryButton } from "./glossary";
import { Select } from "./select";

export interface Tab {
  name: string;
  title: string;
}

export function Head({ context }: { context: Context }) {
  const { page } = context;
  const sets = datasetsOf(context);
  const sum = (of: (one: (typeof sets)[number]) => number) => sets.reduce((total, one) => total + of(one), 0);
  const runs = sets.map((one) => one.runs.length / Math.max(1, new Set(one.runs.map(([system]) => system)).size));
  const facts = [
    page.date,
    sets.length > 1 ? counted(sets.length, "dataset") : "",
    counted(sum((one) => one.sentences.total), "sentence"),
    counted(sum((one) => one.mentions), "gold mention"),
    `${counted(page.systems.length, "system")}${Math.max(...runs) > 1 ? ` × ${count(Math.round(Math.max(...runs)))} runs` : ""}`,
  ];
  return (
    <div class="title">
      <h1>{page.title}</h1>
      <span class="facts">{facts.filter(Boolean).join(" · ")}</span>
      <GlossaryButton page={page} />
    </div>
  );
}

/** Tabs and page-wide choices, which stay in sight. */
export function Bar({ context, tabs, current }: { context: Context; tabs: Tab[]; current: string }) {
  const { page, metric } = context;
  const metrics = scoreMetrics(page);
  return (
    <div class="bar">
      <nav aria-label="Sections">
        {tabs.map(({ name, title }) => (
          <a key={name} href={withPageChoices(placeHref(name, {}))} aria-current={name === current ? "page" : undefined}>{title}</a>
        ))}
      </nav>
      <div class="choices" role="region" aria-label="Choices for the page">
        {page.datasets.length > 1 && (
          <Select
            label="Dataset"
            value={datasetKey(context)}
            options={[{ value: MEAN, text: "all (mean)" }, ...page.datasets.map((one) => one.name)]}
            onChange={(value) => choose({ d: value, at: null })}
          />
        )}
        {page.systems.length > 1 && <SystemPicker context={context} />}
        {metrics.length > 1 && (
          <Select
            label="Metric"
            value={metric}
            options={metrics.map((name) => ({ value: name, text: page.metrics[name]?.title ?? name }))}
            onChange={(value) => choose({ m: value === metrics[0] ? null : value })}
          />
        )}
      </div>
    </div>
  );
}

/** Which systems the whole page shows. */
function SystemPicker({ context }: { context: Context }) {
  const { page, rows, systems, dataset, metric } = context;
  const ranked = bestFirst(page, rows, dataset, metric);
  const toggle = (system: string) => {
    const next = ranked.filter((one) => systems.includes(one) !== (one === system));
    choose({ s: next.length && next.length < ranked.length ? next : next.length ? ranked : null });
  };
  return (
    <details class="picker">
      <summary>{systems.length} of {page.systems.length} systems shown</summary>
      <fieldset>
        <legend>Systems, best first</legend>
        <button type="button" onClick={() => choose({ s: ranked })}>All</button>{" "}
        <button type="button" onClick={() => choose({ s: ranked.slice(0, 2) })}>Best two</button>
        {ranked.map((system) => (
          <label key={system} class="chip">
            <input type="checkbox" checked={systems.includes(system)} onChange={() => toggle(system)} />
            <span class="swatch" style={{ background: colourOf(page.systems.indexOf(system)) }} aria-hidden="true" />
            {system}
          </label>
        ))}
      </fieldset>
    </details>
  );
}
