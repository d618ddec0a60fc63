// Card: is the best system better than the others? All systems, the best first.
import { type ChartRow, type RowPoint, rowsChart } from "../../charts/rows";
import type { VerdictWord } from "../../charts/verdicts";
import { type Context, overallRow } from "../../context";
import { Drawing, Figure } from "../../figure";
import { UNDEFINED, about, capital, pText, points, shown } from "../../format";
import type { PageVerdict } from "../../page-data";
import { verdictTip } from "../../parts/badge";
import { placeHref, withPageChoices } from "../../state";
import { FEW, dotsOf, metricTitle, supportText } from "./scores";
import { againstBest, leadText, tiesOf } from "./verdicts";

const FEW_SYSTEMS = 3; // up to these the test behind the verdict stands below

export function LadderCard({ context }: { context: Context }) {
  const { page, systems, metric, dataset } = context;
  const verdicts = new Map(againstBest(context).map(({ system, verdict }) => [system, verdict]));
  const { answer, detail } = leadText(context);
  const isTested = [...verdicts.values()].some((verdict) => verdict !== null);
  const title = metricTitle(context, metric);
  const chart = {
    label: `${title} of each system, the best first`,
    rows: systems.map((system) => ladderRow(context, system, verdicts.get(system) ?? null)),
    axis: `${title} (%)`,
    percent: true,
    ties: tiesOf(context).map(({ systems: tied, rows }) => ({ rows, tip: `No clear difference among ${tied.join(", ")}` })),
  };
  const behind = dataset ? (chart.rows.some(({ points }) => points[0]?.runs?.length) ? "faint: single runs" : "") : "faint: single datasets";
  const figure = `${capital(title)}${dataset ? " with 95 % intervals" : `, mean of ${page.datasets.length} datasets`}`;
  const notes = [behind, chart.ties.length ? "lines join systems without a clear difference" : "", isTested ? `better or worse: than ${systems[0]}` : ""];
  return (
    <section class="card ladder" aria-label="Better than the others?">
      <h3>Better than the others?</h3>
      <p class="answer">{answer}</p>
      {detail && <p class="note">{detail}</p>}
      <Figure title={figure} n={supportText(overallRow(context, systems[0]))} note={notes.filter(Boolean).join(" · ")}>
        <Drawing draw={rowsChart} chart={chart} />
      </Figure>
      {systems.length <= FEW_SYSTEMS && <Evidence context={context} verdict={verdicts.get(systems[1]) ?? null} />}
    </section>
  );
}

/** What the verdict on the best two rests on. */
function Evidence({ context, verdict }: { context: Context; verdict: PageVerdict | null }) {
  if (!verdict || verdict.difference === null) return null;
  const { page } = context;
  const interval = verdict.low === null || verdict.high === null ? "" : `${points(verdict.low)} to ${points(verdict.high)}`;
  return (
    <dl class="beside evidence">
      <dt>{verdict.a} − {verdict.b}, {metricTitle({ page }, verdict.metric)} points</dt>
      <dd>{points(verdict.difference)} <small>{interval}</small></dd>
      <dt>p alone</dt>
      <dd>{verdict.untested ? UNDEFINED : pText(verdict.p).replace("p = ", "")}</dd>
      {verdict.k > 1 && [<dt key="k">p corrected for {verdict.k} pairs</dt>, <dd>{verdict.untested ? UNDEFINED : pText(verdict.pCorrected).replace("p = ", "")}</dd>]}
      {verdict.detectable !== null && [
        <dt key="power" data-tip="The difference that this test set detects with 80 % power" tabIndex={0}>smallest detectable difference</dt>,
        <dd>{points(verdict.detectable).replace("+", "")} points</dd>,
      ]}
      {verdict.runsA + verdict.runsB > 2 && [<dt key="runs">runs</dt>, <dd>{verdict.runsA} and {verdict.runsB}</dd>]}
    </dl>
  );
}

function ladderRow(context: Context, system: string, verdict: PageVerdict | null): ChartRow {
  return { key: system, label: system, points: [ladderPoint(context, system)], verdict: verdict ? wordOf(context, system, verdict) : undefined };
}

function ladderPoint(context: Context, system: string): RowPoint {
  const { page, metric } = context;
  const row = overallRow(context, system);
  const inPoints = (value: number | null | undefined) => (value == null ? null : 100 * value);
  return {
    name: system,
    place: page.systems.indexOf(system),
    value: inPoints(row?.value),
    low: inPoints(row?.low),
    high: inPoints(row?.high),
    runs: dotsOf(context, system).map(({ value }) => 100 * value),
    hatched: row !== null && row.n < FEW,
    text: shown(row?.value ?? null, page.metrics[metric]),
    tip: row ? about(page, row) : `${system}: no score on every dataset`,
  };
}

const TURNED = { better: "worse", worse: "better", "no clear difference": "no clear difference", "not tested": "not tested" } as const;
const TONES = { better: "good", worse: "bad", "no clear difference": "even", "not tested": "even" } as const;

/** The word beside a system: what it is against the best one. */
function wordOf({ page, systems }: Context, system: string, verdict: PageVerdict): VerdictWord {
  const text = TURNED[verdict.verdict];
  const href = withPageChoices(placeHref("compare", { a: systems[0], b: system }));
  return { text, tone: TONES[text], tip: `${system}: ${text}\n${verdictTip(page, verdict)}`, href };
}
