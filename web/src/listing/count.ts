// What a link to the errors says that it opens.
import type { Context } from "../context";
import { type Choices, placeHref } from "../state";
import { filterOf } from "./filter";
import { listPlaces } from "./list";
import { countText, isSampled, totalErrors } from "./totals";

export interface CountedLink {
  href: string;
  count: string;
}

/** A link to errors with the count of its list: errors per run if it names a system, else places. */
export function errorsLink(context: Context, choices: Choices): CountedLink {
  const href = placeHref("errors", choices);
  const { shown, errors } = sizeOf(context, new URLSearchParams(href.slice(href.indexOf("?") + 1)));
  return { href, count: choices.system ? errors : String(shown) };
}

/** The sizes of a list: its places, and its errors per run in all data. */
export function sizeOf(context: Context, chosen: URLSearchParams): { shown: number; errors: string } {
  const filter = filterOf(context, chosen);
  const { entries, errors } = listPlaces(context.page, filter);
  const total = isSampled(context.page, filter) ? totalErrors(context.page, filter) : null;
  return { shown: entries.length, errors: countText(total ?? errors) };
}
