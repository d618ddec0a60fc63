// Errors: filtered by the rail, read as lines, groups or sentences, or judged one after the other.
import { useMemo, useState } from "preact/hooks";
import type { Context } from "../context";
import { filterOf } from "../listing/filter";
import { type Listing, listPlaces } from "../listing/list";
import { sorted } from "../listing/sorts";
import { type Marks, keepMarks, keptMarks, marksOf } from "../marks";
import { kept } from "../review";
import { choose } from "../state";
import "./errors.css";
import { Groups } from "./errors/groups";
import { Head } from "./errors/head";
import { positionOf, useListKeys } from "./errors/keys";
import { Lines } from "./errors/lines";
import { Rail } from "./errors/rail";
import { Review } from "./errors/review";
import { Sentences } from "./errors/sentences";
import { type ListView, clearing } from "./errors/view";

export function Errors({ context }: { context: Context }) {
  const view = context.place.chosen.get("view") ?? "lines";
  return view === "review" ? <Review context={context} /> : <ErrorList context={context} view={view} />;
}

function ErrorList({ context, view: name }: { context: Context; view: string }) {
  const { page, place } = context;
  const [marks, setMarks] = useState<Marks>(() => keptMarks(page));
  const [isKept, setKept] = useState(true);
  const judgements = useMemo(() => kept(page), [page]);
  const marked = useMemo(() => marksOf(page, marks, judgements), [page, marks, judgements]);
  const filter = filterOf(context);
  const key = JSON.stringify(filter) + (place.chosen.get("q") ?? "");
  const listing: Listing = useMemo(() => listPlaces(page, filter, marked), [page, key, marked]);
  const seed = Number(place.chosen.get("seed") ?? 1);
  const entries = useMemo(() => sorted(listing.entries, place.chosen.get("sort"), seed), [listing, place.chosen.get("sort"), seed]);
  const save = (next: Marks) => {
    setMarks(next);
    setKept(keepMarks(page, next));
  };
  const at = positionOf(page, entries, place.chosen.get("at"));
  const view: ListView = { context, filter, listing, entries, at, marks, save };
  const keys = useListKeys(view);
  return (
    <div class="errors">
      <Rail view={view} />
      <div class="errors-list">
        <Head view={view} keys={keys} isKept={isKept} />
        {name === "groups" ? <Groups view={view} /> : name === "sentences" ? <Sentences view={view} keys={keys} /> : <Lines view={view} keys={keys} />}
        {!entries.length && (
          <p>
            No error fits. <button type="button" onClick={() => choose(clearing(context))}>Remove all filters</button>
          </p>
        )}
      </div>
    </div>
  );
}
