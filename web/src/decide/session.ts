// What a person does on the page: choices, taking them back, and files of them.
import { useMemo, useRef, useState } from "preact/hooks";
import type { Choice, Choices, Model, Place } from "./model";
import { keepChoices, keepName, keptChoices, keptName, storeName } from "./store";

export type Entry = [Place, Choice];

export interface Session {
  model: Model;
  choices: Choices;
  by: string;
  isKept: boolean; // whether the browser stores choices
  decide: (entries: Entry[]) => Choices;
  merge: (choices: Choices) => void;
  undo: () => string | null; // the key of the first place that was taken back
  setBy: (by: string) => void;
}

type Before = [string, Choice | undefined][];

export function useSession(model: Model): Session {
  const name = useMemo(() => storeName(model), [model]);
  const [choices, setChoices] = useState(() => keptChoices(name));
  const [by, setBy] = useState(keptName);
  const [isKept, setKept] = useState(true);
  const past = useRef<Before[]>([]);
  // Two keys may be pressed before the page is drawn again.
  const latest = useRef(choices);

  const change = (changes: Record<string, Choice | undefined>) => {
    const next: Choices = { ...latest.current };
    for (const [key, choice] of Object.entries(changes)) {
      if (choice) next[key] = choice;
      else delete next[key];
    }
    latest.current = next;
    setChoices(next);
    setKept(keepChoices(name, next));
    return next;
  };
  const changeWithPast = (changes: Choices) => {
    if (!Object.keys(changes).length) return latest.current;
    past.current.push(Object.keys(changes).map((key) => [key, latest.current[key]]));
    return change(changes);
  };
  return {
    model,
    choices,
    by,
    isKept,
    decide: (entries) => changeWithPast(Object.fromEntries(entries.map(([place, choice]) => [place.key, choice]))),
    merge: changeWithPast,
    undo: () => {
      const before = past.current.pop();
      if (before) change(Object.fromEntries(before));
      return before?.[0][0] ?? null;
    },
    setBy: (value) => {
      setBy(value);
      keepName(value);
    },
  };
}
