// A chart with its title, legend and ways to save it; it is drawn anew when its width changes.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { colourOf, symbolOf } from "./colours";
import { savePng, saveSvg } from "./save";
import { useSigned } from "./signed";

export function Figure(props: {
  title: string;
  note?: string;
  legend?: LegendEntry[];
  children: ComponentChildren;
}) {
  const figure = useRef<HTMLDivElement>(null);
  const { title, note, legend } = props;
  return (
    <figure class="figure">
      <figcaption>
        <span class="figure-title">{title}</span>
        <span class="tools">
          <button type="button" aria-label={`Save ${title} as SVG`} onClick={() => saveSvg(figure.current!, title)}>
            SVG
          </button>
          <button type="button" aria-label={`Save ${title} as PNG`} onClick={() => savePng(figure.current!, title)}>
            PNG
          </button>
        </span>
      </figcaption>
      {note && <p class="note">{note}</p>}
      <div ref={figure}>
        {legend && legend.length > 1 && <Legend entries={legend} />}
        {props.children}
      </div>
    </figure>
  );
}

export interface LegendEntry {
  name: string;
  colour: string;
  symbol?: string;
}

/** Systems with their colours and marks. */
export function systemLegend(all: string[], shown: string[]): LegendEntry[] {
  return shown.map((name) => {
    const place = all.indexOf(name);
    return { name, colour: colourOf(place), symbol: symbolOf(place) };
  });
}

const SHAPES: Record<string, string> = {
  circle: "M9 5a4 4 0 1 1-8 0a4 4 0 1 1 8 0z",
  square: "M1.5 1.5h7v7h-7z",
  triangle: "M5 1L9.5 9h-9z",
  diamond: "M5 0L9 5L5 10L1 5z",
  star: "M5 0L6.5 3.5L10 3.8L7.3 6.2L8.2 10L5 7.9L1.8 10L2.7 6.2L0 3.8L3.5 3.5z",
  cross: "M3.5 1h3v2.5H9v3H6.5V9h-3V6.5H1v-3h2.5z",
};

/** A drawing, so that it is saved with the chart. */
function Legend({ entries }: { entries: LegendEntry[] }) {
  return (
    <div class="legend">
      {entries.map(({ name, colour, symbol }) => (
        <svg key={name} width={name.length * 7 + 24} height={16} role="img" aria-label={name}>
          <path d={SHAPES[symbol ?? "square"]} fill={colour} transform="translate(2,3)" />
          <text x={17} y={12} font-size={12} fill="currentColor">
            {name}
          </text>
        </svg>
      ))}
    </div>
  );
}

/** A chart as wide as there is room. */
export function Drawing<Chart>({ plot, chart }: { plot: (chart: Chart, width: number) => Element; chart: Chart }) {
  const holder = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const signed = useSigned();
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry.contentRect.width)));
    observer.observe(holder.current!);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (!width) return;
    const drawn = plot(chart, width);
    makeReadable(drawn, signed);
    holder.current!.replaceChildren(drawn);
  }, [JSON.stringify(chart), width]);
  return <div class="drawing" ref={holder} />;
}

/** Marks that link somewhere get an accessible name; the label of the figure describes the rest. */
function makeReadable(drawn: Element, signed: (tip: string) => string): void {
  const sheets = drawn.matches("svg") ? [drawn] : [...drawn.querySelectorAll("svg")];
  for (const sheet of sheets) {
    sheet.setAttribute("role", "group");
    for (const group of sheet.querySelectorAll("g[aria-label]")) group.removeAttribute("aria-label");
    for (const hidden of sheet.querySelectorAll("text")) hidden.setAttribute("aria-hidden", "true");
    for (const link of sheet.querySelectorAll("a")) {
      const mark = link.querySelector("[aria-label]");
      if (!mark) continue;
      link.setAttribute("aria-label", signed(mark.getAttribute("aria-label")!));
      mark.removeAttribute("aria-label");
    }
    for (const mark of sheet.querySelectorAll("[aria-label]:not(a)")) mark.setAttribute("role", "img");
  }
}
