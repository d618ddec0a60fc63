// A pair to be judged: two spans of one sentence, without a word about who made them.
import type { Page, Pair } from "../../data";
import { placesOf } from "../../places";
import type { PageSide } from "../../page-data";

export function PairCard({ page, pair, place, size, judgement }: { page: Page; pair: Pair; place: number; size: number; judgement?: string }) {
  return (
    <article class={`pair ${judgement ?? ""}`} aria-label={`Pair ${place + 1} of ${size}`}>
      <p>
        <small>{place + 1} of {size} · {pair.dataset}, sentence {pair.sentence}</small>
        {judgement && <strong> {judgement}</strong>}
      </p>
      <dl>
        <Side name="gold" side={pair.gold} />
        <Side name="predicted" side={pair.predicted} />
      </dl>
      <PairSentence page={page} pair={pair} />
      <p class="note">{judgement ? creditText(pair) : "Systems are hidden until you judge."}</p>
    </article>
  );
}

function Side({ name, side }: { name: string; side: PageSide }) {
  return (
    <>
      <dt>{name}</dt>
      <dd><span class="mark gold">{side.type}</span> <bdi>{side.text ?? `tokens ${side.start + 1}–${side.end}`}</bdi></dd>
    </>
  );
}

const creditText = (pair: Pair): string =>
  Object.entries(pair.systems)
    .map(([system, own]) => `${system}: ${Object.entries(own).map(([match, credit]) => `${match} ${credit}`).join(", ")}`)
    .join("; ");

/** The sentence with both spans: gold underlined above, the prediction below. */
function PairSentence({ page, pair }: { page: Page; pair: Pair }) {
  const at = page.datasets.findIndex(({ name }) => name === pair.dataset);
  if (at < 0) return null;
  const set = placesOf(page).set(at);
  const sentence = set.sentenceNumbered(pair.sentence);
  const tokens = sentence < 0 ? null : set.words.tokens(sentence);
  if (!tokens) return null;
  const inside = (side: PageSide, token: number) => side.start <= token && token < side.end;
  const classes = (...around: number[]) =>
    [around.every((token) => inside(pair.gold, token)) && "in-gold", around.every((token) => inside(pair.predicted, token)) && "in-predicted"].filter(Boolean).join(" ");
  return (
    <p class="pair-sentence" dir={set.words.isRightToLeft(sentence) ? "rtl" : "ltr"}>
      {tokens.map((token, k) => [k > 0 && <span class={classes(k - 1, k)}>{set.words.gap(sentence, k)}</span>, <span key={k} class={classes(k)}><bdi>{token}</bdi></span>])}
    </p>
  );
}
