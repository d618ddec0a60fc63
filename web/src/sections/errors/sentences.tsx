// Whole sentences, each with all its listed places.
import { useEffect, useRef } from "preact/hooks";
import { placeText } from "../../listing/exports";
import { keyOf } from "../../listing/keys";
import type { Entry } from "../../listing/list";
import { chooseQuietly } from "../../state";
import type { ListKeys } from "./keys";
import { Pager } from "./lines";
import { Opened } from "./opened";
import { Sentence } from "./sentence";
import { type ListView, clearing, runsOf } from "./view";

const PAGE = 20; // sentences that are drawn at once

interface Card {
  entries: Entry[];
  first: number; // the position of its first place
}

export function Sentences({ view, keys }: { view: ListView; keys: ListKeys }) {
  const cards = cardsOf(view.entries);
  const current = cards.findIndex(({ entries }) => entries.includes(view.entries[view.at]));
  const from = current < 0 ? 0 : Math.floor(current / PAGE) * PAGE;
  if (!cards.length) return null;
  return (
    <>
      <ol class="cards">
        {cards.slice(from, from + PAGE).map((card, k) => <CardItem key={keyOf(card.entries[0].units, card.entries[0].unit)} view={view} keys={keys} card={card} isCurrent={from + k === current} />)}
      </ol>
      <Pager first={from} size={cards.length} step={PAGE} moveTo={(position) => keys.moveTo(cards[Math.max(0, position)]?.first ?? 0)} />
    </>
  );
}

/** The places of each sentence together, where its first one stands. */
function cardsOf(entries: Entry[]): Card[] {
  const cards = new Map<string, Card>();
  entries.forEach((entry, position) => {
    const key = `${entry.units.set.at}:${entry.units.sentence[entry.unit]}`;
    const card = cards.get(key);
    if (card) card.entries.push(entry);
    else cards.set(key, { entries: [entry], first: position });
  });
  return [...cards.values()];
}

function CardItem({ view, keys, card, isCurrent }: { view: ListView; keys: ListKeys; card: Card; isCurrent: boolean }) {
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isCurrent) item.current!.scrollIntoView({ block: "nearest" });
  }, [isCurrent]);
  const current = card.entries.find((one) => one === view.entries[view.at]);
  const [{ units, unit }] = card.entries;
  const sentence = units.sentence[unit];
  const isNarrowed = Object.keys(clearing(view.context)).some((name) => name !== "at");
  const isOpen = current !== undefined && keys.open === keyOf(current.units, current.unit);
  return (
    <li ref={item} class={isCurrent ? "current" : undefined} aria-current={isCurrent ? "true" : undefined}>
      <button type="button" class="where" onClick={() => chooseQuietly({ at: keyOf(units, unit) })}>{placeText(units.set, sentence)}</button>
      {isOpen ? (
        <div class="opened"><Opened view={view} keys={keys} entry={current} /></div>
      ) : (
        <Sentence page={view.context.page} set={units.set} sentence={sentence} systems={runsOf(view, units.set)} hits={current ? [current] : isNarrowed ? card.entries : []} />
      )}
    </li>
  );
}
