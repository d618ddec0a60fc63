// Where the reader is: a section and what was chosen in it, all in the fragment of the address.
import { useEffect, useState } from "preact/hooks";

export interface Place {
  section: string;
  chosen: URLSearchParams;
}

type Choices = Record<string, string | string[] | null | undefined>;

/** `#/errors?outcome=missed` as a place. */
export function parsePlace(fragment: string): Place {
  const text = fragment.replace(/^#\/?/, "");
  const at = text.indexOf("?");
  const [section, query] = at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
  return { section: section || "overview", chosen: new URLSearchParams(query) };
}

/** The fragment of a place; what is empty is left out. */
export function placeHref(section: string, chosen: Choices): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(chosen))
    for (const one of Array.isArray(value) ? value : [value]) if (one) query.append(name, one);
  const text = query.toString();
  return `#/${section}${text ? `?${text}` : ""}`;
}

// What is true is kept here, since browsers take an address only so many times a second.
let fragment = typeof location === "undefined" ? "" : location.hash;
let waiting: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();
const PAUSE = 250; // ms between two addresses

export const here = (): Place => parsePlace(fragment);

/** The address of what is shown now. */
export const address = (): string => location.href.split("#")[0] + fragment;

function arrive(next: string): void {
  fragment = next;
  for (const listener of listeners) listener();
}

function writeAddress(): void {
  clearTimeout(waiting);
  waiting = undefined;
  if (location.hash === fragment) return;
  if (location.protocol === "about:") location.hash = fragment; // inside another page, which owns the history
  else history.replaceState(null, "", fragment);
}

export function usePlace(): Place {
  const [shown, setShown] = useState(fragment);
  useEffect(() => {
    const show = () => setShown(fragment);
    listeners.add(show);
    return () => void listeners.delete(show);
  }, []);
  return parsePlace(shown);
}

export function go(href: string): void {
  if (waiting) writeAddress();
  location.hash = href;
  arrive(href);
}

/** The same place with some choices changed; the way back leads past it. */
export function choose(changes: Choices): void {
  const { section, chosen } = here();
  const old: Choices = {};
  for (const name of chosen.keys()) old[name] = chosen.getAll(name);
  arrive(placeHref(section, { ...old, ...changes }));
  if (waiting) return;
  writeAddress();
  waiting = setTimeout(writeAddress, PAUSE);
}

/** The way back, and links inside the page: they keep the chosen systems, and bring the focus along. */
export function followAddress(): void {
  addEventListener("hashchange", () => {
    if (location.hash !== fragment && !waiting) arrive(location.hash);
  });
  document.addEventListener("click", (event) => {
    const link = (event.target as Element).closest?.("a");
    const href = link?.getAttribute("href") ?? link?.getAttribute("xlink:href");
    if (!href?.startsWith("#/") || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    go(withSystems(href));
    scrollTo(0, 0);
    document.querySelector<HTMLElement>("h2")?.focus({ preventScroll: true });
  });
}

function withSystems(href: string): string {
  const { section, chosen } = parsePlace(href);
  const systems = here().chosen.getAll("s");
  if (chosen.has("s") || !systems.length) return href;
  for (const system of systems) chosen.append("s", system);
  return `#/${section}?${chosen}`;
}

/** Whether keys belong to a field, or to the browser. */
export function isTyping(event: KeyboardEvent): boolean {
  const field = (event.target as Element).closest?.("input:not([type=checkbox]), select, textarea");
  return !!field || event.ctrlKey || event.metaKey || event.altKey;
}
