// Hard tokens: how often words are labelled wrong that training does not have, or labels otherwise.
import { errorsHref } from "../answers";
import { partColour, stackChart } from "../charts/stacks";
import { type Context, datasetKey, levelRow } from "../context";
import { Axis, Select } from "../controls";
import type { Facet, Page } from "../data";
import { Drawing, Figure } from "../figure";
import { UNDEFINED, about, percent } from "../format";
import { choose } from "../state";
import { Behind, Table, numberCell } from "../table";
import { LevelFigure } from "./levels";

const SHARES = ["unseen", "diff", "other"];

export function HardTokens({ context }: { context: Context }) {
  const bars = context.place.chosen.get("axis") !== "fit";
  const facets = tokenFacets(context.page);
  const facet = facets.find(({ name }) => name === context.place.chosen.get("facet")) ?? facets[0];
  return (
    <>
      <div class="row">
        {facets.length > 1 && (
          <Select
            label="Subsets"
            value={facet.name}
            options={facets.map(({ name, title }) => ({ value: name, text: title || name }))}
            onChange={(value) => choose({ facet: value })}
          />
        )}
        <Axis bars={bars} />
      </div>
      <HardScore context={context} facet={facet} />
      <LevelFigure
        context={context}
        facet={facet}
        metric="ter"
        title={`${facet.title || facet.name}: token error rate by subset`}
        note={`${facet.about} Lower is better. Click a bar to read sentences with such a token labelled wrong.`.trim()}
        levels={Object.keys(facet.levels).filter((level) => level !== "score")}
        bars={bars}
      />
      <Breakdown context={context} facet={facet} />
    </>
  );
}

export function tokenFacets(page: Page): Facet[] {
  return page.facets.filter(
    (facet) => !facet.bucketed && Object.values(facet.metrics).some((names) => names.includes("ter")),
  );
}

function HardScore({ context, facet }: { context: Context; facet: Facet }) {
  const found = context.systems.map((system) => ({ system, row: levelRow(context, facet, "score", system, "hardeval") }));
  if (found.every(({ row }) => row === null)) return null;
  const least = Math.min(...found.map(({ row }) => row?.value ?? Infinity));
  const body = found.map(({ system, row }) => [
    { text: system },
    { ...numberCell(context.page, row), best: found.length > 1 && row?.value === least },
  ]);
  return (
    <Table
      caption={`HardEval score (${facet.name})`}
      header={[{ text: "system" }, { text: "score", tip: context.page.glossary.hardeval }]}
      rows={body}
      note="Mean of the error rates on unseen and on diff tokens; lower is better."
    />
  );
}

/** Of all wrong tokens, which share falls on which subset. */
function Breakdown({ context, facet }: { context: Context; facet: Facet }) {
  const { page, systems } = context;
  const names = SHARES.filter((level) => level in facet.levels);
  const parts = systems.flatMap((system) =>
    names.flatMap((level) => {
      const row = levelRow(context, facet, level, system, "error_share");
      if (!row || row.value === null) return [];
      return [
        {
          row: system,
          part: level,
          value: 100 * row.value,
          text: percent(row.value),
          tip: about(page, row),
          href: errorsHref(facet.name, level, datasetKey(context), system),
        },
      ];
    }),
  );
  const title = `Where wrong tokens are (${facet.name})`;
  const chart = { label: title, parts, rows: systems, names, axis: "share of all wrong tokens (%)" };
  if (!parts.length) return null;
  const body = systems.map((system) => [
    { text: system },
    ...names.map((level) => {
      const part = parts.find((one) => one.row === system && one.part === level);
      return { text: part?.text ?? UNDEFINED, tip: part?.tip, value: part?.value ?? null };
    }),
  ]);
  return (
    <>
      <Figure title={title} legend={names.map((name, k) => ({ name, colour: partColour(k) }))}>
        <Drawing plot={stackChart} chart={chart} />
      </Figure>
      <Behind caption={title} header={["system", ...names].map((text) => ({ text, tip: page.glossary[text] }))} rows={body} />
    </>
  );
}
