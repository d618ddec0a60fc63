// How wide words are on this screen, and which of them share a line.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { RefObject } from "preact";

const FAMILY = "system-ui, sans-serif";
const known = new Map<string, number>();
let pen: CanvasRenderingContext2D | null = null;

/** The width of a text in pixels. */
export function widthOf(text: string, size: number, weight = 400): number {
  const key = `${weight} ${size} ${text}`;
  let width = known.get(key);
  if (width === undefined) {
    pen ??= document.createElement("canvas").getContext("2d")!;
    pen.font = `${weight} ${size}px ${FAMILY}`;
    known.set(key, (width = pen.measureText(text).width));
  }
  return width;
}

/** A text cut to a width. */
export function cutTo(text: string, width: number, size: number, weight = 400): string {
  if (widthOf(text, size, weight) <= width) return text;
  const characters = [...text];
  while (characters.length > 1 && widthOf(`${characters.join("")}…`, size, weight) > width) characters.pop();
  return characters.length > 1 ? `${characters.join("")}…` : characters[0];
}

/** The width of an element, followed as it changes. */
export function useWidth<Kind extends HTMLElement>(): [RefObject<Kind>, number] {
  const element = useRef<Kind>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    setWidth(Math.floor(element.current!.clientWidth));
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry.contentRect.width)));
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, []);
  return [element, width];
}

/** Lines [from, to) of pieces with these widths; a break is allowed before the pieces that say so. */
export function brokenLines(widths: number[], mayBreak: (piece: number) => boolean, most: number): [number, number][] {
  const lines: [number, number][] = [];
  let [from, last, width] = [0, 0, 0]; // `last`: where this line may end at the latest
  for (let piece = 0; piece < widths.length; piece++) {
    if (mayBreak(piece)) last = piece;
    width += widths[piece];
    if (width <= most || last <= from) continue;
    lines.push([from, last]);
    width = widths.slice(last, piece + 1).reduce((sum, one) => sum + one, 0);
    from = last;
  }
  if (from < widths.length) lines.push([from, widths.length]);
  return lines;
}
