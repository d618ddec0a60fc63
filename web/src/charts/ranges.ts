// From the worst to the best bucket of each attribute, both named.
import * as Plot from "@observablehq/plot";
import { colourOf } from "../colours";

export interface Range {
  attribute: string;
  system: string;
  place: number;
  low: number;
  high: number;
  worst: string;
  best: string;
  sure: boolean;
  tip: string;
  hrefWorst: string;
  hrefBest: string;
}

export function rangeChart(
  chart: { label: string; ranges: Range[]; attributes: string[]; systems: string[]; axis: string; zero?: boolean },
  width: number,
): SVGElement | HTMLElement {
  const colour = (range: Range) => colourOf(range.place);
  const shared = { y: "system", fy: "attribute" } as const;
  return Plot.plot({
    width,
    height: 34 + chart.attributes.length * (16 * chart.systems.length + 10),
    marginLeft: 100,
    marginRight: 46,
    marginTop: 4,
    marginBottom: 30,
    style: { fontSize: "11px", background: "none", overflow: "visible" },
    ariaLabel: chart.label,
    x: { label: null, nice: true, inset: 24 },
    y: { domain: chart.systems, axis: null, padding: 0.5 },
    fy: { domain: chart.attributes, padding: 0.12 },
    marks: [
      Plot.axisFy({ anchor: "left", label: null }),
      Plot.axisX({ anchor: "bottom", label: chart.axis, ticks: 5 }),
      Plot.gridX({ strokeOpacity: 0.12 }),
      chart.zero ? Plot.ruleX([0]) : null,
      Plot.ruleY(chart.ranges, {
        ...shared,
        x1: "low",
        x2: "high",
        stroke: colour,
        strokeWidth: 2,
        strokeOpacity: (range: Range) => (range.sure ? 1 : 0.45),
      }),
      Plot.dot(chart.ranges, { ...shared, x: "low", r: 3.5, stroke: colour, fill: "white", href: "hrefWorst", ariaLabel: "tip" }),
      Plot.dot(chart.ranges, { ...shared, x: "high", r: 3.5, fill: colour, href: "hrefBest", ariaLabel: "tip" }),
      Plot.text(chart.ranges, { ...shared, x: "low", text: "worst", textAnchor: "end", dx: -7 }),
      Plot.text(chart.ranges, { ...shared, x: "high", text: "best", textAnchor: "start", dx: 7 }),
    ],
  });
}
