// Things to know, by rule, and what limits them.
import type { Context } from "../../context";
import type { ErrorSum } from "../../data";
import { count } from "../../format";
import { countMark, errorsPerRun } from "../../kinds";
import type { PageFinding, PageLink } from "../../page-data";
import { linkHref, withPageChoices } from "../../state";

const MOST = 5;
const WORDS = ["No", "One thing", "Two things", "Three things", "Four things", "Five things"];

/** The first things to know of what is shown; one of another dataset or of a hidden system is not. */
export function findingsOf({ page, dataset, systems }: Pick<Context, "page" | "dataset" | "systems">): PageFinding[] {
  const fits = (finding: PageFinding) =>
    (dataset === null || finding.dataset === null || finding.dataset === dataset.name) && (finding.system === null || systems.includes(finding.system));
  return page.findings.filter(fits).slice(0, MOST);
}

export function Findings({ context }: { context: Context }) {
  const findings = findingsOf(context);
  if (!findings.length) return null;
  return (
    <section class="findings">
      <h3>{WORDS[findings.length]} to know</h3>
      <ol>
        {findings.map((finding) => (
          <li key={finding.text}>
            {finding.link ? (
              <a class="plain" href={withPageChoices(linkHref(finding.link))} data-count={listedErrors(context, finding.link)}>{finding.text}</a>
            ) : (
              finding.text
            )}
            {finding.n !== null && <small> n = {count(finding.n)}</small>}
          </li>
        ))}
      </ol>
    </section>
  );
}

const SUMMED = new Set(["d", "system", "kind", "pair", "type", "side"]); // what sums of errors know

/** How many errors the list of a link has, where their sums know it. */
export function listedErrors(context: Context, { section, chosen }: PageLink): string | undefined {
  const { d, system, kind, pair, type, side } = chosen;
  const isSummed = Object.entries(chosen).every(([name, value]) => SUMMED.has(name) && typeof value === "string");
  if (section !== "errors" || !isSummed || typeof system !== "string") return undefined;
  const dataset = context.page.datasets.find(({ name }) => name === d) ?? context.dataset;
  const outcomes = context.page.kinds.find(({ name }) => name === kind)?.outcomes;
  const sides = typeof pair === "string" ? (JSON.parse(pair) as [string | null, string | null]) : null;
  const fits = (sum: ErrorSum) =>
    (!outcomes || outcomes.includes(sum.outcome)) &&
    (!sides || (sum.gold === sides[0] && sum.predicted === sides[1])) &&
    (!type || sum.gold === type || sum.predicted === type) &&
    (!side || sum[side === "gold" ? "gold" : "predicted"] !== null);
  return countMark(errorsPerRun({ ...context, dataset }, system, fits));
}

export function Caveats({ context }: { context: Context }) {
  const { caveats } = context.page;
  if (!caveats.length) return null;
  return (
    <ul class="caveats" aria-label="Caveats">
      {caveats.map(({ text }) => <li key={text}>{text}</li>)}
    </ul>
  );
}
