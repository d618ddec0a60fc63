// A place in full: its sentence between its neighbours, and what the reader has marked.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { placeText } from "../../listing/exports";
import { keyOf } from "../../listing/keys";
import type { Entry } from "../../listing/list";
import { type Mark, withMark } from "../../marks";
import type { DatasetPlaces } from "../../places";
import type { ListKeys } from "./keys";
import { Sentence } from "./sentence";
import { type ListView, runsOf } from "./view";

export function Opened({ view, keys, entry }: { view: ListView; keys: ListKeys; entry: Entry }) {
  const { units, unit } = entry;
  const sentence = units.sentence[unit];
  return (
    <div class="opened-body">
      <p class="note">{placeText(units.set, sentence)}</p>
      <Neighbour set={units.set} sentence={sentence} step={-1} />
      <Sentence page={view.context.page} set={units.set} sentence={sentence} systems={runsOf(view, units.set)} hits={[entry]} />
      <Neighbour set={units.set} sentence={sentence} step={1} />
      <MarkFields view={view} keys={keys} entry={entry} />
    </div>
  );
}

/** The sentence before or after, if the page has it and it is of the same document. */
function Neighbour({ set, sentence, step }: { set: DatasetPlaces; sentence: number; step: number }) {
  const { number, document } = set.dataset.sentences;
  const other = sentence + step;
  if (number[other] !== number[sentence] + step || document[other] !== document[sentence] || !set.words.known) return null;
  return <p class="neighbour" dir={set.words.isRightToLeft(other) ? "rtl" : "ltr"}>{set.words.text(other)}</p>;
}

function MarkFields({ view, keys, entry: { units, unit } }: { view: ListView; keys: ListKeys; entry: Entry }) {
  const key = keyOf(units, unit);
  const mark: Mark = view.marks[key] ?? {};
  const [tagField, noteField] = [useRef<HTMLInputElement>(null), useRef<HTMLInputElement>(null)];
  const [tags, setTags] = useState(mark.tags?.join(", ") ?? "");
  const save = (change: Mark) => view.save(withMark(view.marks, key, change));
  const saveTags = (text: string) => {
    setTags(text);
    save({ tags: text.split(",").map((one) => one.trim()).filter(Boolean) });
  };
  // Before the next key: whoever writes on at once writes into the field.
  useLayoutEffect(() => {
    if (keys.field === "tag") tagField.current!.focus();
    if (keys.field === "note") noteField.current!.focus();
  }, [keys.field]);
  return (
    <p class="tools">
      <button type="button" aria-pressed={mark.pinned ? "true" : "false"} onClick={() => save({ pinned: !mark.pinned })}>Pin</button>
      <label class="field">Tags <input ref={tagField} type="text" value={tags} placeholder="one, another" onInput={(event) => saveTags(event.currentTarget.value)} /></label>
      <label class="field note-field">Note <input ref={noteField} type="text" value={mark.note ?? ""} onInput={(event) => save({ note: event.currentTarget.value })} /></label>
      <button type="button" onClick={() => keys.setOpen(null)}>Close</button>
    </p>
  );
}
