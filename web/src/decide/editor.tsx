// Mentions by hand: words are chosen by pointer or keys, then a type.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { DecideSpan } from "../decide-data";
import { type Model, type Place, spanKey, withSpan } from "./model";

const BY_KEY = 9; // types that a digit chooses

interface Props {
  model: Model;
  place: Place;
  draft: DecideSpan[];
  onSave: (spans: DecideSpan[]) => void;
  onCancel: () => void;
}

export function Editor({ model, place, draft, onSave, onCancel }: Props) {
  const { page, words } = model;
  const { tokens } = page.sentences[place.sentence];
  const [spans, setSpans] = useState(draft);
  const [from, setFrom] = useState(place.start); // where the chosen words begin, perhaps from the right
  const [to, setTo] = useState(Math.max(place.start, place.end - 1));
  const [isOpen, setOpen] = useState(false); // a start was clicked, and no end
  const box = useRef<HTMLDivElement>(null);
  const [low, high] = [Math.min(from, to), Math.max(from, to)];
  const isRightToLeft = words.isRightToLeft(place.sentence);
  const focusWord = () => box.current?.querySelector<HTMLElement>(`[data-word="${to}"]`)?.focus();
  useLayoutEffect(focusWord, [to]); // before the next key

  // The focus returns to the words, where Enter saves.
  const change = (next: DecideSpan[]) => {
    setSpans(next);
    focusWord();
  };
  const put = (type: string) => type && change(withSpan(spans, { start: low, end: high + 1, type }, page.nested));
  const touched = spans.filter((span) => span.start <= high && low < span.end);
  const remove = (gone: DecideSpan[]) => change(spans.filter((span) => !gone.includes(span)));
  const click = (at: number, isExtending: boolean) => {
    if (!isOpen && !isExtending) setFrom(at);
    setTo(at);
    setOpen(!isOpen && !isExtending);
  };
  const move = (step: number, isExtending: boolean) => {
    const at = Math.max(0, Math.min(tokens.length - 1, to + step));
    setTo(at);
    if (!isExtending && !isOpen) setFrom(at);
  };
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const digit = Number(event.key);
    const actions: Record<string, () => void> = {
      ArrowLeft: () => move(isRightToLeft ? 1 : -1, event.shiftKey),
      ArrowRight: () => move(isRightToLeft ? -1 : 1, event.shiftKey),
      Home: () => move(-tokens.length, event.shiftKey),
      End: () => move(tokens.length, event.shiftKey),
      " ": () => click(to, event.shiftKey),
      Delete: () => remove(touched),
      Backspace: () => remove(touched),
      Enter: () => onSave(spans),
    };
    const action = digit >= 1 && digit <= Math.min(BY_KEY, page.types.length) ? () => put(page.types[digit - 1]) : actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  };
  return (
    <section class="editor" aria-label="Edit the mentions" onKeyDown={(event) => event.key === "Escape" && onCancel()}>
      <p class="note" id="editing">
        Choose the words of a mention: click the first and the last one, or use the arrow keys with Shift. Then choose a type.
      </p>
      <div class="pieces" role="group" aria-label="Words" aria-describedby="editing" ref={box} dir={isRightToLeft ? "rtl" : "auto"} onKeyDown={press}>
        {tokens.map((word, at) => {
          const own = spans.filter((span) => span.start <= at && at < span.end);
          return (
            <button
              key={at}
              type="button"
              data-word={at}
              tabIndex={at === to ? 0 : -1}
              aria-pressed={low <= at && at <= high}
              class={own.length ? "marked" : undefined}
              onClick={(event) => click(at, event.shiftKey)}
            >
              <bdi>{word}</bdi>
              {own.filter(({ start }) => start === at).map((span) => <small key={spanKey(span)}>{span.type}</small>)}
            </button>
          );
        })}
      </div>
      <TypeChoice types={page.types} text={words.text(place.sentence, low, high + 1)} onPut={put} />
      <ul class="mentions" aria-label="Mentions">
        {spans.map((span) => (
          <li key={spanKey(span)}>
            <b>{span.type}</b> <bdi>{words.text(place.sentence, span.start, span.end)}</bdi>{" "}
            <button type="button" aria-label={`Remove ${span.type} ${words.text(place.sentence, span.start, span.end)}`} onClick={() => remove([span])}>Remove</button>
          </li>
        ))}
        {!spans.length && <li>no mention</li>}
      </ul>
      <p class="actions">
        <button type="button" class="main" onClick={() => onSave(spans)}><kbd>Enter</kbd> Save</button>
        <button type="button" disabled={!touched.length} onClick={() => remove(touched)}><kbd>Delete</kbd> Remove from the chosen words</button>
        <button type="button" onClick={onCancel}><kbd>Esc</kbd> Cancel</button>
      </p>
    </section>
  );
}

/** The types of the page, and a field for another one. */
function TypeChoice({ types, text, onPut }: { types: string[]; text: string; onPut: (type: string) => void }) {
  const [other, setOther] = useState("");
  return (
    <div class="actions" role="group" aria-label="Type of the chosen words">
      <span>Label <bdi class="quoted">{text}</bdi> as</span>
      {types.map((type, k) => (
        <button key={type} type="button" onClick={() => onPut(type)}>{k < BY_KEY && <kbd>{k + 1}</kbd>} {type}</button>
      ))}
      <form class="other" onSubmit={(event) => { event.preventDefault(); onPut(other.trim()); }}>
        <input type="text" aria-label="Another type" placeholder="another type" value={other} onInput={(event) => setOther(event.currentTarget.value)} />
        <button>Label</button>
      </form>
    </div>
  );
}
