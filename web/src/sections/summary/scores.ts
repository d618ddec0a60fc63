// Overall scores as the summary shows them: of one dataset with runs, of several their mean.
import { type Context, overallRow } from "../../context";
import type { Row, RunScore } from "../../data";
import { count, counted, percent } from "../../format";

export const FEW = 30; // units: fewer are hatched, and never a headline

const RUN_METRICS = ["precision", "recall", "f1"] as const;

export interface Dot {
  name: string; // of the run, or of the dataset
  value: number;
}

/** The single values behind a score: of runs, or of datasets where the score is their mean. */
export function dotsOf({ page, rows, dataset, metric }: Context, system: string): Dot[] {
  if (!dataset)
    return page.datasets.flatMap(({ name }) => {
      const value = rows.get({ dataset: name, system, metric })?.value ?? null;
      return value === null ? [] : [{ name, value }];
    });
  const key = RUN_METRICS.find((name) => name === metric);
  if (!key) return [];
  const runs = page.runScores.filter((run) => run.dataset === dataset.name && run.system === system);
  return runs.length < 2 ? [] : runs.flatMap((run) => dot(run, key));
}

function dot(run: RunScore, key: (typeof RUN_METRICS)[number]): Dot[] {
  const value = run[key];
  return value === null ? [] : [{ name: `run ${run.run}`, value }];
}

export const metricTitle = ({ page }: Pick<Context, "page">, metric: string): string => page.metrics[metric]?.title ?? metric;

/** "n = 5,648 gold mentions". */
export function supportText(row: Row | null): string {
  if (!row) return "";
  const noun = row.unit !== "mention" ? row.unit : row.metric === "precision" ? "predicted mention" : "gold mention";
  return `n = ${counted(row.n, noun)}`;
}

/** "95 % interval 91.7 to 94.1, over 231 documents". */
export function intervalText({ dataset }: Pick<Context, "dataset">, row: Row | null): string {
  if (!row || row.low === null || row.high === null) return "";
  const over = row.clusters ? counted(row.clusters, dataset?.resample ?? "cluster") : `${dataset?.resample ?? "cluster"}s`;
  return `95 % interval ${percent(row.low)} to ${percent(row.high)}, over ${over}`;
}

/** "mean of 2 datasets", "5 runs". */
export function meanText(context: Context, system: string): string {
  if (!context.dataset) return `mean of ${count(context.page.datasets.length)} datasets`;
  const row = overallRow(context, system);
  return row?.runs && row.runs > 1 ? `mean of ${row.runs} runs` : "";
}
