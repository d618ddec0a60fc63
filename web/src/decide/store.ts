// Choices and the name of the person, kept in the browser.
import type { Choices, Model } from "./model";

const NAME = "nerscope-by";

/** Pages with the same places in the same texts share their choices. */
export function storeName(model: Model): string {
  let hash = 0;
  const add = (text: string) => {
    for (let k = 0; k < text.length; k++) hash = (31 * hash + text.charCodeAt(k)) | 0;
  };
  for (const { key, current, options } of [...model.places, ...model.sample]) add(key + JSON.stringify([current, options.map(({ spans }) => spans)]));
  for (const { tokens, gold } of model.page.sentences) add(tokens.join(" ") + JSON.stringify(gold));
  return `nerscope-decisions:${model.page.kind}:${model.places.length}:${hash >>> 0}`;
}

export function keptChoices(name: string): Choices {
  try {
    const read = Object.entries(JSON.parse(localStorage.getItem(name) ?? "{}") as Choices);
    return Object.fromEntries(read.filter(([, one]) => typeof one?.how === "string" && Array.isArray(one.removed) && Array.isArray(one.added)));
  } catch {
    return {};
  }
}

/** Keeps choices; tells whether the browser did. */
export function keepChoices(name: string, choices: Choices): boolean {
  try {
    localStorage.setItem(name, JSON.stringify(choices));
    return true;
  } catch {
    return false;
  }
}

export function keptName(): string {
  try {
    return localStorage.getItem(NAME) ?? "";
  } catch {
    return "";
  }
}

export function keepName(by: string): void {
  try {
    localStorage.setItem(NAME, by);
  } catch {
    return; // the page works without it
  }
}
