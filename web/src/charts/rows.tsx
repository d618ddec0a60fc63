// The one chart of scores: a row for each group, marks with intervals on a shared axis, values at the right.
import { colourOf, symbolOf } from "../colours";
import { Mark, type MarkPoint } from "./mark";
import { type Scale, fitted, percentScale, placeOn, scaleOf, textWidth } from "./scale";
import { type Tie, Ties, type VerdictWord, VerdictMark, tiesWidth, verdictsWidth } from "./verdicts";

export interface RowPoint extends MarkPoint {
  name: string; // of the system
  text: string; // its value, in the right column
}

export interface ChartRow {
  key: string;
  label: string;
  code?: string; // the papers' name, small behind the label
  note?: string; // a second small text under the label, such as n
  badge?: string; // a letter or a word between label and plot
  verdict?: VerdictWord; // right of the values; below the label where there is little room
  href?: string;
  points: RowPoint[];
}

export interface RowsChart {
  label: string; // for those who hear the page
  rows: ChartRow[];
  axis: string; // what the axis shows
  together?: boolean; // all systems on one line; else a line each
  percent?: boolean;
  zero?: boolean; // the axis begins at 0
  scale?: Scale; // shared by several charts
  line?: { value: number; text: string }; // a line for reference, such as the overall score
  names?: boolean; // a line each: the names of systems stand beside their lines
  ties?: Tie[]; // rows that do not differ clearly
}

const LINE = 17; // pixels of a line of marks
const ROW_GAP = 7;
const TOGETHER = 21; // pixels of a row with all systems on one line
const DENSE = 16; // pixels of a row among many
const MANY = 14; // rows from which on they are dense
const NARROW = 430; // pixels below which verdicts stand under their labels
const HEAD = 8;
const HEAD_OF_LINE = 20; // room for the text of the reference line
const FOOT = 34;
const SIZE = 12;
const GAP = 10;
const BESIDE = 8; // pixels from the plot to the values: a mark at its end needs room

export function rowsScale(charts: RowsChart[]): Scale {
  const values = charts.flatMap((chart) => [
    ...chart.rows.flatMap((row) => row.points.flatMap(({ value, low, high, runs }) => [value, low, high, ...(runs ?? [])])),
    chart.line?.value ?? null,
  ]);
  const known = values.filter((value): value is number => value !== null);
  const { percent, zero } = charts[0];
  return percent ? percentScale(known, 6, zero) : scaleOf(known, 6, zero);
}

/** The chart as a drawing of a width. */
export function rowsChart(chart: RowsChart, width: number) {
  const scale = chart.scale ?? rowsScale([chart]);
  const narrow = width < NARROW;
  const left = labelWidth(chart, width);
  const glyph = chart.together ? textWidth("● ", SIZE + 4) : 0;
  const values = glyph + Math.max(24, ...chart.rows.flatMap((row) => shownValues(row, chart).map((point) => textWidth(point.text, SIZE)))) + GAP + BESIDE / 2;
  const ties = tiesWidth(chart.ties);
  const plot = Math.max(60, width - left - values - ties - (narrow ? 0 : verdictsWidth(chart.rows)));
  const x = placeOn(scale, plot);
  const heights = chart.rows.map((row) => rowHeight(row, chart, narrow));
  const head = chart.line ? HEAD_OF_LINE : HEAD;
  const tops = heights.map((_, k) => head + heights.slice(0, k).reduce((sum, height) => sum + height, 0));
  const bottom = head + heights.reduce((sum, height) => sum + height, 0);
  return (
    <svg class="chart" viewBox={`0 0 ${width} ${bottom + FOOT}`} width={width} height={bottom + FOOT} role="group" aria-label={chart.label} font-size={SIZE}>
      <Hatch />
      <g transform={`translate(${left},0)`}>
        <Axis scale={scale} x={x} top={head - 4} bottom={bottom} width={plot} title={chart.axis} />
        {chart.line && <Reference at={x(chart.line.value)} text={chart.line.text} bottom={bottom} width={plot} />}
      </g>
      {chart.rows.map((row, k) => (
        <g key={row.key} transform={`translate(0,${tops[k]})`}>
          <RowLabel row={row} width={left} height={heights[k]} below={narrow && !!row.verdict} />
          <RowMarks row={row} chart={chart} left={left} plot={plot} height={heights[k]} scale={scale} />
          {row.verdict && <VerdictMark verdict={row.verdict} x={narrow ? 0 : left + plot + values + ties} y={narrow ? heights[k] / 2 + 9 : heights[k] / 2} />}
        </g>
      ))}
      {chart.ties && <Ties ties={chart.ties} x={left + plot + values} middles={heights.map((height, k) => tops[k] + height / 2)} />}
    </svg>
  );
}

function labelWidth({ rows, names }: RowsChart, width: number): number {
  const label = (row: ChartRow) => textWidth(row.label, SIZE) + (row.code ? textWidth(` ${row.code}`, 10) : 0) + (row.badge ? 26 : 0);
  const name = names ? Math.max(0, ...rows.flatMap((row) => row.points.map((point) => textWidth(point.name, 11)))) : 0;
  const note = Math.max(0, ...rows.map((row) => textWidth(row.note ?? "", 10)));
  return Math.min(0.44 * width, Math.max(50, note, name, ...rows.map(label)) + GAP);
}

function rowHeight(row: ChartRow, chart: RowsChart, narrow: boolean): number {
  const lines = chart.together ? 1 : Math.max(1, row.points.length);
  const gap = chart.rows.length >= MANY && lines === 1 ? DENSE - LINE : ROW_GAP;
  const marks = chart.together ? (chart.rows.length >= MANY ? DENSE + 3 : TOGETHER) : lines * LINE + gap;
  return Math.max(marks, row.note ? 30 : 0, narrow && row.verdict ? 36 : 0) + (chart.names ? LINE : 0);
}

/** The points whose values stand in the right column: all, or of systems on one line the best. */
function shownValues(row: ChartRow, { together }: RowsChart): RowPoint[] {
  if (!together) return row.points;
  const known = row.points.filter((point) => point.value !== null);
  return known.length ? [known.reduce((best, point) => (point.value! > best.value! ? point : best))] : row.points.slice(0, 1);
}

function RowLabel({ row, width, height, below }: { row: ChartRow; width: number; height: number; below: boolean }) {
  const room = width - GAP - (row.badge ? 26 : 0) - (row.code ? textWidth(` ${row.code}`, 10) : 0);
  const y = row.note || below ? height / 2 - 3 : height / 2 + 4;
  const text = (
    <text y={Math.min(y, 24)} fill="currentColor">
      <title>{row.label}</title>
      {fitted(row.label, room)}
      {row.code && <tspan class="code" font-size={10} dx={4}>{row.code}</tspan>}
    </text>
  );
  return (
    <>
      {row.href ? <a href={row.href}>{text}</a> : text}
      {row.note && <text class="soft" y={Math.min(y, 24) + 13} font-size={10}>{row.note}</text>}
      {row.badge && <text class="soft" x={width - GAP} y={Math.min(y, 24)} text-anchor="end">{row.badge}</text>}
    </>
  );
}

function RowMarks(props: { row: ChartRow; chart: RowsChart; left: number; plot: number; height: number; scale: Scale }) {
  const { row, chart, left, plot, height, scale } = props;
  const values = new Set(shownValues(row, chart));
  const top = chart.names ? LINE : 0;
  const lines = chart.together ? 1 : Math.max(1, row.points.length);
  const first = top + (height - top - (lines - 1) * LINE) / 2; // the lines of a row stand around its middle
  return (
    <>
      {row.points.map((point, k) => {
        const y = first + (chart.together ? 0 : k * LINE);
        return (
          <g key={point.name} transform={`translate(0,${y})`}>
            {chart.names && <text class="soft" x={left - GAP} y={4} font-size={11} text-anchor="end">{fitted(point.name, left - 2 * GAP, 11)}</text>}
            <g transform={`translate(${left},0)`}>
              <Mark point={point} scale={scale} width={plot} plain={!!chart.together} />
            </g>
            {values.has(point) && (
              <text class={point.hatched ? "soft" : undefined} x={left + plot + BESIDE} y={4} fill="currentColor">
                {chart.together && <tspan fill={colourOf(point.place)}>{GLYPHS[symbolOf(point.place)]} </tspan>}
                {point.text}
              </text>
            )}
          </g>
        );
      })}
    </>
  );
}

const GLYPHS: Record<string, string> = { circle: "●", square: "■", triangle: "▲", diamond: "◆", star: "★", cross: "✚" };

function Axis(props: { scale: Scale; x: (value: number) => number; top: number; bottom: number; width: number; title: string }) {
  const { scale, x, top, bottom, width, title } = props;
  return (
    <>
      {scale.ticks.map((tick) => (
        <g key={tick} transform={`translate(${x(tick)},0)`}>
          <line y1={top} y2={bottom} class={tick === 0 && scale.low < 0 ? "zero" : "grid"} />
          <text class="soft" y={bottom + 14} text-anchor="middle" font-size={11}>{tick < 0 ? `−${-tick}` : tick}</text>
        </g>
      ))}
      <text class="soft" x={width} y={bottom + 29} text-anchor="end" font-size={11}>{title}</text>
    </>
  );
}

function Reference({ at, text, bottom, width }: { at: number; text: string; bottom: number; width: number }) {
  const anchor = at > 0.7 * width ? "end" : at < 0.3 * width ? "start" : "middle";
  return (
    <g>
      <line x1={at} x2={at} y1={HEAD_OF_LINE - 6} y2={bottom + 3} class="reference" />
      <text class="soft" x={at} y={10} text-anchor={anchor} font-size={10}>{text}</text>
    </g>
  );
}

/** Marks of few units are hatched. */
function Hatch() {
  return (
    <defs>
      <pattern id="hatch" width={4} height={4} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <line y2={4} stroke="currentColor" stroke-width={1.6} />
      </pattern>
    </defs>
  );
}
