// A sentence with a lane below it for each annotation of a place; what is settled is drawn above the lanes.
import { useState } from "preact/hooks";
import type { DecideSpan } from "../decide-data";
import { lanesOf } from "../lanes";
import { type Choices, type Model, type Place, WHOLE, mentionsOf, without } from "./model";

const AROUND = 60; // tokens on each side of the place, of a long sentence
const STYLES = 4; // of lanes, see decide.css

interface Row {
  label: string; // before the type
  style: string;
  spans: DecideSpan[]; // that share no token
}

export function Sentence({ model, choices, place, keys }: { model: Model; choices: Choices; place: Place; keys: string[] }) {
  const [isWhole, setWhole] = useState(false);
  const sentence = model.page.sentences[place.sentence];
  const size = sentence.tokens.length;
  const from = isWhole ? 0 : Math.max(0, place.start - AROUND);
  const to = isWhole ? size : Math.min(size, place.end + AROUND);
  const settled = without(mentionsOf(model, choices, place.sentence, place), place.current);
  const reach = drawnRange(place);
  const above = rowsOf(settled, "", "settled");
  const below = place.options.flatMap(({ spans }, k) => {
    const style = `option-${k % STYLES}${choices[place.key]?.how === String(k) ? " chosen" : ""}`;
    return spans.length ? rowsOf(spans, keys[k], style) : [{ label: keys[k], style: "empty", spans: [{ ...reach, type: "–" }] }];
  });
  const aboveInside = above.filter(({ spans }) => spans.some((span) => span.start < reach.end && reach.start < span.end));
  const isPart = place.id !== WHOLE;
  const more = <button type="button" class="whole" aria-label="Show the whole sentence" onClick={() => setWhole(true)}>…</button>;
  return (
    <div class="passage" dir={model.words.isRightToLeft(place.sentence) ? "rtl" : "auto"}>
      {sentence.before && <p class="around">{sentence.before}</p>}
      <p class="tokens">
        {from > 0 && more}
        {Array.from({ length: to - from }, (_, k) => {
          const at = from + k;
          const isInside = reach.start <= at && at < reach.end;
          const shown = isInside ? [...aboveInside, ...below] : above.filter((row) => spanAt(row, at));
          return <Token key={at} word={sentence.tokens[at]} gap={model.words.gap(place.sentence, at + 1)} at={at} rows={shown} isInside={isPart && place.start <= at && at < place.end} />;
        })}
        {to < size && more}
      </p>
      {sentence.after && <p class="around">{sentence.after}</p>}
    </div>
  );
}

function drawnRange({ start, end, options }: Place): DecideSpan {
  const spans = options.flatMap((option) => option.spans);
  return { start: Math.min(start, ...spans.map((span) => span.start)), end: Math.max(end, ...spans.map((span) => span.end)), type: "" };
}

/** Rows in which no two spans share a token. */
function rowsOf(spans: DecideSpan[], label: string, style: string): Row[] {
  const lanes = lanesOf(spans);
  const count = Math.max(0, ...lanes.map((lane) => lane + 1));
  return Array.from({ length: count }, (_, lane) => ({ label, style, spans: spans.filter((_, k) => lanes[k] === lane) }));
}

const spanAt = (row: Row, at: number): DecideSpan | undefined => row.spans.find(({ start, end }) => start <= at && at < end);

function Token({ word, gap, at, rows, isInside }: { word: string; gap: string; at: number; rows: Row[]; isInside: boolean }) {
  return (
    <span class={`token${isInside ? " inside" : ""}`}>
      <bdi class="word">{word}</bdi>
      {gap}
      {rows.map((row, k) => {
        const span = spanAt(row, at);
        const edges = span ? `${span.start === at ? " first" : ""}${span.end === at + 1 ? " last" : ""}` : "";
        return (
          <span key={k} aria-hidden="true" class={span ? `bar ${row.style}${edges}` : "bar none"}>
            <bdi>{span?.start === at ? `${row.label} ${span.type}` : "\u00a0"}</bdi>
          </span>
        );
      })}
    </span>
  );
}
