// How spans are drawn over words: each in a lane of its own wherever it would cross another.

export interface Span {
  start: number;
  end: number;
}

/** For each span its lane, so that no two of one lane share a token; longer ones lie outside. */
export function lanesOf(spans: Span[]): number[] {
  const order = spans
    .map((_, place) => place)
    .sort((one, other) => {
      const [a, b] = [spans[one], spans[other]];
      return b.end - b.start - (a.end - a.start) || a.start - b.start;
    });
  const lanes: Span[][] = [];
  const found = new Array<number>(spans.length);
  for (const place of order) {
    let lane = lanes.findIndex((own) => own.every((other) => !crosses(other, spans[place])));
    if (lane < 0) lane = lanes.push([]) - 1;
    lanes[lane].push(spans[place]);
    found[place] = lane;
  }
  return found;
}

function crosses(one: Span, other: Span): boolean {
  return one.start < other.end && other.start < one.end;
}
