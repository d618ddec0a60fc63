// Colours that stay apart for colour-blind readers (after Okabe and Ito), and marks for the rest.

const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b88a00", "#3f9bd6", "#7a6fd0", "#808080"];
const SYMBOLS = ["circle", "square", "triangle", "diamond", "star", "cross"] as const;

export const BETTER = "#0072b2";
export const WORSE = "#d55e00";
export const UNDECIDED = "#808080";

export function colourOf(place: number): string {
  return COLOURS[place % COLOURS.length];
}

/** Systems beyond the number of colours get another mark. */
export function symbolOf(place: number): (typeof SYMBOLS)[number] {
  return SYMBOLS[(place + Math.floor(place / COLOURS.length)) % SYMBOLS.length];
}

/** From one side to the other through white: for changes. */
export function diverging(value: number, most: number): string {
  const share = Math.max(-1, Math.min(1, most ? value / most : 0));
  const end = share < 0 ? [213, 94, 0] : [0, 114, 178];
  const mix = end.map((part) => Math.round(255 + (part - 255) * Math.abs(share) * 0.85));
  return `rgb(${mix.join(",")})`;
}

/** Black or white, whichever is easier to read on a colour of `diverging`: only strong blue is dark. */
export function inkOn(value: number, most: number): string {
  return most && value / most > 0.65 ? "#fff" : "#111";
}
