// A number by level and system, with intervals: bars from zero, or dots on an axis that fits.
import * as Plot from "@observablehq/plot";
import { colourOf, symbolOf } from "../colours";

export interface Point {
  level: string;
  system: string;
  place: number; // of the system among all: its colour and mark
  value: number | null;
  low: number | null;
  high: number | null;
  text: string;
  tip: string;
  href: string;
}

export interface LevelChart {
  label: string;
  points: Point[];
  levels: { name: string; title: string }[]; // in order
  systems: string[];
  bars: boolean;
  axis: string;
}

const ROW = 15; // pixels of a system

export function levelChart(chart: LevelChart, width: number): SVGElement | HTMLElement {
  const titles = new Map(chart.levels.map(({ name, title }) => [name, title]));
  const drawn = chart.points.filter((point) => point.value !== null);
  const shared = { y: "system", fy: "level" } as const;
  const link = { href: "href", ariaLabel: "tip" } as const;
  const left = Math.min(150, Math.max(...chart.levels.map(({ title }) => 6.6 * longest(title))) + 12);
  const marks: Plot.Markish[] = [
    Plot.axisFy({ anchor: "left", label: null, tickFormat: (level: string) => titles.get(level) ?? level }),
    Plot.gridX({ strokeOpacity: 0.12 }),
    Plot.axisX({ anchor: "bottom", label: chart.axis, ticks: 5 }),
    Plot.text(
      chart.points.filter((point) => point.value === null),
      { ...shared, text: "text", frameAnchor: "left", textAnchor: "start", dx: 4, ariaLabel: "tip" },
    ),
  ];
  if (chart.bars)
    marks.push(
      Plot.barX(drawn, { ...shared, ...link, x: "value", fill: (point: Point) => colourOf(point.place), fillOpacity: 0.75 }),
      Plot.ruleX([0]),
    );
  marks.push(
    Plot.ruleY(
      drawn.filter((point) => point.low !== null),
      { ...shared, x1: "low", x2: "high", stroke: chart.bars ? "currentColor" : (point: Point) => colourOf(point.place), strokeWidth: 1.5 },
    ),
  );
  if (!chart.bars)
    marks.push(
      Plot.dot(drawn, {
        ...shared,
        ...link,
        x: "value",
        r: 4,
        fill: (point: Point) => colourOf(point.place),
        symbol: (point: Point) => symbolOf(point.place),
      }),
    );
  marks.push(
    Plot.text(drawn, {
      ...shared,
      x: (point: Point) => Math.max(point.value!, point.high ?? 0),
      text: "text",
      textAnchor: "start",
      dx: 6,
      pointerEvents: "none",
    }),
  );
  return Plot.plot({
    width,
    height: 36 + chart.levels.length * (chart.systems.length * ROW + 14),
    marginLeft: left,
    marginRight: 52,
    marginTop: 4,
    marginBottom: 32,
    style: { fontSize: "11px", background: "none", overflow: "visible" },
    ariaLabel: chart.label,
    x: { domain: chart.bars ? [0, highest(drawn)] : domain(drawn), nice: !chart.bars },
    y: { domain: chart.systems, axis: null, padding: chart.bars ? 0.15 : 0.5 },
    fy: { domain: chart.levels.map(({ name }) => name), padding: 0.16 },
    symbol: { type: "identity" } as Plot.ScaleOptions,
    marks,
  });
}

function longest(title: string): number {
  return Math.max(...title.split("\n").map((line) => line.length));
}

function highest(points: Point[]): number {
  return Math.max(0.01, ...points.map((point) => Math.max(point.value!, point.high ?? 0)));
}

/** From the least to the most that is drawn. */
function domain(points: Point[]): [number, number] {
  const low = Math.min(...points.map((point) => Math.min(point.value!, point.low ?? 100)));
  const high = highest(points);
  return Number.isFinite(low) && low < high ? [low, high] : [0, Math.max(high, 1)];
}
