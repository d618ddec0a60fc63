// One number with its interval and the values behind it, on an axis of its own.
import { signedTip } from "../signed";
import { placeOn, percentScale } from "./scale";

export interface StripChart {
  label: string;
  value: number;
  low: number | null;
  high: number | null;
  dots: { name: string; value: number }[];
  colour: string;
  hatched: boolean;
}

const EDGE = 14; // room for the labels of the outer ticks
const MIDDLE = 15;
const HEIGHT = 48;

export function stripChart({ label, value, low, high, dots, colour, hatched }: StripChart, width: number) {
  const known = [value, low, high, ...dots.map((dot) => dot.value)].filter((one): one is number => one !== null);
  const scale = percentScale(known, 5);
  const x = placeOn(scale, width - 2 * EDGE);
  return (
    <svg class="chart" viewBox={`0 0 ${width} ${HEIGHT}`} width={width} height={HEIGHT} role="img" aria-label={signedTip(label)} font-size={11}>
      <g transform={`translate(${EDGE},0)`} style={{ color: colour }}>
        {scale.ticks.map((tick) => (
          <g key={tick} transform={`translate(${x(tick)},0)`}>
            <line y1={3} y2={MIDDLE + 14} class="grid" />
            <text class="soft" y={HEIGHT - 5} text-anchor="middle">{tick}</text>
          </g>
        ))}
        {low !== null && high !== null && (
          <rect x={x(low)} width={Math.max(2, x(high) - x(low))} y={MIDDLE - 6} height={12} rx={3} fill={colour} fill-opacity={hatched ? 0.15 : 0.3} />
        )}
        {dots.map((dot) => <circle key={dot.name} cx={x(dot.value)} cy={MIDDLE} r={3} fill={colour} fill-opacity={0.45}><title>{dot.name}</title></circle>)}
        <line x1={x(value)} x2={x(value)} y1={MIDDLE - 9} y2={MIDDLE + 9} stroke={colour} stroke-width={3} />
      </g>
    </svg>
  );
}
