// Beside rows of scores: the verdict on each, and brackets around rows that do not differ clearly.
import { signedTip } from "../signed";
import { textWidth } from "./scale";

export interface VerdictWord {
  text: string;
  tone: "good" | "bad" | "even";
  tip: string;
  href?: string;
}

/** Rows of which no two differ clearly, by their places in the chart. */
export interface Tie {
  rows: number[];
  tip: string;
}

const SIZE = 11;
const STEP = 8; // pixels between two brackets
const PADDING = 5;

export const verdictsWidth = (rows: { verdict?: VerdictWord }[]): number =>
  Math.max(0, ...rows.map(({ verdict }) => (verdict ? textWidth(verdict.text, SIZE) + 2 * PADDING + 6 : 0)));

export const tiesWidth = (ties: Tie[] = []): number => (ties.length ? ties.length * STEP + 6 : 0);

export function VerdictMark({ verdict, x, y }: { verdict: VerdictWord; x: number; y: number }) {
  const width = textWidth(verdict.text, SIZE) + 2 * PADDING;
  const body = (
    <>
      <rect y={-7} width={width} height={14} rx={3} />
      <text x={width / 2} y={4} font-size={SIZE} text-anchor="middle">{verdict.text}</text>
    </>
  );
  return (
    <g class={`verdict ${verdict.tone}`} transform={`translate(${x},${y})`}>
      {verdict.href ? (
        <a href={verdict.href} aria-label={signedTip(verdict.tip)}>{body}</a>
      ) : (
        <g role="img" aria-label={signedTip(verdict.tip)}>{body}</g>
      )}
    </g>
  );
}

/** A line for each tie, with a dot at each of its rows: a row without a dot is not one of them. */
export function Ties({ ties, x, middles }: { ties: Tie[]; x: number; middles: number[] }) {
  return (
    <>
      {ties.map(({ rows, tip }, k) => (
        <g key={k} class="tie" role="img" aria-label={signedTip(tip)} transform={`translate(${x + k * STEP + 4},0)`}>
          <rect x={-STEP / 2} width={STEP} y={middles[rows[0]] - 5} height={middles[rows.at(-1)!] - middles[rows[0]] + 10} fill="transparent" stroke="none" />
          <line y1={middles[rows[0]]} y2={middles[rows.at(-1)!]} />
          {rows.map((row) => <circle key={row} cy={middles[row]} r={2.4} />)}
        </g>
      ))}
    </>
  );
}
