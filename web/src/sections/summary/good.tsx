// Card: how good is the best system?
import { stripChart } from "../../charts/strip";
import { colourOf } from "../../colours";
import { type Context, bestFirst, overallRow, scoreMetrics, verdictOf } from "../../context";
import { Drawing } from "../../figure";
import { UNDEFINED, about, percent, shown } from "../../format";
import { errorsOf, forgivenOf, knowsErrors } from "../../kinds";
import { signedTip } from "../../signed";
import { FEW, dotsOf, intervalText, meanText, metricTitle, supportText } from "./scores";

export function GoodCard({ context }: { context: Context }) {
  const { page, metric, systems } = context;
  const best = systems[0];
  const row = overallRow(context, best);
  const few = row !== null && row.n < FEW;
  const title = metricTitle(context, metric);
  return (
    <section class="card good" aria-label="How good?">
      <h3>How good?</h3>
      <p class="answer">{bestWords(context)}</p>
      {row?.value == null ? (
        <p class="note">{title} is not defined here.</p>
      ) : few ? (
        <p class="too-few">{supportText(row)}: too few for a headline. {title} {shown(row.value, page.metrics[metric])}</p>
      ) : (
        <p class="headline">
          <strong data-tip={signedTip(about(page, row))} tabIndex={0}>{shown(row.value, page.metrics[metric])}</strong> {title}
        </p>
      )}
      {row?.low != null && row.high !== null && <p class="certain">{intervalText(context, row)}</p>}
      {row?.value != null && page.metrics[metric]?.fraction !== false && <Strip context={context} />}
      <p class="note">{[meanText(context, best), supportText(row)].filter(Boolean).join(" · ")}</p>
      <Beside context={context} />
    </section>
  );
}

/** "Best system: flair"; of a choice without the best one it is said. */
function bestWords({ page, rows, systems, dataset, metric }: Context) {
  const [best] = systems;
  const all = bestFirst(page, rows, dataset, metric)[0] === best;
  const next = systems[1] && verdictOf(page, dataset?.name ?? null, best, systems[1]);
  const title = next && next.verdict !== "better" ? `Highest ${metricTitle({ page }, metric)}: ` : "Best system: ";
  const place = page.systems.length === 1 ? "" : all ? title : `Best of the ${systems.length} systems shown: `;
  return <>{place}<strong>{best}</strong></>;
}

function Strip({ context }: { context: Context }) {
  const { page, metric, systems } = context;
  const row = overallRow(context, systems[0])!;
  const points = (value: number | null) => (value === null ? null : 100 * value);
  const dots = dotsOf(context, systems[0]).map((dot) => ({ ...dot, value: 100 * dot.value }));
  const chart = {
    label: `${about(page, row)}${dots.map((dot) => `\n${dot.name}: ${metricTitle(context, metric)} ${dot.value.toFixed(1)}`).join("")}`,
    value: 100 * row.value!,
    low: points(row.low),
    high: points(row.high),
    dots,
    colour: colourOf(page.systems.indexOf(systems[0])),
    hatched: row.n < FEW,
  };
  return <Drawing draw={stripChart} chart={chart} />;
}

/** The other scores, the spread over runs, and what it would be if boundaries did not count. */
function Beside({ context }: { context: Context }) {
  const { page, rows, dataset, metric, systems } = context;
  const best = systems[0];
  const others = scoreMetrics(page).filter((name) => name !== metric);
  const row = overallRow(context, best);
  const forgiven = forgivenOf(context, best);
  const range = dotsOf(context, best).map(({ value }) => value);
  return (
    <dl class="beside">
      {others.map((name) => [
        <dt key={name}>{metricTitle(context, name)}</dt>,
        <dd><Score context={context} metric={name} value={rows.get({ dataset: dataset?.name ?? null, system: best, metric: name })?.value ?? null} /></dd>,
      ])}
      {row?.std != null && [
        <dt key="runs">over {row.runs} runs{range.length > 1 && <small> {percent(Math.min(...range))} to {percent(Math.max(...range))}</small>}</dt>,
        <dd>± {percent(row.std)}</dd>,
      ]}
      {!dataset && range.length > 1 && [
        <dt key="sets">over {range.length} datasets</dt>,
        <dd><small>{percent(Math.min(...range))} to {percent(Math.max(...range))}</small></dd>,
      ]}
      {forgiven !== null && [
        <dt key="forgiven" data-tip="A prediction counts if it overlaps the gold mention and has its type." tabIndex={0}>F1 if boundaries are forgiven</dt>,
        <dd>{percent(forgiven)}</dd>,
      ]}
    </dl>
  );
}

/** Precision leads to wrong predictions, recall to gold mentions that were not found. */
function Score({ context, metric, value }: { context: Context; metric: string; value: number | null }) {
  if (value === null) return <>{UNDEFINED}</>;
  const text = shown(value, context.page.metrics[metric]);
  const side = metric === "precision" ? "predicted" : metric === "recall" ? "gold" : null;
  if (!side || !knowsErrors(context)) return <>{text}</>;
  const { href, count } = errorsOf(context, context.systems[0], { side });
  return <a class="plain" href={href} data-count={count} data-tip={`${count} errors lower it`}>{text}</a>;
}
