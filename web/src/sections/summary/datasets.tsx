// Datasets × systems: the score of each system on each dataset.
import { type HeatCell, heatChart } from "../../charts/heat";
import type { Context } from "../../context";
import { Drawing, Figure } from "../../figure";
import { about, capital, shown } from "../../format";
import { placeHref, withPageChoices } from "../../state";
import { metricTitle } from "./scores";

const MEAN = "mean";

export function DatasetHeat({ context }: { context: Context }) {
  const { page, systems, metric } = context;
  const title = metricTitle(context, metric);
  const sets = [...page.datasets.map(({ name }) => name), MEAN];
  const cells = sets.flatMap((set) => systems.map((system) => heatCell(context, set, system)));
  const values = cells.flatMap(({ value }) => value ?? []);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const upright = sets.length > systems.length; // the longer side goes down the page
  const chart = {
    label: `${title} of each system on each dataset`,
    corner: upright ? "dataset" : "system",
    rows: upright ? sets : systems,
    columns: upright ? systems : sets,
    cells: cells.map(({ set, system, value, ...cell }): HeatCell => ({
      ...cell,
      row: upright ? set : system,
      column: upright ? system : set,
      share: value === null || most === least ? 0 : 0.05 + 0.95 * ((value - least) / (most - least)),
    })),
  };
  return (
    <Figure title={`${capital(title)} on each dataset`} note="Darker is higher. A dataset opens its own summary.">
      <Drawing draw={heatChart} chart={chart} />
    </Figure>
  );
}

function heatCell({ page, rows, metric }: Context, set: string, system: string) {
  const row = rows.get({ dataset: set === MEAN ? null : set, system, metric });
  const text = shown(row?.value ?? null, page.metrics[metric]);
  const tip = `${system}, ${set}: ${text}${row ? `\n${about(page, row)}` : ""}`;
  return { set, system, value: row?.value ?? null, text, tip, href: set === MEAN ? undefined : withPageChoices(placeHref("summary", { d: set })) };
}
