// The page on which people decide: head, tabs, and the view that the address names.
import { useEffect, useMemo } from "preact/hooks";
import type { DecidePage } from "../decide-data";
import { placeHref, type Place as Address, usePlace } from "../state";
import { DecideView } from "./decide-view";
import { Files } from "./files";
import { GroupsView } from "./groups";
import { type Model, modelOf } from "./model";
import { NumbersView } from "./numbers";
import { SampleView } from "./sample";
import { type Session, useSession } from "./session";

interface View {
  name: string;
  title: string;
  View: (props: { session: Session; address: Address }) => preact.JSX.Element;
  applies?: (model: Model) => boolean;
}

const VIEWS: View[] = [
  { name: "decide", title: "Decide", View: DecideView },
  { name: "groups", title: "Groups", View: GroupsView, applies: ({ page }) => page.groups.length > 0 },
  { name: "sample", title: "Judge a sample", View: SampleView, applies: ({ sample }) => sample.length > 0 },
  { name: "numbers", title: "Numbers", View: NumbersView },
];

export function App({ page }: { page: DecidePage }) {
  const address = usePlace();
  const model = useMemo(() => modelOf(page), [page]);
  const session = useSession(model);
  const views = useMemo(() => VIEWS.filter(({ applies }) => !applies || applies(model)), [model]);
  const view = views.find(({ name }) => name === address.section) ?? views[0];
  useEffect(() => {
    document.title = `${view.title} · ${page.title}`;
  }, [view, page]);
  return (
    <>
      <header>
        <div class="title">
          <h1>{page.title}</h1>
          <span class="facts">{page.kind === "audit" ? "compared with" : "annotated by"} {page.names.join(", ")} · {page.date}</span>
        </div>
      </header>
      <div class="bar">
        <nav aria-label="Sections">
          {views.map(({ name, title }) => (
            <a key={name} href={placeHref(name, {})} aria-current={name === view.name ? "page" : undefined}>{title}</a>
          ))}
        </nav>
        <Files session={session} />
      </div>
      <main>
        <h2 tabIndex={-1} class="spoken">{view.title}</h2>
        <view.View key={view.name} session={session} address={address} />
      </main>
      <footer>nerscope {page.version}</footer>
    </>
  );
}
