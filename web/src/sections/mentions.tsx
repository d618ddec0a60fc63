// Tough mentions: recall on what training has not seen, and on names of several types.
import { type Context, metricsOf } from "../context";
import { Axis, Select } from "../controls";
import type { Facet, Page } from "../data";
import { choose } from "../state";
import { LevelFigure } from "./levels";

export function ToughMentions({ context }: { context: Context }) {
  const { page, place, dataset } = context;
  const facets = toughFacets(page);
  const types = [...new Set((dataset ? [dataset] : page.datasets).flatMap((one) => one.types))];
  const type = types.includes(place.chosen.get("type") ?? "") ? place.chosen.get("type") : null;
  const bars = place.chosen.get("axis") === "zero";
  return (
    <>
      <div class="row">
        <Select
          label="Type"
          value={type ?? ""}
          options={[{ value: "", text: "all types" }, ...types]}
          onChange={(value) => choose({ type: value || null })}
        />
        <Axis bars={bars} />
      </div>
      {facets.map((facet) => (
        <LevelFigure
          key={facet.name}
          context={context}
          facet={facet}
          metric={metricsOf(facet)[0]}
          title={`${facet.title || facet.name}: ${page.metrics[metricsOf(facet)[0]].title} by subset${type ? `, ${type}` : ""}`}
          note={`${facet.about} Click a mark to read the sentences.`.trim()}
          type={facet.byType ? type : null}
          bars={bars}
        />
      ))}
    </>
  );
}

/** All facets of mentions that are no attribute. */
export function toughFacets(page: Page): Facet[] {
  return page.facets.filter((facet) => facet.unit === "mention" && !facet.bucketed);
}

