// What was copied last, for a moment.
import { useState } from "preact/hooks";
import { copy } from "../save";

/** The name of what was copied last, and a function that copies. */
export function useCopied(): [string, (name: string, text: string) => void] {
  const [copied, setCopied] = useState("");
  const take = async (name: string, text: string) => {
    await copy(text);
    setCopied(name);
    setTimeout(() => setCopied(""), 1500);
  };
  return [copied, (name, text) => void take(name, text)];
}
