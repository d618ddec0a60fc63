// The axis of a chart: ends at multiples of a round step, with a tick at each of them.

export interface Scale {
  low: number;
  high: number;
  ticks: number[];
}

/** An axis that holds all values, with at most `most` ticks. */
export function scaleOf(values: number[], most = 6, zero = false): Scale {
  const known = values.filter(Number.isFinite);
  let low = Math.min(...known, ...(zero ? [0] : []));
  let high = Math.max(...known, ...(zero ? [0] : []));
  if (!known.length) [low, high] = [0, 1];
  if (low === high) [low, high] = zero && low >= 0 ? [0, high || 1] : [low - 1, high + 1];
  const step = roundStep(low, high, most);
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  const ticks = Array.from({ length: last - first + 1 }, (_, k) => Number(((first + k) * step).toPrecision(12)));
  return { low: ticks[0], high: ticks.at(-1)!, ticks };
}

/** The smallest of 1, 2, 5, 10, 20 … (or 0.1, 0.2 …) of which few enough cover the range. */
function roundStep(low: number, high: number, most: number): number {
  const size = 10 ** Math.floor(Math.log10((high - low) / most));
  const steps = [1, 2, 5, 10, 20, 50].map((factor) => factor * size);
  return steps.find((step) => Math.ceil(high / step) - Math.floor(low / step) < most) ?? steps.at(-1)!;
}

/** A percentage axis never claims more than 0 to 100. */
export function percentScale(values: number[], most = 6, zero = false): Scale {
  const scale = scaleOf(values, most, zero);
  return scale.high <= 100 && scale.low >= 0 ? scale : clipped(scale, Math.max(...values) <= 100, Math.min(...values) >= 0);
}

function clipped(scale: Scale, top: boolean, bottom: boolean): Scale {
  const ticks = scale.ticks.filter((tick) => (!top || tick <= 100) && (!bottom || tick >= 0));
  return { low: bottom ? Math.max(0, scale.low) : scale.low, high: top ? Math.min(100, scale.high) : scale.high, ticks };
}

/** The place of a value on an axis of `width` pixels. */
export function placeOn({ low, high }: Scale, width: number): (value: number) => number {
  return (value) => ((value - low) / (high - low)) * width;
}

/** How wide a text is drawn, roughly: enough to leave room for it. */
export function textWidth(text: string, size = 12): number {
  let units = 0;
  for (const character of text) units += character.codePointAt(0)! > 0x2e80 ? 1 : /[ilj.,:;|'!() ]/.test(character) ? 0.32 : /[mwMW%—]/.test(character) ? 0.88 : 0.57;
  return units * size;
}

/** A text that fits a width; the rest is an ellipsis. */
export function fitted(text: string, width: number, size = 12): string {
  if (textWidth(text, size) <= width) return text;
  const characters = [...text];
  while (characters.length > 1 && textWidth(`${characters.join("")}…`, size) > width) characters.pop();
  return `${characters.join("")}…`;
}
