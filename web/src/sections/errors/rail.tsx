// Counted facets beside the list: several values of one are alternatives.
import { useState } from "preact/hooks";
import { type Context, datasetsOf } from "../../context";
import { facetNamed, levelNamed, levelPhrase } from "../../data";
import { count } from "../../format";
import type { Types } from "../../listing/filter";
import { confusionText } from "../../listing/groups";
import { choose } from "../../state";
import type { ListView } from "./view";

interface RailFacet {
  name: string; // in the address, and in the counts
  title: string;
  label: (value: string, context: Context) => string;
  omits?: (value: string, context: Context) => boolean; // what another value says too
  bySize?: boolean; // the most frequent values first
  most?: number; // values that are shown at first
  least?: number; // values below which it says nothing
}

const FACETS: RailFacet[] = [
  { name: "kind", title: "Kind", label: (value, { page }) => page.kinds.find(({ name }) => name === value)?.title ?? value },
  { name: "pair", title: "Gold → predicted", label: (value) => confusionText(...(JSON.parse(value) as Types)), bySize: true, most: 8 },
  { name: "system", title: "Errors of", label: (value) => value, least: 2 },
  { name: "run", title: "Run", label: (value) => `run ${value}`, least: 2, most: 5 },
  { name: "pattern", title: "Pattern", label: patternText, omits: (value, { systems }) => systems.length < (value.startsWith("right") ? 3 : 2), bySize: true, most: 6 },
  { name: "wrong", title: "Systems wrong", label: (value, { systems }) => `${value} of ${systems.length}`, least: 2 },
  { name: "level", title: "Seen in training?", label: levelText },
  { name: "length", title: "Length", label: (value) => (value === "1" ? "1 word" : value === "4+" ? "4 words or more" : `${value} words`) },
  { name: "judged", title: "Judged", least: 2, label: (value) => (value === "no" ? "not yet" : value) },
  { name: "pinned", title: "Pinned", label: () => "pinned" },
  { name: "tag", title: "Tags", label: (value) => value },
];

export function Rail({ view }: { view: ListView }) {
  const [open, setOpen] = useState(() => matchMedia("(min-width: 900px)").matches);
  const chosen = FACETS.reduce((sum, { name }) => sum + view.context.place.chosen.getAll(name).length, 0);
  return (
    <details class="rail" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Filters{chosen > 0 && ` (${chosen})`}</summary>
      {open && FACETS.map((facet) => <Facet key={facet.name} facet={facet} view={view} />)}
    </details>
  );
}

function Facet({ facet, view: { context, listing } }: { facet: RailFacet; view: ListView }) {
  const [all, setAll] = useState(false);
  const { chosen } = context.place;
  const own = chosen.getAll(facet.name);
  const counts = listing.counts.get(facet.name) ?? new Map<string, number>();
  const values = [...counts].filter(([value, n]) => own.includes(value) || (n > 0 && !facet.omits?.(value, context)));
  if (values.length < (own.length ? 1 : (facet.least ?? 1))) return null;
  if (facet.bySize) values.sort(([, n], [, m]) => m - n);
  const shown = all ? values : values.slice(0, facet.most);
  const toggle = (value: string) => choose({ [facet.name]: own.includes(value) ? own.filter((one) => one !== value) : [...own, value], at: null });
  return (
    <fieldset>
      <legend>{facet.title}</legend>
      {shown.map(([value, n]) => (
        <label key={value}>
          <input type="checkbox" checked={own.includes(value)} onChange={() => toggle(value)} />
          <span class="value">{facet.label(value, context)}</span> <span class="n">{count(n)}</span>
        </label>
      ))}
      {values.length > shown.length && <button type="button" class="more-values" onClick={() => setAll(true)}>{values.length - shown.length} more</button>}
    </fieldset>
  );
}

function patternText(value: string): string {
  const at = value.indexOf(":");
  if (at < 0) return "all wrong";
  return value.startsWith("only") ? `only ${value.slice(at + 1)} wrong` : `only ${value.slice(at + 1)} right`;
}

function levelText(value: string, context: Context): string {
  const { page } = context;
  const at = value.indexOf("=");
  const facet = facetNamed(page, value.slice(0, at));
  const level = levelNamed(facet, value.slice(at + 1));
  return facet && level ? levelPhrase(facet, level, datasetsOf(context)) : value;
}
