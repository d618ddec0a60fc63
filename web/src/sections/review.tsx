// Partial matches, one after the other, to be judged good or bad by keyboard.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Context } from "../context";
import { KeySwitch, Select } from "../controls";
import type { Pair, PairSide } from "../data";
import { UNDEFINED, counted, percent } from "../format";
import { BAD, GOOD, type Judgements, exported, imported, keep, kept, shares } from "../review";
import { download } from "../save";
import { type Drawn, Words, lineOf } from "../sentence";
import { choose, here, isTyping } from "../state";
import { Table } from "../table";

const GUIDELINES = [
  "Good, if it clearly names the same entity: a leading @ or article is missing, or it is another usual form of the name.",
  "Good, if it names a larger thing that plainly contains the one meant, such as the company for its brand.",
  "Bad, if words were added or left out that change what is meant: Hampshire for New Hampshire, or two names in one span.",
  "Good, if the gold mention holds several names, and one of them was found.",
  "Every pair is either good or bad; there is nothing between.",
];

export function Review({ context }: { context: Context }) {
  const { page, place } = context;
  const [judgements, setJudgements] = useState<Judgements>(() => kept(page));
  const [said, setSaid] = useState("");
  const [heard, setHeard] = useState(true);
  const system = place.chosen.get("system");
  const only = place.chosen.get("only");
  const dataset = context.dataset?.name ?? null;
  const pairs = useMemo(() => {
    const here = page.pairs.filter((pair) => dataset === null || pair.dataset === dataset);
    return here.filter((pair) => !system || Object.hasOwn(pair.systems, system));
  }, [system, dataset]);
  // Keys may come faster than the page is drawn: what they act on is asked for when they come.
  const latest = useRef(judgements);
  const open = () => (only === "open" ? pairs.filter((pair) => !latest.current[pair.key]) : pairs);
  const shown = open();
  const past = useRef<string[]>([]); // keys of the pairs that were judged, the last one last
  const placeIn = (size: number) => Math.min(Math.max(Number(here().chosen.get("at") ?? 1) - 1, 0), Math.max(size - 1, 0));
  const at = placeIn(shown.length);
  const pair = shown[at];
  const done = pairs.filter((one) => judgements[one.key]).length;
  const save = (next: Judgements) => {
    latest.current = next;
    setJudgements(next);
    setSaid("");
    if (!keep(page, next)) setSaid("This browser keeps nothing for this page: export before you close it.");
  };
  const moveTo = (next: number) => choose({ at: String(Math.min(Math.max(next, 0), open().length - 1) + 1) });
  const move = (by: number) => moveTo(placeIn(open().length) + by);
  const judge = (judgement: string) => {
    const left = open();
    const judged = left[placeIn(left.length)];
    if (!judged) return;
    past.current.push(judged.key);
    save({ ...latest.current, [judged.key]: judgement });
    if (only !== "open") move(1);
  };
  const undo = () => {
    const key = past.current.pop() ?? open()[placeIn(open().length)]?.key;
    if (!key) return;
    save({ ...latest.current, [key]: "" });
    moveTo(open().findIndex((one) => one.key === key));
  };
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!heard || isTyping(event)) return;
      const act = { g: () => judge(GOOD), b: () => judge(BAD), u: undo, j: () => move(1), k: () => move(-1) }[event.key];
      act?.();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  });
  return (
    <div class="review">
      <div>
        <div class="row">
          <Select label="System" value={system ?? ""} options={[{ value: "", text: "all" }, ...page.systems]} onChange={(value) => choose({ system: value || null, at: null })} />
          <Select label="Show" value={only ?? ""} options={[{ value: "", text: "all pairs" }, { value: "open", text: "not judged yet" }]} onChange={(value) => choose({ only: value || null, at: null })} />
        </div>
        <p class="note" role="status">
          {done} of {counted(pairs.length, "pair")} judged. {said}
        </p>
        <progress max={pairs.length || 1} value={done} aria-label="Pairs judged" />
        {pair ? <PairCard context={context} pair={pair} place={at} size={shown.length} judgement={judgements[pair.key]} /> : <p>Nothing is left to judge here.</p>}
        <p class="tools">
          <button type="button" disabled={!pair} onClick={() => judge(GOOD)}>Good (g)</button>
          <button type="button" disabled={!pair} onClick={() => judge(BAD)}>Bad (b)</button>
          <button type="button" disabled={!pair} onClick={undo}>Undo (u)</button>
          <button type="button" disabled={!pair} onClick={() => move(-1)}>Previous (k)</button>
          <button type="button" disabled={!pair} onClick={() => move(1)}>Next (j)</button>
          <KeySwitch heard={heard} onChange={setHeard} />
        </p>
        <Exchange pairs={page.pairs} judgements={judgements} save={save} say={setSaid} />
        <ShareTable pairs={pairs} judgements={judgements} />
      </div>
      <aside aria-label="When is a partial match good?">
        <h3>When is a partial match good?</h3>
        <ol>
          {GUIDELINES.map((rule) => (
            <li key={rule}>{rule}</li>
          ))}
        </ol>
        <p class="note">After the guidelines of the work on partial credit.</p>
      </aside>
    </div>
  );
}

function PairCard(props: { context: Context; pair: Pair; place: number; size: number; judgement?: string }) {
  const { context, pair, place, size, judgement } = props;
  const found = context.mentions.find((one) => one.dataset.name === pair.dataset);
  const sentence = found ? found.dataset.sentences.number.indexOf(pair.sentence) : -1;
  const tokens = found && sentence >= 0 ? found.tokens(sentence) : null;
  const credits = Object.entries(pair.systems)
    .map(([system, own]) => `${system}: ${Object.entries(own).map(([match, credit]) => `${match} ${credit}`).join(", ")}`)
    .join("; ");
  return (
    <article class={`card pair ${judgement ?? ""}`} aria-label={`Pair ${place + 1} of ${size}`}>
      <p>
        <small>{place + 1} of {size} · {pair.dataset}, sentence {pair.sentence}</small>
        {judgement && <strong class="judgement"> {judgement}</strong>}
      </p>
      <dl>
        <Side name="gold" side={pair.gold} />
        <Side name="predicted" side={pair.predicted} />
      </dl>
      <p class="note">Credit: {credits}</p>
      {tokens && <Words tokens={tokens} gold={lineOf("gold", [drawn(pair.gold, "gold")], tokens.length)} lines={[lineOf("predicted", [drawn(pair.predicted, "wrong")], tokens.length)]} />}
    </article>
  );
}

function drawn({ start, end, type, text }: PairSide, kind: string): Drawn {
  return { start, end, kind, label: type, tip: `${type} ${text ?? ""}` };
}

function Side({ name, side }: { name: string; side: PairSide }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <span class="type">{side.type}</span> <bdi>{side.text ?? `tokens ${side.start + 1} to ${side.end}`}</bdi>
      </dd>
    </>
  );
}

function Exchange(props: { pairs: Pair[]; judgements: Judgements; save: (next: Judgements) => void; say: (text: string) => void }) {
  const { pairs, judgements, save, say } = props;
  const file = useRef<HTMLInputElement>(null);
  const read = async () => {
    const chosen = file.current!.files?.[0];
    if (!chosen) return;
    try {
      const { judgements: found, strangers } = imported(await chosen.text(), pairs);
      save({ ...judgements, ...found });
      say(`${counted(Object.keys(found).length, "judgement")} read${strangers ? `; ${strangers} are of pairs that this page does not have` : ""}.`);
    } catch (error) {
      say((error as Error).message);
    }
    file.current!.value = "";
  };
  return (
    <p class="tools">
      <button type="button" onClick={() => download("judgements.json", exported(pairs, judgements), "application/json")}>
        Export judgements
      </button>
      <label class="button">
        Import judgements
        <input ref={file} type="file" accept=".json,application/json" class="spoken" onChange={read} />
      </label>
      <span class="note">
        <code>nerscope judged judgements.json</code> reads them.
      </span>
    </p>
  );
}

function ShareTable({ pairs, judgements }: { pairs: Pair[]; judgements: Judgements }) {
  const body = shares(pairs, judgements).map((share) => [
    { text: share.system },
    { text: share.match },
    { text: String(share.pairs), value: share.pairs },
    { text: String(share.judged), value: share.judged },
    { text: String(share.good), value: share.good },
    { text: share.judged ? percent(share.good / share.judged) : UNDEFINED, value: share.judged ? share.good / share.judged : null },
  ]);
  const header = ["system", "criterion", "pairs", "judged", "good", "% good"].map((text) => ({ text }));
  return <Table caption="Share judged good under each criterion" header={header} rows={body} />;
}
