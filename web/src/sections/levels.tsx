// One facet: a chart of its levels for each system, and the table behind it.
import { errorsHref } from "../answers";
import { levelChart } from "../charts/levels";
import { type Context, datasetKey, levelRow, pointOf } from "../context";
import type { Facet } from "../data";
import { Drawing, Figure, systemLegend } from "../figure";
import { UNDEFINED, count } from "../format";
import { Behind, type Cell, numberCell } from "../table";

export interface LevelsProps {
  context: Context;
  facet: Facet;
  metric: string;
  title: string;
  type?: string | null;
  levels?: string[];
  bars: boolean;
  note?: string;
}

/** The chart alone. */
export function LevelDrawing({ context, facet, metric, title, type = null, bars, ...rest }: LevelsProps) {
  const { page, systems, dataset } = context;
  const levels = rest.levels ?? Object.keys(facet.levels);
  const row = (level: string, system: string) => levelRow(context, facet, level, system, metric, type);
  const points = levels.flatMap((level) =>
    systems.flatMap((system) => {
      const found = row(level, system);
      return found ? [pointOf(context, found, level)] : [];
    }),
  );
  const titled = levels.map((level) => {
    const n = systems.map((system) => row(level, system)?.n).find((size) => size !== undefined);
    const title = levelTitle(facet, level, dataset?.ranges[facet.name]);
    return { name: level, title: `${title}\nn = ${n === undefined ? UNDEFINED : count(n)}` };
  });
  const { title: name, better } = page.metrics[metric];
  const axis = `${name} (%)${better < 0 ? ", lower is better" : ""}`;
  const chart = { label: title, points, levels: titled, systems, bars, axis };
  return <Drawing plot={levelChart} chart={chart} />;
}

export function LevelFigure(props: LevelsProps) {
  const { context, title, note } = props;
  return (
    <>
      <Figure title={title} note={note} legend={systemLegend(context.page.systems, context.systems)}>
        <LevelDrawing {...props} />
      </Figure>
      <LevelTable {...props} />
    </>
  );
}

export function LevelTable({ context, facet, metric, title, type = null, levels = Object.keys(facet.levels) }: LevelsProps) {
  const { page, systems, dataset } = context;
  const cell = (level: string, system: string): Cell => {
    const row = levelRow(context, facet, level, system, metric, type);
    return { ...numberCell(page, row), href: row ? errorsHref(facet.name, level, datasetKey(context), system, type, metric) : undefined };
  };
  const body = levels.map((level) => {
    const n = levelRow(context, facet, level, systems[0], metric, type)?.n ?? null;
    const name = levelTitle(facet, level, dataset?.ranges[facet.name]);
    return [
      { text: name, tip: page.glossary[level] },
      ...systems.map((system) => cell(level, system)),
      { text: n === null ? UNDEFINED : count(n), value: n },
    ];
  });
  const header = [{ text: facet.name, tip: facet.about }, ...systems.map((text) => ({ text })), { text: "n", tip: page.glossary.n }];
  return <Behind caption={title} header={header} rows={body} />;
}

/** What an axis calls a level: its name, and the range of a bucket. */
function levelTitle(facet: Facet, level: string, ranges?: Record<string, string>): string {
  const range = ranges?.[level];
  return facet.bucketed && range ? `${level} ${range}` : level;
}
