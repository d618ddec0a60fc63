// The page: a bar of sections, the choices that hold for all, and the section that was asked for.
import type { ComponentType } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { type Context, contextOf } from "./context";
import { Choices } from "./controls";
import { type Page, Rows } from "./data";
import { Mentions } from "./mentions";
import { Attributes, attributeFacets } from "./sections/attributes";
import { Compare } from "./sections/compare";
import { Errors } from "./sections/errors";
import { ToughMentions, toughFacets } from "./sections/mentions";
import { Overview } from "./sections/overview";
import { PartialCredit, partialMatches } from "./sections/partial";
import { Review } from "./sections/review";
import { HardTokens, tokenFacets } from "./sections/tokens";
import { Signed } from "./signed";
import { placeHref, usePlace } from "./state";

interface Section {
  name: string;
  title: string;
  View: ComponentType<{ context: Context }>;
  applies?: (page: Page) => boolean;
}

const SECTIONS: Section[] = [
  { name: "overview", title: "Overview", View: Overview },
  { name: "mentions", title: "Tough mentions", View: ToughMentions, applies: (page) => toughFacets(page).length > 0 },
  { name: "tokens", title: "Hard tokens", View: HardTokens, applies: (page) => tokenFacets(page).length > 0 },
  { name: "attributes", title: "Attributes", View: Attributes, applies: (page) => attributeFacets(page).length > 0 },
  { name: "partial", title: "Partial credit", View: PartialCredit, applies: (page) => partialMatches(page).length > 1 },
  { name: "compare", title: "Compare", View: Compare, applies: (page) => page.comparison !== null },
  { name: "errors", title: "Errors", View: Errors },
  { name: "review", title: "Review", View: Review, applies: (page) => page.pairs.length > 0 },
];

export function App({ page }: { page: Page }) {
  const place = usePlace();
  const rows = useMemo(() => new Rows(page), [page]);
  const mentions = useMemo(() => page.datasets.map((dataset) => new Mentions(dataset, page.outcomes)), [page]);
  const context = contextOf(page, rows, mentions, place);
  const sections = useMemo(() => SECTIONS.filter(({ applies }) => !applies || applies(page)), [page]);
  const section = sections.find(({ name }) => name === place.section) ?? sections[0];
  useEffect(() => {
    document.title = `${section.title} · ${page.title}`;
  }, [section, page]);
  // Choices that hold for all sections go along; what is looked for first among the sentences are errors.
  const kept = { d: place.chosen.get("d"), s: place.chosen.getAll("s"), a: place.chosen.get("a"), b: place.chosen.get("b") };
  return (
    <Signed value={page.signature}>
      <header>
        <h1>{page.title}</h1>
        <nav aria-label="Sections">
          {sections.map(({ name, title }) => (
            <a key={name} href={placeHref(name, name === "errors" ? { ...kept, outcome: "error" } : kept)} aria-current={name === section.name ? "page" : undefined}>
              {title}
            </a>
          ))}
        </nav>
      </header>
      <main>
        <Choices context={context} />
        <h2 tabIndex={-1}>{section.title}</h2>
        <section.View key={section.name} context={context} />
      </main>
      <footer>
        nerscope {page.version} · <code>{page.signature}</code>
      </footer>
    </Signed>
  );
}
