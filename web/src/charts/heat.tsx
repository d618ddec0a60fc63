// Numbers by row and column, each cell shaded by its size: colour scales start at the colour of the paper.
import { signedTip } from "../signed";
import { fitted, textWidth } from "./scale";

export interface HeatCell {
  row: string;
  column: string;
  text: string;
  share: number; // of the strongest shade, from −1 to 1
  tip: string;
  href?: string;
  count?: string;
  title?: string; // a second, small line
}

export interface HeatChart {
  label: string;
  rows: string[];
  columns: string[];
  cells: HeatCell[];
  corner?: string; // what rows and columns are
}

const CELL = 26;
const HEAD = 46; // a line for what rows and columns are, and one for the columns
const STRONGEST = 0.75; // opacity at which text is still easy to read, in light and dark

export function heatChart(chart: HeatChart, width: number) {
  const left = Math.min(0.35 * width, Math.max(...chart.rows.map((row) => textWidth(row))) + 12);
  const widest = Math.max(44, ...chart.cells.map((cell) => textWidth(cell.text, 12) + 12), ...chart.columns.map((column) => textWidth(column, 11) + 8));
  const step = Math.min(widest, (width - left) / Math.max(1, chart.columns.length));
  const tall = chart.cells.some((cell) => cell.title) ? CELL + 12 : CELL;
  const height = HEAD + tall * chart.rows.length + 4;
  return (
    <svg class="chart" viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="group" aria-label={chart.label} font-size={12}>
      {chart.corner && <text class="soft" y={12} font-size={11}>{fitted(chart.corner, width, 11)}</text>}
      {chart.columns.map((column, k) => (
        <text key={column} class="soft" x={left + (k + 0.5) * step} y={HEAD - 10} text-anchor="middle" font-size={11}>
          <title>{column}</title>
          {fitted(column, step - 3, 11)}
        </text>
      ))}
      {chart.rows.map((row, k) => (
        <text key={row} y={HEAD + (k + 0.5) * tall + 4} fill="currentColor"><title>{row}</title>{fitted(row, left - 8)}</text>
      ))}
      {chart.cells.map((cell) => (
        <g key={JSON.stringify([cell.row, cell.column])} transform={`translate(${left + chart.columns.indexOf(cell.column) * step},${HEAD + chart.rows.indexOf(cell.row) * tall})`}>
          <Body cell={cell} width={step} height={tall} />
        </g>
      ))}
    </svg>
  );
}

function Body({ cell, width, height }: { cell: HeatCell; width: number; height: number }) {
  const middle = height / 2 + (cell.title ? -2 : 4);
  const body = (
    <>
      <rect x={0.5} y={0.5} width={Math.max(1, width - 1)} height={height - 1} class={cell.share < 0 ? "heat-low" : "heat-high"} fill-opacity={STRONGEST * Math.min(1, Math.abs(cell.share))} />
      <text x={width / 2} y={middle} text-anchor="middle" fill="currentColor">{fitted(cell.text, width - 2)}</text>
      {cell.title && <text x={width / 2} y={middle + 13} text-anchor="middle" font-size={10} class="soft">{fitted(cell.title, width - 2, 10)}</text>}
    </>
  );
  if (cell.href) return <a href={cell.href} aria-label={signedTip(cell.tip)} data-count={cell.count}>{body}</a>;
  return <g role="img" aria-label={signedTip(cell.tip)}>{body}</g>;
}
