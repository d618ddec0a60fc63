// Each type by its support: a dot per system.
import { type ChartRow, type RowPoint, rowsChart } from "../../charts/rows";
import { type Context, datasetsOf } from "../../context";
import { Drawing, Figure, systemLegend } from "../../figure";
import { about, capital, count, shown } from "../../format";
import { errorsOf, knowsErrors } from "../../kinds";
import { FEW, metricTitle } from "./scores";

const LEGEND = 12; // systems up to which a legend names them

interface TypeSupport {
  type: string;
  n: number;
}

/** Types with their support, the most frequent first; a type without gold mentions is left out. */
export function typesOf({ page, rows, dataset, systems, metric }: Context): { known: TypeSupport[]; partial: string[] } {
  const all = [...new Set(datasetsOf({ page, dataset } as Context).flatMap((one) => one.types))];
  const support = (type: string) => {
    const found = systems.flatMap((system) => rows.get({ dataset: dataset?.name ?? null, system, metric, type }) ?? []);
    return { type, n: Math.max(0, ...found.map((row) => row.n)) };
  };
  const known = all.map(support).filter(({ n }) => n > 0).sort((one, other) => other.n - one.n);
  const partial = dataset ? [] : all.filter((type) => !known.some((one) => one.type === type));
  return { known, partial };
}

export function Types({ context }: { context: Context }) {
  const { page, systems, metric, dataset } = context;
  const { known, partial } = typesOf(context);
  if (!known.length) return null;
  const title = metricTitle(context, metric);
  const chart = {
    label: `${title} of each type`,
    rows: known.map((one) => typeRow(context, one)),
    axis: `${title} (%)`,
    together: true,
    percent: true,
  };
  const named = systems.length <= LEGEND;
  const few = known.some(({ n }) => n < FEW) ? `hatched: fewer than ${FEW} mentions` : "";
  const part = partial.length ? `not in every dataset: ${partial.slice(0, 6).join(", ")}${partial.length > 6 ? " …" : ""}` : "";
  const best = systems.length > 1 ? "right column: the best value" : "";
  const n = `${dataset ? "" : `mean of ${page.datasets.length} datasets, `}small numbers: gold mentions`;
  return (
    <Figure title={`${capital(title)} by type`} n={n} legend={named ? systemLegend(page.systems, systems) : []} note={[best, few, part, named ? "" : "point at a mark for its system"].filter(Boolean).join(" · ")}>
      <Drawing draw={rowsChart} chart={chart} />
    </Figure>
  );
}

function typeRow(context: Context, { type, n }: TypeSupport): ChartRow {
  return { key: type, label: type, code: count(n), points: context.systems.map((system) => typePoint(context, type, system)) };
}

function typePoint(context: Context, type: string, system: string): RowPoint {
  const { page, rows, dataset, metric } = context;
  const row = rows.get({ dataset: dataset?.name ?? null, system, metric, type });
  const known = knowsErrors(context);
  const { href, count: listed } = errorsOf(context, system, { type });
  return {
    name: system,
    place: page.systems.indexOf(system),
    value: row?.value == null || row.n === 0 ? null : 100 * row.value,
    low: null,
    high: null,
    hatched: row !== null && row.n < FEW,
    text: shown(row?.value ?? null, page.metrics[metric]),
    tip: row ? about(page, row) : `${system}: no value`,
    ...(known ? { href, count: listed } : {}),
  };
}
