// A chart with its title, legend and buttons that save it; it is drawn again when its width changes.
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { SHAPES } from "./charts/mark";
import { textWidth } from "./charts/scale";
import { colourOf, symbolOf } from "./colours";
import { savePng, saveSvg } from "./save";

export interface LegendEntry {
  name: string;
  colour: string;
  symbol?: string;
}

export function Figure(props: {
  title: string;
  n?: string; // what the numbers rest on; saved figures show it
  note?: ComponentChildren;
  legend?: LegendEntry[];
  children: ComponentChildren;
}) {
  const figure = useRef<HTMLDivElement>(null);
  const { title, n, note, legend } = props;
  return (
    <figure class="figure">
      <figcaption>
        <span class="figure-title">{title} {n && <small>{n}</small>}</span>
        <span class="tools">
          <button type="button" aria-label={`Save ${title} as SVG`} onClick={() => saveSvg(figure.current!, title, n)}>SVG</button>
          <button type="button" aria-label={`Save ${title} as PNG`} onClick={() => savePng(figure.current!, title, n)}>PNG</button>
        </span>
      </figcaption>
      <div ref={figure}>
        {legend && legend.length > 1 && <Legend entries={legend} />}
        {props.children}
      </div>
      {note && <p class="note">{note}</p>}
    </figure>
  );
}

/** Systems with their colours and symbols. */
export function systemLegend(all: string[], shown: string[]): LegendEntry[] {
  return shown.map((name) => {
    const place = all.indexOf(name);
    return { name, colour: colourOf(place), symbol: symbolOf(place) };
  });
}

/** Drawn, not written, so that it is saved with the chart. */
function Legend({ entries }: { entries: LegendEntry[] }) {
  return (
    <div class="legend">
      {entries.map(({ name, colour, symbol }) => (
        <svg key={name} width={textWidth(name) + 30} height={18} role="img" aria-label={name}>
          <path d={SHAPES[symbol ?? "square"]} fill={colour} transform="translate(7,9)" />
          <text x={17} y={13} font-size={12} fill="currentColor">{name}</text>
        </svg>
      ))}
    </div>
  );
}

/** A chart as wide as its room. */
export function Drawing<Chart>({ draw, chart }: { draw: (chart: Chart, width: number) => JSX.Element; chart: Chart }) {
  const holder = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry.contentRect.width)));
    observer.observe(holder.current!);
    return () => observer.disconnect();
  }, []);
  return <div class="drawing" ref={holder}>{width > 0 && draw(chart, width)}</div>;
}
