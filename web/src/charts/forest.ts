// Differences with their intervals, one below the other, about the line of no difference.
import * as Plot from "@observablehq/plot";
import { BETTER, UNDECIDED, WORSE } from "../colours";

export interface Gap {
  name: string;
  value: number; // in points; above 0 if A is better
  low: number | null;
  high: number | null;
  sure: boolean;
  text: string;
  tip: string;
  href: string;
}

export function forestChart(chart: { label: string; gaps: Gap[]; axis: string }, width: number): SVGElement | HTMLElement {
  const colour = (gap: Gap) => (!gap.sure ? UNDECIDED : gap.value > 0 ? BETTER : WORSE);
  return Plot.plot({
    width,
    height: 44 + 17 * chart.gaps.length,
    marginLeft: Math.min(190, Math.max(60, ...chart.gaps.map((gap) => 6.6 * gap.name.length + 12))),
    marginRight: 56,
    marginTop: 6,
    marginBottom: 34,
    style: { fontSize: "11px", background: "none", overflow: "visible" },
    ariaLabel: chart.label,
    x: { label: chart.axis, nice: true, ticks: 5 },
    y: { domain: chart.gaps.map((gap) => gap.name), label: null, tickSize: 0 },
    symbol: { type: "identity" } as Plot.ScaleOptions,
    marks: [
      Plot.gridX({ strokeOpacity: 0.12 }),
      Plot.ruleX([0]),
      Plot.ruleY(
        chart.gaps.filter((gap) => gap.low !== null),
        { y: "name", x1: "low", x2: "high", stroke: colour, strokeWidth: 1.5 },
      ),
      Plot.dot(chart.gaps, {
        y: "name",
        x: "value",
        r: 4,
        fill: colour,
        symbol: (gap: Gap) => (gap.sure ? "circle" : "diamond"),
        href: "href",
        ariaLabel: "tip",
      }),
      Plot.text(chart.gaps, {
        y: "name",
        x: (gap: Gap) => Math.max(gap.value, gap.high ?? gap.value),
        text: "text",
        textAnchor: "start",
        dx: 6,
      }),
    ],
  });
}
