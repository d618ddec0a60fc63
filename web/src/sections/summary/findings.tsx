// Things to know, by rule, and what limits them.
import { useMemo } from "preact/hooks";
import type { Context } from "../../context";
import { count } from "../../format";
import { knowsErrors } from "../../kinds";
import { errorsLink } from "../../listing/count";
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
  const { page, dataset, systems } = context;
  const shown = [...systems].sort().join("\n");
  // Lists are walked through to be counted: once for a choice of systems, whatever their order.
  const findings = useMemo(() => findingsOf(context).map((finding) => linked(context, finding)), [page, dataset, shown]);
  if (!findings.length) return null;
  return (
    <section class="findings">
      <h3>{WORDS[findings.length]} to know</h3>
      <ol>
        {findings.map((finding) => (
          <li key={finding.text}>
            {finding.link ? (
              <a class="plain" href={withPageChoices(linkHref(finding.link))} data-count={finding.count}>{finding.text}</a>
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

/** A thing to know with the count of its list; without a link where no list can be shown. */
function linked(context: Context, finding: PageFinding): PageFinding & { count?: string } {
  const count = finding.link ? listedCount(context, finding.link) : undefined;
  return { ...finding, count, link: finding.link?.section === "errors" && count === undefined ? null : finding.link };
}

/** How many errors or places the list of a link has. */
export function listedCount(context: Context, { section, chosen }: PageLink): string | undefined {
  const dataset = context.page.datasets.find(({ name }) => name === chosen.d) ?? context.dataset;
  if (section !== "errors" || !knowsErrors({ ...context, dataset })) return undefined;
  return errorsLink({ ...context, dataset }, chosen).count;
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
