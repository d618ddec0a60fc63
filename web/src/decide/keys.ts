// Keys of a view; they do nothing while a field has the focus, or the editor is open.
import { useEffect, useRef } from "preact/hooks";
import { isTyping } from "../state";

export type Keys = Record<string, () => void>;

export function useKeys(keys: Keys, isActive = true): void {
  // Read when a key is pressed: the next key may come before effects of the last one have run.
  const latest = useRef({ keys, isActive });
  latest.current = { keys, isActive };
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!latest.current.isActive || event.defaultPrevented || isTyping(event)) return;
      const name = nameOf(event);
      if (!Object.hasOwn(latest.current.keys, name)) return;
      event.preventDefault();
      latest.current.keys[name]();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}

/** A letter is large with Shift alone, so that Caps Lock changes nothing. */
function nameOf({ key, shiftKey }: KeyboardEvent): string {
  return /^[a-z]$/i.test(key) ? (shiftKey ? key.toUpperCase() : key.toLowerCase()) : key;
}
