// The state of a review: the sample, the judgements, and the keys.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Context, datasetsOf } from "../../context";
import type { Pair } from "../../data";
import { SIZES, sampleOrder } from "../../listing/review-sample";
import { BAD, GOOD, type Judgements, keep, kept } from "../../review";
import { chooseQuietly, here, isTyping } from "../../state";

export interface Reviewing {
  order: Pair[]; // all pairs, in random order
  sample: Pair[]; // the first of them
  seed: number;
  at: number;
  pair: Pair | undefined;
  judgements: Judgements;
  said: string;
  isOn: boolean;
  setOn: (on: boolean) => void;
  judge: (judgement: string) => void;
  undo: () => void;
  move: (by: number) => void;
  save: (judgements: Judgements, said?: string) => void;
  say: (text: string) => void;
}

const FIRST_SIZE = SIZES[1];

export function useReview(context: Context): Reviewing {
  const { page, place } = context;
  const [judgements, setJudgements] = useState<Judgements>(() => kept(page));
  const [said, say] = useState("");
  const [isOn, setOn] = useState(true);
  const seed = Number(place.chosen.get("seed") ?? 1);
  const own = place.chosen.get("system");
  const systems = own ? [own] : context.systems;
  const datasets = datasetsOf(context).map(({ name }) => name);
  const order = useMemo(() => sampleOrder(page.pairs, datasets, systems, seed), [page, datasets.join("\t"), systems.join("\t"), seed]);
  const wanted = Number(place.chosen.get("sample") ?? FIRST_SIZE);
  const sample = useMemo(() => order.slice(0, wanted), [order, wanted]);
  // Keys may come faster than the page is drawn: what they act on is asked for when they come.
  const latest = useRef(judgements);
  const past = useRef<string[]>([]);
  const position = () => Math.min(Math.max(Number(here().chosen.get("at") ?? firstOpen(sample, latest.current) + 1) - 1, 0), Math.max(sample.length - 1, 0));
  const moveTo = (next: number) => chooseQuietly({ at: String(Math.min(Math.max(next, 0), sample.length - 1) + 1) });
  const save = (next: Judgements, text = "") => {
    latest.current = next;
    setJudgements(next);
    say(keep(page, next) ? text : "This browser keeps nothing for this page: export before you close it.");
  };
  const judge = (judgement: string) => {
    const now = position();
    const judged = sample[now];
    if (!judged) return;
    past.current.push(judged.key);
    moveTo(now + 1);
    save({ ...latest.current, [judged.key]: judgement });
  };
  const undo = () => {
    const key = past.current.pop() ?? sample[position()]?.key;
    if (!key) return;
    save({ ...latest.current, [key]: "" });
    moveTo(sample.findIndex((one) => one.key === key));
  };
  const move = (by: number) => moveTo(position() + by);
  useReviewKeys(isOn, { g: () => judge(GOOD), b: () => judge(BAD), u: undo, j: () => move(1), k: () => move(-1) });
  const at = position();
  return { order, sample, seed, at, pair: sample[at], judgements, said, isOn, setOn, judge, undo, move, save, say };
}

/** Where to go on: the first pair of the sample that is not judged. */
function firstOpen(sample: Pair[], judgements: Judgements): number {
  return Math.max(0, sample.findIndex((pair) => !judgements[pair.key]));
}

function useReviewKeys(isOn: boolean, actions: Record<string, () => void>): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (isOn && !isTyping(event)) actions[event.key]?.();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  });
}
