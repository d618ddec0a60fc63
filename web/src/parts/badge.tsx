// The one meaning of "better": a word, and in its tip both p-values and the interval that it rests on.
import type { Page } from "../data";
import { UNDEFINED, pText, points, shown } from "../format";
import type { PageVerdict } from "../page-data";
import { signedTip } from "../signed";

const CLASSES = { better: "good", worse: "bad", "no clear difference": "even", "not tested": "even" } as const;

export function Badge({ page, verdict, href }: { page: Page; verdict: PageVerdict | null; href?: string }) {
  if (!verdict) return <span class="badge even">not compared</span>;
  const tip = signedTip(verdictTip(page, verdict));
  const body = <span class={`badge ${CLASSES[verdict.verdict]}`} data-tip={tip} tabIndex={href ? undefined : 0}>{verdict.verdict}</span>;
  return href ? <a class="plain" href={href}>{body}</a> : body;
}

export function verdictTip(page: Page, verdict: PageVerdict): string {
  const metric = page.metrics[verdict.metric];
  const where = verdict.dataset ?? "over all datasets";
  return [
    `${verdict.a} − ${verdict.b}, ${where}`,
    `${metric?.title ?? verdict.metric} ${shown(verdict.aValue, metric, 2)} − ${shown(verdict.bValue, metric, 2)} = ${points(verdict.difference, 2)} points`,
    verdict.low === null || verdict.high === null ? "" : `95 % interval ${points(verdict.low, 2)} to ${points(verdict.high, 2)}, on which the verdict rests`,
    verdict.untested ?? `${pText(verdict.p)} alone; ${correctedText(verdict)}`,
  ].filter(Boolean).join("\n");
}

/** "p = 0.03 corrected for 21 pairs". */
export function correctedText({ pCorrected, k, untested }: PageVerdict): string {
  if (untested) return untested;
  return pCorrected === null ? UNDEFINED : `${pText(pCorrected)} corrected for ${k} ${k === 1 ? "pair" : "pairs"}`;
}
