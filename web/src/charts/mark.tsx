// One number in a chart: its interval, its runs, and a symbol at its value.
import { colourOf, symbolOf } from "../colours";
import { signedTip } from "../signed";
import { type Scale, placeOn } from "./scale";

export interface MarkPoint {
  place: number; // of the system among all: its colour and symbol
  value: number | null;
  low: number | null;
  high: number | null;
  runs?: number[]; // faint dots
  hatched?: boolean; // few units: never a headline
  colour?: string; // instead of that of the system
  tip: string;
  href?: string;
  count?: string; // of the list that the link opens
}

export const SHAPES: Record<string, string> = {
  circle: "M4.5 0a4.5 4.5 0 1 1-9 0a4.5 4.5 0 1 1 9 0z",
  square: "M-4 -4h8v8h-8z",
  triangle: "M0 -5L5 4H-5z",
  diamond: "M0 -5.4L4.6 0L0 5.4L-4.6 0z",
  star: "M0 -5.5L1.5 -1.7L5.5 -1.6L2.4 1L3.4 5L0 2.7L-3.4 5L-2.4 1L-5.5 -1.6L-1.5 -1.7z",
  cross: "M-1.6 -5h3.2v3.4h3.4v3.2h-3.4v3.4h-3.2v-3.4h-3.4v-3.2h3.4z",
};

/** The mark on an axis; `plain` draws no interval, because several systems share the line. */
export function Mark({ point, scale, width, plain }: { point: MarkPoint; scale: Scale; width: number; plain?: boolean }) {
  if (point.value === null) return null; // undefined is not drawn: the value column has a dash
  const x = placeOn(scale, width);
  const colour = point.colour ?? colourOf(point.place);
  const symbol = (
    <path
      d={SHAPES[symbolOf(point.place)]}
      transform={`translate(${x(point.value)},0)`}
      fill={point.hatched ? "url(#hatch)" : colour}
      stroke={colour}
      style={{ color: colour }}
      role={point.href ? undefined : "img"}
      aria-label={point.href ? undefined : signedTip(point.tip)}
    />
  );
  return (
    <>
      {!plain && point.low !== null && point.high !== null && (
        <Interval low={x(point.low)} high={x(point.high)} width={width} colour={colour} faint={!!point.hatched} />
      )}
      {point.runs?.map((run, k) => <circle key={k} cx={x(run)} r={2} fill={colour} fill-opacity={0.35} />)}
      {point.href ? (
        <a href={point.href} aria-label={signedTip(point.tip)} data-count={point.count}>
          <rect x={x(point.value) - 8} y={-8} width={16} height={16} fill="transparent" />
          {symbol}
        </a>
      ) : (
        symbol
      )}
    </>
  );
}

/** An interval; where it leaves the plot, an arrow says so. */
function Interval(props: { low: number; high: number; width: number; colour: string; faint: boolean }) {
  const { low, high, width, colour, faint } = props;
  return (
    <g stroke={colour} fill={colour} opacity={faint ? 0.4 : 0.75}>
      <line x1={Math.max(low, 0)} x2={Math.min(high, width)} stroke-width={2} />
      {low < 0 && <path d="M0 0l6 -4v8z" />}
      {high > width && <path d={`M${width} 0l-6 -4v8z`} />}
    </g>
  );
}
