// Parts of a whole, a bar for each system.
import { fitted, placeOn, scaleOf, textWidth } from "./scale";
import { signedTip } from "../signed";

export interface Part {
  name: string;
  colour: string;
  value: number;
  text: string;
  tip: string;
  href?: string;
  count?: string;
}

export interface Bar {
  name: string;
  parts: Part[];
  total: string; // in the right column
}

export interface StackChart {
  label: string;
  bars: Bar[];
  axis: string;
  share?: boolean; // every bar is as long as the plot
}

const STEP = 28; // pixels from bar to bar
const DENSE = 18; // of many bars
const MANY = 14;
const SPACE = 6; // between two bars
const HEAD = 6;
const FOOT = 32;

export function stackChart(chart: StackChart, width: number) {
  const left = Math.min(0.4 * width, Math.max(...chart.bars.map(({ name }) => textWidth(name))) + 10);
  const right = Math.max(...chart.bars.map(({ total }) => textWidth(total))) + 8;
  const plot = Math.max(60, width - left - right);
  const sums = chart.bars.map(({ parts }) => parts.reduce((sum, part) => sum + part.value, 0));
  const scale = scaleOf([0, chart.share ? 100 : Math.max(...sums, 1)], 6, true);
  const step = chart.bars.length < MANY ? STEP : DENSE;
  const tall = chart.bars.length < MANY ? STEP - SPACE : DENSE - 2;
  const bottom = HEAD + step * chart.bars.length;
  return (
    <svg class="chart" viewBox={`0 0 ${width} ${bottom + FOOT}`} width={width} height={bottom + FOOT} role="group" aria-label={chart.label} font-size={12}>
      <g transform={`translate(${left},0)`}>
        {scale.ticks.map((tick) => {
          const at = placeOn(scale, plot)(tick);
          return (
            <g key={tick} transform={`translate(${at},0)`}>
              <line y1={HEAD - 4} y2={bottom} class="grid" />
              <text class="soft" y={bottom + 14} text-anchor="middle" font-size={11}>{tick}</text>
            </g>
          );
        })}
        <text class="soft" x={plot} y={bottom + 29} text-anchor="end" font-size={11}>{chart.axis}</text>
      </g>
      {chart.bars.map((bar, k) => (
        <g key={bar.name} transform={`translate(0,${HEAD + step * k})`}>
          <text y={tall / 2 + 4} fill="currentColor"><title>{bar.name}</title>{fitted(bar.name, left - 8)}</text>
          <g transform={`translate(${left},0)`}>
            <Parts bar={bar} tall={tall} scaled={(value) => placeOn(scale, plot)(chart.share ? (100 * value) / (sums[k] || 1) : value)} />
          </g>
          <text x={left + plot + 6} y={tall / 2 + 4} fill="currentColor">{bar.total}</text>
        </g>
      ))}
    </svg>
  );
}

function Parts({ bar, tall, scaled }: { bar: Bar; tall: number; scaled: (value: number) => number }) {
  let before = 0;
  return (
    <>
      {bar.parts.map((part) => {
        const start = scaled(before);
        before += part.value;
        const width = Math.max(0, scaled(before) - start - 1);
        if (!part.value) return null;
        const body = (
          <>
            <rect x={start} width={Math.max(width, 1)} height={tall} fill={part.colour} />
            {width > textWidth(part.text, 11) + 6 && (
              <text x={start + width / 2} y={tall / 2 + 4} text-anchor="middle" font-size={11} fill={inkOn(part.colour)}>{part.text}</text>
            )}
          </>
        );
        return part.href ? (
          <a key={part.name} href={part.href} aria-label={signedTip(part.tip)} data-count={part.count}>{body}</a>
        ) : (
          <g key={part.name} role="img" aria-label={signedTip(part.tip)}>{body}</g>
        );
      })}
    </>
  );
}

/** Black or white, whichever contrasts more with a colour such as #0072b2. */
export function inkOn(colour: string): string {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255).map((part) => (part <= 0.04 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.2 ? "#111" : "#fff";
}
