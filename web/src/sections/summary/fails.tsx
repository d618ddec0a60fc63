// Card: where do systems fail? Their errors by kind.
import { type StackChart, stackChart } from "../../charts/stack";
import type { Context } from "../../context";
import { Drawing, Figure } from "../../figure";
import { counted, percent, points } from "../../format";
import { errorCount, errorsByKind, gainOf, hasRuns, kindColour, kindsOf, knowsErrors } from "../../kinds";
import { FEW, metricTitle } from "./scores";

const LISTED = 3; // systems up to which the kinds of the best one are listed below

export function FailsCard({ context }: { context: Context }) {
  const { systems, metric } = context;
  const chart = stackOf(context);
  const per = systems.some((system) => hasRuns(context, system)) ? " per run" : "";
  const present = kindsOf(context).filter(({ name }) => chart.bars.some((bar) => bar.parts.some((part) => part.name === name && part.value > 0)));
  const legend = present.map(({ name, title }) => ({ name: title, colour: kindColour(name) }));
  const lowers = metric === "precision" || metric === "recall" ? `, those that lower ${metricTitle(context, metric)}` : "";
  return (
    <section class="card fails" aria-label="Fails where?">
      <h3>Fails where?</h3>
      <MainKind context={context} />
      {present.length > 0 && (
        <Figure title={`Errors by kind${per}${lowers}`} legend={legend}>
          <Drawing draw={stackChart} chart={chart} />
        </Figure>
      )}
      {present.length > 0 && systems.length <= LISTED && <KindList context={context} />}
    </section>
  );
}

function stackOf(context: Context): StackChart {
  const bars = context.systems.map((system) => {
    const kinds = errorsByKind(context, system);
    const total = kinds.reduce((sum, { n }) => sum + n, 0);
    const parts = kinds.map(({ kind, n, href, count }) => ({
      name: kind.name,
      colour: kindColour(kind.name),
      value: n,
      text: errorCount(n),
      tip: `${system}: ${errorCount(n)} ${kind.title}, ${percent(total ? n / total : null)} % of its errors\n${kind.about}`,
      href,
      count,
    }));
    return { name: system, parts, total: errorCount(total) };
  });
  return { label: "Errors of each system by kind", bars, axis: "errors" };
}

/** The most frequent kind of the best system, in words. */
function MainKind({ context }: { context: Context }) {
  const [best] = context.systems;
  const kinds = errorsByKind(context, best);
  const total = kinds.reduce((sum, { n }) => sum + n, 0);
  if (!knowsErrors(context)) return <p class="answer">These results keep scores, but no errors: evaluate with <code>--keep-mentions</code></p>;
  if (!total) return <p class="answer">{best} makes no such error</p>;
  if (total < FEW) return <p class="answer">{best} makes {counted(Math.round(total), "error")}: too few to rank kinds</p>;
  const main = kinds.reduce((one, other) => (other.n > one.n ? other : one));
  const gain = gainOf(context, best, main.kind.name);
  return (
    <>
      <p class="answer">
        Main failure of {best}:{" "}
        <a href={main.href} data-count={main.count}>{main.kind.name}</a>
      </p>
      <p class="note">
        {percent(main.n / total, 0)} % of {errorCount(total)} errors{hasRuns(context, best) ? " per run" : ""}
        {gain !== null && `; ${points(gain)} F1 if corrected`}
      </p>
    </>
  );
}

/** The kinds of the best system with what solving each would gain. */
function KindList({ context }: { context: Context }) {
  const [best] = context.systems;
  const kinds = errorsByKind(context, best).filter(({ n }) => n > 0);
  const total = kinds.reduce((sum, { n }) => sum + n, 0);
  const gains = kinds.map(({ kind }) => gainOf(context, best, kind.name));
  return (
    <table class="kinds">
      <caption class="spoken">Errors of {best} by kind</caption>
      <thead>
        <tr>
          <th scope="col">{best}</th>
          <th scope="col">errors</th>
          <th scope="col">share</th>
          {gains.some((gain) => gain !== null) && <th scope="col" data-tip="F1 after every error of this kind is replaced by its gold mention, minus F1" tabIndex={0}>F1 to gain</th>}
        </tr>
      </thead>
      <tbody>
        {[...kinds].sort((one, other) => other.n - one.n).map(({ kind, n, href, count }) => (
          <tr key={kind.name}>
            <th scope="row"><span class="swatch" style={{ background: kindColour(kind.name) }} /> <span data-tip={kind.about} tabIndex={0}>{kind.title}</span></th>
            <td data-label="errors"><a href={href} data-count={count}>{errorCount(n)}</a></td>
            <td data-label="share">{percent(n / total, 0)} %</td>
            {gains.some((gain) => gain !== null) && <td data-label="F1 to gain">{points(gainOf(context, best, kind.name))}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
