// Parts of a whole, a bar for each system: error shares, or exact and partial matches.
import * as Plot from "@observablehq/plot";

export interface Part {
  row: string; // the bar
  part: string;
  value: number;
  text: string;
  tip: string;
  href: string;
}

const FILLS = ["#0072b2", "#e69f00", "#bdbdbd", "#cc79a7", "#009e73", "#d55e00", "#56b4e9", "#f0e442"];

export function partColour(place: number): string {
  return FILLS[place % FILLS.length];
}

export function stackChart(
  chart: { label: string; parts: Part[]; rows: string[]; names: string[]; axis: string },
  width: number,
): SVGElement | HTMLElement {
  const most = Math.max(...chart.rows.map((row) => total(chart.parts, row)), 1e-9);
  const wide = (part: Part) => (part.value / most) * (width - 150) > 7 * part.text.length;
  const order = (part: Part) => chart.names.indexOf(part.part);
  return Plot.plot({
    width,
    height: 34 + 26 * chart.rows.length,
    marginLeft: Math.min(150, Math.max(...chart.rows.map((row) => 6.6 * row.length)) + 12),
    marginTop: 4,
    marginBottom: 30,
    style: { fontSize: "11px", background: "none" },
    ariaLabel: chart.label,
    x: { label: chart.axis, ticks: 5 },
    y: { domain: chart.rows, label: null },
    marks: [
      Plot.barX(
        chart.parts,
        Plot.stackX({ y: "row", x: "value", fill: (part: Part) => partColour(order(part)), order, href: "href", ariaLabel: "tip", inset: 0.5 }),
      ),
      Plot.text(
        chart.parts,
        Plot.stackX({ y: "row", x: "value", order, text: (part: Part) => (wide(part) ? part.text : ""), pointerEvents: "none", fill: (part: Part) => ([0, 5].includes(order(part)) ? "#fff" : "#111") }),
      ),
      Plot.ruleX([0]),
    ],
  });
}

function total(parts: Part[], row: string): number {
  return parts.filter((part) => part.row === row).reduce((sum, part) => sum + part.value, 0);
}
