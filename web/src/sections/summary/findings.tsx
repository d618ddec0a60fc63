// Things to know, by rule, and what limits them.
import type { Context } from "../../context";
import { count } from "../../format";
import type { PageFinding } from "../../page-data";
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
            {finding.link ? <a class="plain" href={withPageChoices(linkHref(finding.link))}>{finding.text}</a> : finding.text}
            <small>{finding.n !== null && ` n = ${count(finding.n)}`}{!context.dataset && finding.dataset && ` · ${finding.dataset}`}</small>
          </li>
        ))}
      </ol>
    </section>
  );
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
