// The page: head, tabs, and the section that the address names.
import { useEffect, useMemo } from "preact/hooks";
import { type Context, contextOf } from "./context";
import { type Page, Rows } from "./data";
import { Bar, Head } from "./parts/head";
import { Compare } from "./sections/compare";
import { DataMethod } from "./sections/data";
import { Errors } from "./sections/errors";
import { Summary } from "./sections/summary";
import { Where } from "./sections/where";
import { sign } from "./signed";
import { usePlace } from "./state";

interface Section {
  name: string;
  title: string;
  View: (props: { context: Context }) => preact.JSX.Element;
  applies?: (page: Page) => boolean;
}

const SECTIONS: Section[] = [
  { name: "summary", title: "Summary", View: Summary },
  { name: "errors", title: "Errors", View: Errors },
  { name: "compare", title: "Compare", View: Compare, applies: (page) => page.comparison !== null },
  { name: "where", title: "Where", View: Where },
  { name: "data", title: "Data & method", View: DataMethod },
];

export function App({ page }: { page: Page }) {
  const place = usePlace();
  const rows = useMemo(() => new Rows(page), [page]);
  const context = contextOf(page, rows, place);
  const sections = useMemo(() => SECTIONS.filter(({ applies }) => !applies || applies(page)), [page]);
  const section = sections.find(({ name }) => name === place.section) ?? sections[0];
  sign(page.signature);
  useEffect(() => {
    document.title = `${section.title} · ${page.title}`;
  }, [section, page]);
  return (
    <>
      <header>
        <Head context={context} />
      </header>
      <Bar context={context} tabs={sections} current={section.name} />
      <main>
        <h2 tabIndex={-1} class="spoken">{section.title}</h2>
        <section.View key={section.name} context={context} />
      </main>
      <footer>
        nerscope {page.version} · <code>{page.signature}</code>
      </footer>
    </>
  );
}
