// Cells by row and column, each with its number: changes by bucket, or types against types.
import * as Plot from "@observablehq/plot";
import { diverging, inkOn } from "../colours";

export interface HeatCell {
  row: string;
  column: string;
  value: number | null;
  text: string;
  tip: string;
  href: string;
}

export function heatChart(
  chart: { label: string; cells: HeatCell[]; rows: string[]; columns: string[]; most: number; x?: string; y?: string },
  width: number,
): SVGElement | HTMLElement {
  const known = chart.cells.filter((cell) => cell.value !== null);
  const left = Math.min(150, Math.max(...chart.rows.map((row) => 6.6 * row.length)) + (chart.y ? 28 : 14));
  return Plot.plot({
    width: Math.min(width, left + 30 + 74 * chart.columns.length),
    height: 46 + 24 * chart.rows.length,
    marginLeft: left,
    marginTop: 38,
    marginBottom: 6,
    style: { fontSize: "11px", background: "none" },
    ariaLabel: chart.label,
    x: { domain: chart.columns, axis: "top", label: chart.x ?? null, tickSize: 0 },
    y: { domain: chart.rows, label: chart.y ?? null, tickSize: 0 },
    marks: [
      Plot.cell(known, {
        x: "column",
        y: "row",
        fill: (cell: HeatCell) => diverging(cell.value!, chart.most),
        inset: 0.5,
        href: "href",
        ariaLabel: "tip",
      }),
      Plot.text(chart.cells, {
        x: "column",
        y: "row",
        text: "text",
        fill: (cell: HeatCell) => (cell.value === null ? "currentColor" : inkOn(cell.value, chart.most)),
        pointerEvents: "none",
      }),
    ],
  });
}
