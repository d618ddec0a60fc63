// The title of a panel is its finding: the level that is furthest below the overall score, if that is certain.
import type { Page, Row } from "../../data";
import { shown } from "../../format";

export const FEWEST = 30; // levels of fewer units are hatched, and never a headline

export interface LevelScore {
  key: string;
  phrase: string;
  row: Row;
}

/** How much worse a level is than the overall score, in points: positive is worse for every metric. */
export function shortfall(page: Page, row: Row, overall: number): number {
  return 100 * (overall - row.value!) * (page.metrics[row.metric]?.better || 1);
}

/** Whether the interval of a level excludes the overall score. */
export function isApart(row: Row, overall: number): boolean {
  return row.low !== null && row.high !== null && (overall < row.low || overall > row.high);
}

/** The title of a panel; `isCertain` says whether a level is certainly not as good as all together. */
export function finding(page: Page, levels: LevelScore[], overall: number | null, isCertain: (worst: LevelScore) => boolean): string {
  const eligible = levels.filter(({ row }) => row.value !== null && row.n >= FEWEST);
  if (overall === null || !eligible.length) return "too few mentions to tell";
  const worst = eligible.reduce((low, one) => (shortfall(page, one.row, overall) > shortfall(page, low.row, overall) ? one : low));
  const below = shortfall(page, worst.row, overall);
  if (below <= 0 || !isCertain(worst)) return `no group of ${worst.row.system} is clearly worse than all together`;
  const metric = page.metrics[worst.row.metric];
  const value = metric?.better < 0 ? `${shown(worst.row.value, metric)} % wrong` : `${metric?.title ?? worst.row.metric} ${shown(worst.row.value, metric)}`;
  return `${worst.phrase}: ${value}, ${below.toFixed(1)} points worse than ${worst.row.system} overall`;
}
