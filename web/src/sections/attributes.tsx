// Attributes: scores by bucket, and the change between two systems in each.
import { heatChart } from "../charts/heat";
import { type Context, levelRow, metricsOf, pairOf } from "../context";
import { Axis, PairChoice, Select } from "../controls";
import type { Dataset, Facet, Page } from "../data";
import { Drawing, Figure, systemLegend } from "../figure";
import { UNDEFINED, about, points } from "../format";
import { choose, placeHref } from "../state";
import { Behind } from "../table";
import { Comparative, ModelWise, Radars, SelfDiagnosis } from "./diagnosis";
import { LevelDrawing, LevelTable } from "./levels";

export function Attributes({ context }: { context: Context }) {
  const { page, place } = context;
  const facets = attributeFacets(page);
  const offered = [...new Set(facets.flatMap(metricsOf))];
  const metric = offered.find((name) => name === place.chosen.get("metric")) ?? offered[0];
  const bars = place.chosen.get("axis") === "zero";
  return (
    <>
      <div class="row">
        <Select label="Metric" value={metric} options={offered.map((value) => ({ value, text: page.metrics[value].title }))} onChange={(value) => choose({ metric: value })} />
        <Axis bars={bars} />
      </div>
      <Buckets context={context} facets={facets} metric={metric} bars={bars} />
      {page.diagnosis && <SelfDiagnosis context={context} views={page.diagnosis} />}
      {page.systems.length > 1 && <Changes context={context} facets={facets} />}
      {page.diagnosis && page.systems.length > 1 && <Comparative context={context} views={page.diagnosis} />}
      {page.diagnosis && <Radars context={context} views={page.diagnosis} />}
      {page.diagnosis && <ModelWise context={context} views={page.diagnosis} />}
    </>
  );
}

export function attributeFacets(page: Page): Facet[] {
  return page.facets.filter((facet) => facet.bucketed);
}

function Buckets({ context, facets, metric, bars }: { context: Context; facets: Facet[]; metric: string; bars: boolean }) {
  const title = `${context.page.metrics[metric].title} by bucket`;
  return (
    <>
      <Figure
        title={title}
        note="Each attribute divides the gold mentions into buckets from XS to XL. Click a mark to read the sentences."
        legend={systemLegend(context.page.systems, context.systems)}
      >
        <div class="multiples">
          {facets.map((facet) => (
            <div key={facet.name}>
              <div class="multiple-title" data-caption data-tip={`${facet.name}: ${facet.about}`}>
                {facet.name}
              </div>
              <LevelDrawing context={context} facet={facet} metric={metric} title={`${facet.name}: ${title}`} bars={bars} />
            </div>
          ))}
        </div>
      </Figure>
      <details class="behind">
        <summary>Tables: {title}</summary>
        {facets.map((facet) => (
          <LevelTable key={facet.name} context={context} facet={facet} metric={metric} title={`${facet.name}: ${facet.title}`} bars={bars} />
        ))}
      </details>
    </>
  );
}

/** Heat maps of how much A is above B, relative to B. */
function Changes({ context, facets }: { context: Context; facets: Facet[] }) {
  const [a, b] = pairOf(context);
  const title = `Change from ${b} to ${a} in each bucket`;
  const sets = context.dataset ? [context.dataset] : context.page.datasets;
  return (
    <>
      <h3>Two systems, bucket by bucket</h3>
      <PairChoice context={context} />
      <Figure title={title} note={`(${a} − ${b}) / ${b} of F1, in percent. Blue: ${a} is better; orange: ${b} is.`}>
        <div class="multiples">
          {sets.map((dataset) => (
            <HeatMap key={dataset.name} context={context} facets={facets} dataset={dataset} a={a} b={b} />
          ))}
        </div>
      </Figure>
      <ChangeTable context={context} facets={facets} sets={sets} a={a} b={b} title={title} />
    </>
  );
}

interface Changed {
  facet: Facet;
  level: string;
  change: number | null;
  tip: string;
}

function changesOf(context: Context, facets: Facet[], dataset: Dataset, a: string, b: string): Changed[] {
  const own = { ...context, dataset };
  return facets.flatMap((facet) =>
    Object.keys(facet.levels).map((level) => {
      const [one, other] = [a, b].map((system) => levelRow(own, facet, level, system, metricsOf(facet)[0]));
      const defined = one?.value != null && other?.value != null && other.value > 0;
      const change = defined ? (one.value! - other.value!) / other.value! : null;
      const told = [one, other].flatMap((row) => (row ? [about(context.page, row).split("\n").slice(0, 3).join("\n")] : []));
      return { facet, level, change, tip: `${change === null ? UNDEFINED : `${points(change)} %`}\n${told.join("\n")}` };
    }),
  );
}

function HeatMap(props: { context: Context; facets: Facet[]; dataset: Dataset; a: string; b: string }) {
  const { context, facets, dataset, a, b } = props;
  const found = changesOf(context, facets, dataset, a, b);
  const cells = found.map(({ facet, level, change, tip }) => ({
    row: facet.name,
    column: level,
    value: change,
    text: points(change),
    tip,
    href: placeHref("errors", { d: dataset.name, facet: facet.name, level, a, b, disagree: "1" }),
  }));
  const columns = [...new Set(cells.map((cell) => cell.column))];
  const most = Math.max(...found.map(({ change }) => Math.abs(change ?? 0)));
  const chart = { label: `Change on ${dataset.name}`, cells, rows: facets.map((one) => one.name), columns, most };
  return (
    <div>
      {context.page.datasets.length > 1 && <div class="multiple-title" data-caption>{dataset.name}</div>}
      <Drawing plot={heatChart} chart={chart} />
    </div>
  );
}

function ChangeTable(props: { context: Context; facets: Facet[]; sets: Dataset[]; a: string; b: string; title: string }) {
  const { context, facets, sets, a, b, title } = props;
  const body = sets.flatMap((dataset) =>
    changesOf(context, facets, dataset, a, b).map(({ facet, level, change, tip }) => [
      { text: dataset.name },
      { text: facet.name },
      { text: level },
      { text: points(change), value: change, tip },
    ]),
  );
  return <Behind caption={title} header={["dataset", "attribute", "bucket", "change %"].map((text) => ({ text }))} rows={body} />;
}

