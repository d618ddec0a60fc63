// The answer: is A better than B, by how much, and how certain is that.
import type { Context } from "../../context";
import { verdictOf } from "../../context";
import type { Page } from "../../data";
import { UNDEFINED, counted, pText, points, shown } from "../../format";
import type { PageVerdict } from "../../page-data";
import { Badge } from "../../parts/badge";

export function Answer({ context, a, b }: { context: Context; a: string; b: string }) {
  const { page, dataset } = context;
  const verdict = verdictOf(page, dataset?.name ?? null, a, b);
  if (!verdict) return <p class="note">{a} and {b} were not compared{dataset ? ` on ${dataset.name}` : " over all datasets"}. Choose a dataset or another pair.</p>;
  return (
    <section class="verdict">
      <p class="verdict-line">
        <Verdict page={page} verdict={verdict} a={a} b={b} />
      </p>
      <p class="note">{verdict.sentence}</p>
      <dl class="facts-grid">
        {facts(context, verdict).map(([name, value, about]) => (
          <div key={name}>
            <dt data-tip={about}>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Verdict({ page, verdict, a, b }: { page: Page; verdict: PageVerdict; a: string; b: string }) {
  const badge = <Badge page={page} verdict={verdict} />;
  if (verdict.verdict === "better" || verdict.verdict === "worse") return <><strong>{a}</strong> is {badge} than <strong>{b}</strong></>;
  return <>{badge} between <strong>{a}</strong> and <strong>{b}</strong></>;
}

function facts({ page }: Context, verdict: PageVerdict): [string, string, string][] {
  const metric = page.metrics[verdict.metric];
  const title = metric?.title ?? verdict.metric;
  const runs = verdict.runsA === verdict.runsB ? counted(verdict.runsA, "run") + " each" : `${verdict.runsA} against ${verdict.runsB}`;
  return [
    [title, `${shown(verdict.aValue, metric)} against ${shown(verdict.bValue, metric)}`, metric?.about ?? ""],
    ["difference", `${points(verdict.difference)} points`, `${verdict.a} − ${verdict.b}`],
    ["95 % interval", verdict.low === null || verdict.high === null ? UNDEFINED : `${points(verdict.low)} to ${points(verdict.high)}`, "The verdict rests on this interval: it excludes 0 exactly where the corrected p is below 0.05."],
    ["p alone", verdict.untested ?? pText(verdict.p), "For a reader who asks about this pair only."],
    [`p corrected (${verdict.k} ${verdict.k === 1 ? "pair" : "pairs"})`, verdict.untested ?? pText(verdict.pCorrected), "Corrected for all pairs that were compared."],
    ["detectable", verdict.detectable === null ? UNDEFINED : `${points(verdict.detectable).replace("+", "")} points`, "The true difference that this test set detects with 80 % power."],
    ["training runs", runs, verdict.about === "outputs" ? "One run each: the answer is about these outputs, not about the methods." : "The interval allows for other training runs."],
  ];
}
