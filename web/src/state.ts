// Where the reader is: a section and the choices made in it, all in the fragment of the address.
import { useEffect, useState } from "preact/hooks";
import type { PageLink } from "./page-data";

export interface Place {
  section: string;
  chosen: URLSearchParams;
}

export type Choices = Record<string, string | string[] | null | undefined>;

/** Choices that hold on the whole page, so that they go along from section to section. */
export const PAGE_WIDE = ["d", "s", "m"] as const;

/** `#/errors?kind=missed` as a place. */
export function parsePlace(fragment: string): Place {
  const text = fragment.replace(/^#\/?/, "");
  const at = text.indexOf("?");
  const [section, query] = at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
  return { section: section || "summary", chosen: new URLSearchParams(query) };
}

/** The fragment of a place; empty choices are left out. */
export function placeHref(section: string, chosen: Choices): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(chosen))
    for (const item of Array.isArray(value) ? value : [value]) if (item) query.append(name, item);
  const text = query.toString();
  return `#/${section}${text ? `?${text}` : ""}`;
}

export const linkHref = (link: PageLink): string => placeHref(link.section, link.chosen);

// The current place is kept here, because browsers accept only so many changes of the address per second.
let fragment = typeof location === "undefined" ? "" : location.hash;
let waiting: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();
const PAUSE = 250; // ms between two changes of the address

export const here = (): Place => parsePlace(fragment);

/** The address of what is shown now. */
export const address = (): string => location.href.split("#")[0] + fragment;

function show(next: string): void {
  fragment = next;
  for (const listener of listeners) listener();
}

function replaceAddress(): void {
  clearTimeout(waiting);
  waiting = undefined;
  if (location.hash === fragment) return;
  if (location.protocol === "about:") location.hash = fragment; // inside another page, which owns the history
  else history.replaceState(null, "", fragment);
}

export function usePlace(): Place {
  const [shown, setShown] = useState(fragment);
  useEffect(() => {
    const update = () => setShown(fragment);
    listeners.add(update);
    return () => void listeners.delete(update);
  }, []);
  return parsePlace(shown);
}

/** Goes to a place; Back returns to the one before. */
export function go(href: string): void {
  if (waiting) replaceAddress();
  if (location.protocol === "about:" || location.hash === href) location.hash = href;
  else history.pushState(null, "", href);
  show(href);
}

function changed(changes: Choices): string {
  const { section, chosen } = here();
  const old: Choices = {};
  for (const name of chosen.keys()) old[name] = chosen.getAll(name);
  return placeHref(section, { ...old, ...changes });
}

/** The same place with some choices changed; Back undoes it. */
export function choose(changes: Choices): void {
  go(changed(changes));
}

/** The same without an entry for Back: for the current row, and while somebody types or holds a key. */
export function chooseQuietly(changes: Choices): void {
  show(changed(changes));
  if (waiting) return;
  waiting = setTimeout(replaceAddress, PAUSE);
}

/** A place with the page-wide choices of the current one, unless it has its own. */
export function withPageChoices(href: string): string {
  const { section, chosen } = parsePlace(href);
  for (const name of PAGE_WIDE)
    if (!chosen.has(name)) for (const value of here().chosen.getAll(name)) chosen.append(name, value);
  const query = chosen.toString();
  return `#/${section}${query ? `?${query}` : ""}`;
}

/** Follows Back and Forward, and links inside the page. */
export function followAddress(): void {
  addEventListener("popstate", () => {
    if (location.hash === fragment) return;
    if (waiting && location.protocol === "about:") return; // an older change of its own, in a page inside another
    clearTimeout(waiting); // Back comes before what was to be written into the address that it leaves
    waiting = undefined;
    show(location.hash);
  });
  document.addEventListener("click", (event) => {
    const link = (event.target as Element).closest?.("a");
    const href = link?.getAttribute("href") ?? link?.getAttribute("xlink:href");
    if (!href?.startsWith("#/") || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    const before = here().section;
    go(withPageChoices(href));
    if (here().section === before) return;
    scrollTo(0, 0);
    document.querySelector<HTMLElement>("h2")?.focus({ preventScroll: true });
  });
}

/** Whether keys belong to a field, or to the browser. */
export function isTyping(event: KeyboardEvent): boolean {
  const field = (event.target as Element).closest?.("input:not([type=checkbox]):not([type=radio]), select, textarea");
  return !!field || event.ctrlKey || event.metaKey || event.altKey;
}
