// A sentence with gold above its words and each system below, every span where it lies.
import type { Mentions } from "./mentions";
import { type Span, lanesOf } from "./lanes";

export interface Drawn extends Span {
  kind: string; // what it looks like
  label: string;
  tip: string;
}

const RIGHT = "right";

export interface Line {
  name: string;
  lanes: (Drawn | null)[][]; // by lane and token
}

export function Sentence(props: { mentions: Mentions; sentence: number; systems: string[]; run: string | null; hits: number[] }) {
  const { mentions, sentence, systems, run, hits } = props;
  const words = mentions.tokens(sentence);
  const size = words?.length ?? Math.max(0, ...mentions.of(sentence).map((span) => spanOf(mentions, span).end));
  const tokens = words ?? Array.from({ length: size }, () => "□");
  const gold = lineOf("gold", goldSpans(mentions, sentence, hits), size);
  const said = systems
    .filter((system) => mentions.run(system, run) >= 0)
    .map((system) => ({ system, spans: systemSpans(mentions, sentence, mentions.run(system, run), hits) }));
  const wrong = said.filter(({ spans }) => spans.some(({ kind }) => kind !== RIGHT));
  const right = said.filter((one) => !wrong.includes(one)).map(({ system }) => system);
  return (
    <>
      <Words tokens={tokens} gold={gold} lines={wrong.map(({ system, spans }) => lineOf(system, spans, size))} />
      {right.length > 0 && <p class="note">All right: {right.join(", ")}</p>}
    </>
  );
}

/** Whether the first letter is Hebrew, Arabic or of their kin. */
function isRightToLeft(tokens: string[]): boolean {
  return /^[^\p{L}]*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/u.test(tokens.join(" "));
}

/** Words with one line of spans above them and some below. */
export function Words({ tokens, gold, lines }: { tokens: string[]; gold: Line; lines: Line[] }) {
  return (
    <div class="sentence" dir={isRightToLeft(tokens) ? "rtl" : "ltr"}>
      <div class="column names" aria-hidden="true">
        {gold.lanes.map((_, k) => <span key={k} class="cell">{k ? "" : gold.name}</span>)}
        <span class="word">&nbsp;</span>
        {lines.map((line) => line.lanes.map((_, k) => <span key={line.name + k} class="cell">{k ? "" : line.name}</span>))}
      </div>
      {tokens.map((token, place) => (
        <div key={place} class="column">
          {gold.lanes.map((lane, k) => <SpanCell key={k} drawn={lane[place]} place={place} />)}
          <bdi class="word">{token || "\u00a0"}</bdi>
          {lines.map((line) => line.lanes.map((lane, k) => <SpanCell key={line.name + k} drawn={lane[place]} place={place} />))}
        </div>
      ))}
      <p class="spoken">{spoken([gold, ...lines])}</p>
    </div>
  );
}

function SpanCell({ drawn, place }: { drawn: Drawn | null; place: number }) {
  if (!drawn) return <span class="cell" aria-hidden="true" />;
  const edge = `${place === drawn.start ? " first" : ""}${place === drawn.end - 1 ? " last" : ""}`;
  return (
    <span class={`cell span ${drawn.kind}${edge}`} data-tip={drawn.tip} aria-hidden="true">
      {place === drawn.start ? drawn.label : ""}
    </span>
  );
}

/** The same in words, for those who hear the page. */
function spoken(lines: Line[]): string {
  return lines
    .map(({ name, lanes }) => {
      const own = [...new Set(lanes.flat().filter((one): one is Drawn => one !== null))];
      return `${name}: ${own.map((one) => one.tip).join("; ") || "nothing"}.`;
    })
    .join(" ");
}

function spanOf(mentions: Mentions, span: number): Span {
  const { start, length } = mentions.dataset.sentences.spans;
  return { start: start[span], end: start[span] + length[span] };
}

function textOf(mentions: Mentions, span: number): string {
  const { start, end } = spanOf(mentions, span);
  const tokens = mentions.tokens(mentions.dataset.sentences.spans.sentence[span]);
  return tokens ? tokens.slice(start, end).join(" ") : `tokens ${start + 1} to ${end}`;
}

function goldSpans(mentions: Mentions, sentence: number, hits: number[]): Drawn[] {
  return mentions
    .of(sentence)
    .filter((span) => mentions.isGold(span))
    .map((span) => ({
      ...spanOf(mentions, span),
      kind: `gold${hits.includes(span) ? " hit" : ""}`,
      label: mentions.type(span),
      tip: `gold\n${mentions.type(span)} ${textOf(mentions, span)}`,
    }));
}

/** What a run says: its own spans, and where it misses a gold one. */
function systemSpans(mentions: Mentions, sentence: number, run: number, hits: number[]): Drawn[] {
  return mentions.of(sentence).flatMap((span) => {
    const outcome = mentions.outcome(run, span);
    if (outcome === null) return [];
    const predicted = mentions.isPredicted(run, span);
    if (!predicted && outcome !== "missed") return []; // its counterpart is drawn
    const kind = outcome === "correct" ? RIGHT : outcome === "missed" ? "missed" : "wrong";
    const label = outcome === "missed" ? "missed" : mentions.type(span);
    const hit = kind !== RIGHT && (hits.includes(span) || hits.includes(mentions.mate(run, span) ?? -1));
    return [
      {
        ...spanOf(mentions, span),
        kind: `${kind}${hit ? " hit" : ""}`,
        label,
        tip: `${mentions.dataset.runs[run][0]}: ${outcome}\n${mentions.type(span)} ${textOf(mentions, span)}`,
      },
    ];
  });
}

/** Spans on as many lanes as they need. */
export function lineOf(name: string, spans: Drawn[], size: number): Line {
  const lane = lanesOf(spans);
  const lanes = Array.from({ length: Math.max(1, ...lane.map((one) => one + 1)) }, () => new Array<Drawn | null>(size).fill(null));
  spans.forEach((span, k) => {
    for (let place = span.start; place < span.end; place++) lanes[lane[k]][place] = span;
  });
  return { name, lanes };
}
