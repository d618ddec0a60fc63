// Scores that grow as the criterion gets more lenient: a staircase for each system.
import { colourOf } from "../colours";
import { signedTip } from "../signed";
import { type Scale, fitted, placeOn } from "./scale";

export interface Step {
  name: string; // the criterion
  value: number | null;
  text: string;
  tip: string;
  href?: string;
}

export interface StepsChart {
  label: string;
  title: string;
  place: number; // of the system among all
  steps: Step[];
  scale: Scale; // shared by all systems
  axis: string;
}

const HEIGHT = 190;
const HEAD = 26;
const FOOT = 40;
const LEFT = 34;

export function stepsChart(chart: StepsChart, width: number) {
  const y = placeOn({ ...chart.scale, low: chart.scale.high, high: chart.scale.low }, HEIGHT - HEAD - FOOT);
  const step = (width - LEFT) / Math.max(1, chart.steps.length);
  const colour = colourOf(chart.place);
  const known = chart.steps.map((one, k) => ({ ...one, k })).filter((one) => one.value !== null);
  const path = known.map(({ value, k }, at) => `${at ? "V" : `M${k * step} `}${y(value!)}H${(k + 1) * step}`).join("");
  return (
    <svg class="chart" viewBox={`0 0 ${width} ${HEIGHT}`} width={width} height={HEIGHT} role="group" aria-label={chart.label} font-size={11}>
      <text y={13} font-size={12} font-weight={600} fill="currentColor">{fitted(chart.title, width)}</text>
      <g transform={`translate(${LEFT},${HEAD})`}>
        {chart.scale.ticks.map((tick) => (
          <g key={tick} transform={`translate(0,${y(tick)})`}>
            <line x2={width - LEFT} class="grid" />
            <text class="soft" x={-5} y={4} text-anchor="end">{tick}</text>
          </g>
        ))}
        <path d={path} fill="none" stroke={colour} stroke-width={2.5} />
        {known.map(({ name, value, text, tip, href, k }) => {
          const label = <text x={(k + 0.5) * step} y={y(value!) - 5} text-anchor="middle" fill="currentColor">{text}</text>;
          return href ? <a key={name} href={href} aria-label={signedTip(tip)}>{label}</a> : <g key={name} role="img" aria-label={signedTip(tip)}>{label}</g>;
        })}
        {chart.steps.map(({ name }, k) => (
          <text key={name} class="soft" x={(k + 0.5) * step} y={HEIGHT - HEAD - FOOT + 15} text-anchor="middle">
            <title>{name}</title>
            {fitted(name, step - 4, 11)}
          </text>
        ))}
        <text class="soft" x={width - LEFT} y={HEIGHT - HEAD - FOOT + 32} text-anchor="end">{chart.axis}</text>
      </g>
    </svg>
  );
}
