// Pairs with partial credit, judged good or bad one after the other: a random sample, without the names of systems.
import type { Context } from "../../context";
import { count, counted } from "../../format";
import { SIZES } from "../../listing/review-sample";
import { Select } from "../../parts/select";
import { BAD, GOOD } from "../../review";
import { halfWidth } from "../../sampling";
import { choose } from "../../state";
import { ViewSwitch } from "./head";
import { Exchange, ShareTable } from "./judged";
import { PairCard } from "./pair-card";
import { type Reviewing, useReview } from "./reviewing";

const GUIDELINES = [
  "Good, if it clearly names the same entity: a leading @ or article is missing, or it is another usual form of the name.",
  "Good, if it names a larger thing that plainly contains the one meant, such as the company for its brand.",
  "Bad, if words were added or left out that change what is meant: Hampshire for New Hampshire, or two names in one span.",
  "Good, if the gold mention holds several names, and one of them was found.",
  "Every pair is either good or bad; there is nothing between.",
];

export function Review({ context }: { context: Context }) {
  const review = useReview(context);
  const { pair, judgements } = review;
  return (
    <div class="review">
      <div>
        <div class="errors-tools">
          <ViewSwitch view={{ context }} />
          <Sample context={context} review={review} />
        </div>
        <Progress review={review} />
        {pair ? (
          <PairCard page={context.page} pair={pair} place={review.at} size={review.sample.length} judgement={judgements[pair.key]} />
        ) : (
          <p>No pair with partial credit is here.</p>
        )}
        <Buttons review={review} />
        <Exchange page={context.page} review={review} />
        <ShareTable review={review} systems={context.systems} />
      </div>
      <aside aria-label="When is a partial match good?">
        <h3>When is a partial match good?</h3>
        <ol>{GUIDELINES.map((rule) => <li key={rule}>{rule}</li>)}</ol>
        <p class="note">After the guidelines of the work on partial credit. Systems and credits are hidden until a pair is judged.</p>
      </aside>
    </div>
  );
}

/** How large the sample is, and what it leaves open. */
function Sample({ context, review }: { context: Context; review: Reviewing }) {
  const { order, sample, seed } = review;
  const sizes = [...SIZES.filter((size) => size < order.length), order.length];
  const text = (size: number) => (size === order.length ? `all ${count(size)}` : `${size} of ${count(order.length)}: ± ${Math.round(halfWidth(size, order.length)!)} points`);
  return (
    <>
      <Select label="Sample" value={String(sample.length)} options={sizes.map((size) => ({ value: String(size), text: text(size) }))} onChange={(value) => choose({ sample: value, at: null })} />
      <button type="button" data-tip={`Seed ${seed}: the same seed gives the same sample`} onClick={() => choose({ seed: String(seed + 1), at: null })}>Another sample</button>
      {context.page.systems.length > 1 && (
        <Select label="System" value={context.place.chosen.get("system") ?? ""} options={[{ value: "", text: "all shown" }, ...context.page.systems]} onChange={(value) => choose({ system: value || null, at: null })} />
      )}
    </>
  );
}

function Progress({ review: { sample, order, judgements, said } }: { review: Reviewing }) {
  const done = sample.filter((pair) => judgements[pair.key]).length;
  const half = halfWidth(done, order.length);
  const precision = half === null ? "" : half === 0 ? " Complete." : ` Shares are known to ± ${half.toFixed(half < 3 ? 1 : 0)} points at most.`;
  return (
    <>
      <p class="note" role="status">
        {done} of {counted(sample.length, "pair")} judged.{precision} {said}
      </p>
      <progress max={sample.length || 1} value={done} aria-label="Pairs judged" />
    </>
  );
}

function Buttons({ review }: { review: Reviewing }) {
  const { pair, judge, undo, move, isOn, setOn } = review;
  return (
    <p class="tools verdicts">
      <button type="button" disabled={!pair} onClick={() => judge(GOOD)}>Good (g)</button>
      <button type="button" disabled={!pair} onClick={() => judge(BAD)}>Bad (b)</button>
      <button type="button" disabled={!pair} onClick={undo}>Undo (u)</button>
      <button type="button" disabled={!pair} onClick={() => move(-1)}>Previous (k)</button>
      <button type="button" disabled={!pair} onClick={() => move(1)}>Next (j)</button>
      <label class="check">
        <input type="checkbox" checked={isOn} onChange={(event) => setOn(event.currentTarget.checked)} /> keyboard shortcuts
      </label>
    </p>
  );
}
