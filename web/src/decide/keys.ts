// Keys of a view; they do nothing while somebody writes in a field, or edits.
import { useEffect, useRef } from "preact/hooks";
import { isTyping } from "../state";

export type Keys = Record<string, () => void>;

export function useKeys(keys: Keys, isActive = true): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    if (!isActive) return;
    const press = (event: KeyboardEvent) => {
      const action = Object.hasOwn(latest.current, event.key) ? latest.current[event.key] : undefined;
      if (!action || isTyping(event) || event.defaultPrevented) return;
      event.preventDefault();
      action();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [isActive]);
}
