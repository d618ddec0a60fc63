// Keys that move through the list and mark what stands there.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Page } from "../../data";
import { keyOf, mentionNamed } from "../../listing/keys";
import type { Entry } from "../../listing/list";
import { withMark } from "../../marks";
import { useCopied } from "../../parts/copied";
import { address, chooseQuietly, here, isTyping } from "../../state";
import type { ListView } from "./view";

/** The place of a key in the list, or -1. */
export function positionOf(page: Page, entries: Entry[], key: string | null): number {
  if (key === null) return -1;
  const named = mentionNamed(page, key);
  if (named) return entries.findIndex(({ units, unit }) => units === named.units && unit === named.unit);
  return entries.findIndex(({ units, unit }) => units.isToken && keyOf(units, unit) === key);
}

export interface ListKeys {
  isOn: boolean;
  setOn: (on: boolean) => void;
  copied: boolean;
  open: string | null; // the key of the place that is opened
  setOpen: (key: string | null) => void;
  field: "tag" | "note" | null; // that waits for words
  moveTo: (position: number) => void;
}

export const KEYS: [string, string][] = [
  ["j, n", "next error"],
  ["k, p", "previous error"],
  ["Enter", "open the sentence with its neighbours"],
  ["Esc", "close it"],
  ["/", "search"],
  ["c", "copy a link to this error"],
  ["x", "pin"],
  ["t", "tag"],
  ["m", "note"],
];

export function useListKeys(view: ListView): ListKeys {
  const [isOn, setOn] = useState(true);
  const [open, setOpen] = useState<string | null>(null);
  const [field, setField] = useState<ListKeys["field"]>(null);
  const [copied, copyAs] = useCopied();
  const latest = useRef(view);
  latest.current = view;
  useEffect(() => {
    if (!isOn) return;
    const press = (event: KeyboardEvent) => {
      if (event.key === "Escape" && (event.target as Element).closest(".opened")) (event.target as HTMLElement).blur();
      else if (isTyping(event)) return;
      const act = actionOf(event, latest.current, { setOpen, setField, copy: () => copyAs("link", address()) });
      if (!act) return;
      event.preventDefault();
      act();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [isOn]);
  const openIt = (key: string | null) => {
    setField(null);
    setOpen(key);
  };
  return { isOn, setOn, copied: copied !== "", open, setOpen: openIt, field, moveTo: (position) => moveTo(view, position) };
}

interface Doing {
  setOpen: (change: (open: string | null) => string | null) => void;
  setField: (field: ListKeys["field"]) => void;
  copy: () => void;
}

function actionOf(event: KeyboardEvent, view: ListView, { setOpen, setField, copy }: Doing): (() => void) | null {
  const now = positionOf(view.context.page, view.entries, here().chosen.get("at")); // keys may come faster than the page is drawn
  const entry = view.entries[now];
  const key = entry ? keyOf(entry.units, entry.unit) : null;
  const write = (field: "tag" | "note") => () => {
    setOpen(() => key);
    setField(field);
  };
  const onButton = (event.target as Element).matches("button, a, summary, input");
  const actions: Record<string, (() => void) | null> = {
    j: () => moveTo(view, now + 1),
    n: () => moveTo(view, now + 1),
    k: () => moveTo(view, now - 1),
    p: () => moveTo(view, now - 1),
    "/": () => document.querySelector<HTMLInputElement>(".errors-head input[type=search]")?.focus(),
    Escape: () => setOpen(() => null),
    Enter: key === null || onButton ? null : () => (setField(null), setOpen((open) => (open === key ? null : key))),
    c: key === null ? null : copy,
    x: key === null ? null : () => view.save(withMark(view.marks, key, { pinned: !view.marks[key]?.pinned })),
    t: key === null ? null : write("tag"),
    m: key === null ? null : write("note"),
  };
  return actions[event.key] ?? null;
}

/** Makes an entry the current one, and brings it into sight. */
function moveTo({ entries }: ListView, position: number): void {
  const entry = entries[Math.min(Math.max(position, 0), entries.length - 1)];
  if (entry) chooseQuietly({ at: keyOf(entry.units, entry.unit) });
}
