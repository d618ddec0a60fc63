// Diagnosis: best and worst buckets, where A leads B, what data are like and what scores depend on.
import { errorsHref } from "../answers";
import { Radar, type RadarLine } from "../charts/radar";
import { rangeChart } from "../charts/ranges";
import { colourOf } from "../colours";
import { type Context, pairOf } from "../context";
import type { ViewRow } from "../data";
import { Drawing, Figure, systemLegend } from "../figure";
import { UNDEFINED, pText, percent, points } from "../format";
import { placeHref } from "../state";
import { Behind, type Cell } from "../table";

export type Views = Record<string, ViewRow[]>;

/** Which dataset is shown, where there are several; diagnosis has no means over them. */
function onDataset({ page, dataset }: Context): string {
  return page.datasets.length > 1 ? `, ${(dataset ?? page.datasets[0]).name}` : "";
}

/** Best and worst bucket of each attribute for each system. */
export function SelfDiagnosis({ context, views }: { context: Context; views: Views }) {
  const { page, systems, dataset } = context;
  const shown = (views["self-diagnosis"] ?? []).filter(
    (row) => row.dataset === (dataset ?? page.datasets[0]).name && systems.includes(String(row.system)),
  );
  const defined = shown.filter((row) => row.best_value !== null && row.worst_value !== null);
  const attributes = [...new Set(defined.map((row) => String(row.attribute)))];
  const href = (row: ViewRow, bucket: unknown) =>
    errorsHref(String(row.attribute), String(bucket), String(row.dataset), String(row.system));
  const ranges = defined.map((row) => ({
    attribute: String(row.attribute),
    system: String(row.system),
    place: page.systems.indexOf(String(row.system)),
    low: 100 * Number(row.worst_value),
    high: 100 * Number(row.best_value),
    worst: String(row.worst),
    best: String(row.best),
    sure: row.significant === true,
    tip: `${row.system} · ${row.attribute}\nworst ${row.worst} ${percent(Number(row.worst_value))}, best ${row.best} ${percent(Number(row.best_value))}\ngap ${points(Number(row.gap))}, ${pText(row.p as number | null)}\n${page.glossary[String(row.attribute)] ?? ""}\n${page.signature}`,
    hrefWorst: href(row, row.worst),
    hrefBest: href(row, row.best),
  }));
  const title = `Self-diagnosis: from the worst to the best bucket${onDataset(context)}`;
  const chart = { label: title, ranges, attributes, systems, axis: "F1 (%)" };
  if (!ranges.length) return null;
  const body = defined.map((row) => [
    { text: String(row.attribute) },
    { text: String(row.system) },
    valueCell(Number(row.worst_value), ` ${row.worst}`),
    valueCell(Number(row.best_value), ` ${row.best}`),
    { text: points(Number(row.gap)), value: Number(row.gap) },
    { text: pText(row.p as number | null), value: row.p as number | null },
  ]);
  const header = ["attribute", "system", "worst", "best", "gap", "p"].map((text) => ({ text, tip: page.glossary[text] }));
  return (
    <>
      <Figure title={title} note="Pale lines: the gap may be chance." legend={systemLegend(page.systems, systems)}>
        <Drawing plot={rangeChart} chart={chart} />
      </Figure>
      <Behind caption={title} header={header} rows={body} />
    </>
  );
}

const valueCell = (value: number, bucket: string): Cell => ({ text: percent(value), small: bucket, value });

/** In which bucket A leads B most, and least. */
export function Comparative({ context, views }: { context: Context; views: Views }) {
  const [a, b] = pairOf(context);
  const dataset = (context.dataset ?? context.page.datasets[0]).name;
  const all = views["comparative diagnosis"] ?? [];
  const straight = all.some((row) => row.a === a && row.b === b);
  const own = all.filter((row) => row.dataset === dataset && (straight ? row.a === a && row.b === b : row.a === b && row.b === a));
  const attributes = [...new Set(own.map((row) => String(row.attribute)))];
  const sign = straight ? 1 : -1;
  const ranges = attributes.flatMap((attribute) => {
    const ends = own
      .filter((row) => row.attribute === attribute && row.difference !== null)
      .map((row) => ({ bucket: String(row.bucket), value: 100 * sign * Number(row.difference), row }))
      .sort((one, other) => one.value - other.value);
    if (!ends.length) return [];
    const [low, high] = [ends[0], ends[ends.length - 1]];
    const href = (bucket: string) => placeHref("errors", { d: dataset, facet: attribute, level: bucket, a, b, disagree: "1" });
    return [
      {
        attribute,
        system: a,
        place: context.page.systems.indexOf(a),
        low: low.value,
        high: high.value,
        worst: low.bucket,
        best: high.bucket,
        sure: ends.some((end) => end.row.significant === true),
        tip: `${a} − ${b} · ${attribute}\nfrom ${points(low.value / 100)} in ${low.bucket} to ${points(high.value / 100)} in ${high.bucket}\n${ends.map((end) => `${end.bucket}: ${pText(end.row.p as number | null)}`).join(", ")}`,
        hrefWorst: href(low.bucket),
        hrefBest: href(high.bucket),
      },
    ];
  });
  const title = `Comparative diagnosis: where ${a} leads ${b} least and most${onDataset(context)}`;
  const chart = { label: title, ranges, attributes, systems: [a], axis: `F1 of ${a} − F1 of ${b} (points)`, zero: true };
  if (!ranges.length) return null;
  const body = ranges.map((range) => [
    { text: range.attribute },
    { text: points(range.low / 100), small: range.worst, value: range.low, tip: range.tip },
    { text: points(range.high / 100), small: range.best, value: range.high, tip: range.tip },
  ]);
  return (
    <>
      <Figure title={title} note="Pale lines: the differences may be chance.">
        <Drawing plot={rangeChart} chart={chart} />
      </Figure>
      <Behind caption={title} header={["attribute", "least", "most"].map((text) => ({ text }))} rows={body} />
    </>
  );
}

/** What the datasets are like (ζ), and what systems depend on there (ρ). */
export function Radars({ context, views }: { context: Context; views: Views }) {
  const { page } = context;
  const rows = views["attribute-wise"] ?? [];
  const attributes = [...new Set(rows.map((row) => String(row.attribute)))];
  const value = (dataset: string, attribute: string, key: "zeta" | "rho") => {
    const found = rows.find((row) => row.dataset === dataset && row.attribute === attribute)?.[key];
    return typeof found === "number" ? found : null;
  };
  const lines = (key: "zeta" | "rho"): RadarLine[] =>
    page.datasets.map((dataset, k) => ({
      name: dataset.name,
      colour: colourOf(k),
      values: attributes.map((attribute) => {
        const own = value(dataset.name, attribute, key);
        const most = key === "rho" ? 1 : Math.max(...page.datasets.map((one) => value(one.name, attribute, key) ?? 0));
        return {
          share: own === null || !most ? null : own / most,
          tip: `${dataset.name} · ${attribute}\n${key === "zeta" ? "ζ" : "ρ"} = ${own === null ? UNDEFINED : own.toPrecision(3)}\n${page.glossary[key]}`,
        };
      }),
    }));
  const title = page.datasets.length > 1 ? "What data are like (ζ), and what scores depend on (ρ)" : "What scores depend on (ρ)";
  const body = attributes.flatMap((attribute) =>
    page.datasets.map((dataset) => {
      const [zeta, rho] = [value(dataset.name, attribute, "zeta"), value(dataset.name, attribute, "rho")];
      return [
        { text: attribute },
        { text: dataset.name },
        { text: zeta === null ? UNDEFINED : zeta.toPrecision(3), value: zeta },
        { text: rho === null ? UNDEFINED : rho.toFixed(2), value: rho },
      ];
    }),
  );
  if (!attributes.length) return null;
  const legend = page.datasets.map((dataset, k) => ({ name: dataset.name, colour: colourOf(k) }));
  return (
    <>
      <Figure title={title} note="ρ: 1 if scores rise or fall with every bucket. ζ: mean of the attribute, relative to the dataset with the largest." legend={legend}>
        <div class="multiples">
          {page.datasets.length > 1 && <Radar title="ζ" axes={attributes} lines={lines("zeta")} />}
          <Radar title="ρ" axes={attributes} lines={lines("rho")} />
        </div>
      </Figure>
      <Behind caption={title} header={["attribute", "dataset", "ζ", "ρ"].map((text, k) => ({ text, tip: page.glossary[["", "", "zeta", "rho"][k]] }))} rows={body} />
    </>
  );
}

/** How each system's scores go with each attribute. */
export function ModelWise({ context, views }: { context: Context; views: Views }) {
  const rows = (views["model-wise"] ?? []).filter((row) => context.systems.includes(String(row.system)));
  const attributes = [...new Set(rows.map((row) => String(row.attribute)))];
  const cell = (system: string, attribute: string): Cell => {
    const row = rows.find((one) => one.system === system && one.attribute === attribute);
    const own = typeof row?.spearman === "number" ? row.spearman : null;
    const std = typeof row?.std === "number" ? row.std : null;
    return {
      text: own === null ? UNDEFINED : own.toFixed(2),
      small: std === null ? "" : `± ${percent(std)}`,
      value: own,
      best: row?.significant_trend === true,
      tip: row && `${system} · ${attribute}\n${context.page.glossary.spearman}\n${pText(row.p_trend as number | null)}`,
    };
  };
  if (!rows.length) return null;
  const body = attributes.map((attribute) => [{ text: attribute }, ...context.systems.map((system) => cell(system, attribute))]);
  return (
    <Behind
      caption="How scores go with attributes (rank correlation ± standard deviation over buckets)"
      header={["attribute", ...context.systems].map((text) => ({ text }))}
      rows={body}
      note="Bold: a trend beyond chance. Means over the datasets."
    />
  );
}
