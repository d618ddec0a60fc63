// A sentence with gold above its words and the systems below. Words stand as close as in the text, and every
// line of text has the lanes that it needs: a label that is wider than its span is cut, and its tip has the rest.
import type { Page } from "../../data";
import { lanesOf } from "../../lanes";
import type { Entry } from "../../listing/list";
import { type DrawnSpan, type SentenceLines, type SystemRuns, sentenceLines } from "../../listing/sentence-lines";
import { brokenLines, cutTo, useWidth, widthOf } from "../../measure";
import type { DatasetPlaces } from "../../places";

const WORD = 14.5; // pixels, as in the style
const LABEL = 10.5;
const NAME = 11.5;

interface SentenceProps {
  page: Page;
  set: DatasetPlaces;
  sentence: number;
  systems: SystemRuns[];
  hits: Entry[];
}

/** Spans of one height that do not cross, by token. */
interface Lane {
  names: string;
  spans: (DrawnSpan | null)[];
}

/** What is drawn: words with the blanks after them, and lanes above and below. */
interface Drawing {
  tokens: string[];
  gaps: string[];
  above: Lane[];
  below: Lane[];
  hitTokens: Set<number>;
}

export function Sentence({ page, set, sentence, systems, hits }: SentenceProps) {
  const [box, width] = useWidth<HTMLDivElement>();
  const units = new Set(hits.filter((one) => !one.units.isToken).map(({ unit }) => unit));
  const found = sentenceLines(page, set, sentence, systems, units);
  const drawing = drawingOf(set, sentence, found, hits);
  const names = [...drawing.above, ...drawing.below].map((lane) => widthOf(lane.names, NAME));
  const gutter = names.length ? Math.min(Math.max(...names) + 8, 0.24 * width) : 0;
  return (
    <div class="sentence-block">
      <div ref={box} class="sentence" dir={set.words.isRightToLeft(sentence) ? "rtl" : "ltr"} aria-hidden="true">
        {width > 0 && linesOf(set, sentence, drawing, width - gutter - 4).map(([from, to]) => <TextLine key={from} drawing={drawing} from={from} to={to} gutter={gutter} />)}
      </div>
      <p class="spoken">{spoken(set, sentence, found)}</p>
      <Notes found={found} />
    </div>
  );
}

function drawingOf(set: DatasetPlaces, sentence: number, found: SentenceLines, hits: Entry[]): Drawing {
  const spans = [...found.gold, ...found.lines.flatMap((line) => line.spans)];
  // Without texts, tokens have their numbers.
  const tokens = set.words.tokens(sentence) ?? Array.from({ length: Math.max(0, ...spans.map(({ end }) => end)) }, (_, k) => String(k + 1));
  return {
    tokens,
    gaps: tokens.map((_, at) => (at + 1 < tokens.length ? set.words.gap(sentence, at + 1) : "")),
    above: lanesFor(goldNames(found), found.gold, tokens.length),
    below: found.lines.flatMap((line) => lanesFor(line.names.join(", "), line.spans, tokens.length)),
    hitTokens: new Set(hits.filter((one) => one.units.isToken).map((one) => one.units.start[one.unit])),
  };
}

const goldNames = ({ right }: SentenceLines): string => ["gold", ...right].join(", ");

function lanesFor(names: string, spans: DrawnSpan[], size: number): Lane[] {
  const lane = lanesOf(spans);
  return Array.from({ length: Math.max(0, ...lane.map((one) => one + 1)) }, (_, k) => {
    const own = new Array<DrawnSpan | null>(size).fill(null);
    spans.forEach((span, at) => {
      if (lane[at] === k) own.fill(span, span.start, span.end);
    });
    return { names, spans: own };
  });
}

/** Lines break at blanks; in scripts without blanks, between any two tokens. */
function linesOf(set: DatasetPlaces, sentence: number, { tokens, gaps }: Drawing, most: number): [number, number][] {
  const glued = set.dataset.sentences.glued?.[sentence];
  const mayBreak = (token: number) => token > 0 && (gaps[token - 1] !== "" || !glued);
  return brokenLines(tokens.map((token, at) => widthOf((token || "\u00a0") + gaps[at], WORD)), mayBreak, most);
}

function TextLine({ drawing, from, to, gutter }: { drawing: Drawing; from: number; to: number; gutter: number }) {
  const isHere = ({ spans }: Lane) => spans.slice(from, to).some(Boolean);
  const [above, below] = [drawing.above.filter(isHere), drawing.below.filter(isHere)];
  const tokens = Array.from({ length: to - from }, (_, k) => from + k);
  const lanes = (own: Lane[], at: number) => own.map((lane, k) => <Cell key={k} lane={lane} at={at} from={from} to={to} drawing={drawing} />);
  const names = (own: Lane[]) => own.map((lane, k) => <span key={k} class="lane" data-tip={lane.names}>{own[k - 1]?.names === lane.names ? "" : lane.names}</span>);
  return (
    <div class="text-line">
      {gutter > 0 && <div class="names" style={{ width: `${gutter}px` }}>{names(above)}<span class="word">{"\u00a0"}</span>{names(below)}</div>}
      <div class="words">
        {tokens.map((at) => (
          <span key={at} class="column">
            {lanes(above, at)}
            <span class="word"><bdi class={drawing.hitTokens.has(at) ? "ringed" : undefined}>{drawing.tokens[at] || "\u00a0"}</bdi>{drawing.gaps[at]}</span>
            {lanes(below, at)}
          </span>
        ))}
      </div>
    </div>
  );
}

interface CellProps {
  lane: Lane;
  at: number;
  from: number; // of the line of text
  to: number;
  drawing: Drawing;
}

function Cell({ lane, at, from, to, drawing }: CellProps) {
  const span = lane.spans[at];
  if (!span) return <span class="lane" />;
  const label = [span.type, span.runs].filter(Boolean).join(" ");
  const [isFirst, isLast] = [at === Math.max(span.start, from), at === span.end - 1];
  const classes = ["lane span", span.kind, span.isHit && "ringed", at === span.start && "first", isLast && drawing.gaps[at] && "blank"];
  return (
    <span class={classes.filter(Boolean).join(" ")} data-tip={`${lane.names}: ${label}`}>
      {isFirst && <span class="label">{cutTo(label, roomOf(lane, at, span.end, to, drawing), LABEL, 600)}</span>}
    </span>
  );
}

/** The room for a label: from the start of its span to the next one, or two words further. */
function roomOf(lane: Lane, start: number, end: number, to: number, { tokens, gaps }: Drawing): number {
  let last = Math.min(end, to);
  while (last < Math.min(to, end + 2) && !lane.spans[last]) last += 1;
  return tokens.slice(start, last).reduce((sum, token, k) => sum + widthOf(token + gaps[start + k], WORD), 0) - 5;
}

/** Who has no mention here, and mentions that are not in the text. */
function Notes({ found: { gold, right, silent, foreign } }: { found: SentenceLines }) {
  const without = [...(gold.length ? [] : ["gold", ...right]), ...silent];
  return (
    <>
      {without.length > 0 && <p class="note">No mention: {without.join(", ")}</p>}
      {foreign.map(({ names, type, text, isHit }) => (
        <p key={type + text} class="note">
          Not in the text: <span class={`mark extra${isHit ? " ringed" : ""}`}>{type} “<bdi>{text}</bdi>”</span> {names.join(", ")}
        </p>
      ))}
    </>
  );
}

/** The same for those who hear the page. */
function spoken(set: DatasetPlaces, sentence: number, found: SentenceLines): string {
  const said = (spans: DrawnSpan[]) => spans.map((span) => `${set.surface(set.mentions, span.unit)}, ${[span.type, span.runs].filter(Boolean).join(" ")}`).join("; ") || "no mention";
  return [set.words.text(sentence), `${goldNames(found)}: ${said(found.gold)}`, ...found.lines.map((line) => `${line.names.join(", ")}: ${said(line.spans)}`)].filter(Boolean).join(". ");
}
