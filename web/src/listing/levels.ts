// Which codes of a facet belong to some of its levels.
import { type Page, facetNamed } from "../data";
import type { Units } from "../places";

/** The codes of units under a facet, and for each code whether it belongs to one of the levels. */
export function levelTable(page: Page, units: Units, { facet, levels }: { facet: string; levels: string[] }): { codes: number[]; has: boolean[] } {
  const chosen = facetNamed(page, facet)?.levels.filter(({ name }) => levels.includes(name)) ?? [];
  const has: boolean[] = [];
  for (const { codes } of chosen) for (const code of codes) has[code] = true;
  return { codes: units.codes[facet], has };
}
