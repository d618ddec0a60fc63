// Where systems fail: one question for each panel, all panels in the same form.
import { scaleOf } from "../charts/scale";
import { stepsChart } from "../charts/steps";
import { type Context, datasetKey } from "../context";
import { Drawing, Figure } from "../figure";
import { about, percent } from "../format";
import { placeHref } from "../state";
import { Crossed } from "./where/crossed";
import { GroupsFigure, Panel } from "./where/panel";
import { questionsOf } from "./where/questions";
import "./where/where.css";

export function Where({ context }: { context: Context }) {
  const questions = questionsOf(context.page);
  return (
    <>
      <div class="panels">
        <Types context={context} />
        {questions.map((question) => <Panel key={question.name} context={context} question={question} />)}
      </div>
      {!context.page.train && <p class="note">With training data (nerscope evaluate … --train FILE), this section also shows mentions and words that training has not seen, ambiguous mentions, and rare words.</p>}
      <Crossed context={context} />
      <PartialCredit context={context} />
    </>
  );
}

function Types({ context }: { context: Context }) {
  const { page, rows, dataset, metric, systems } = context;
  const types = [...new Set((dataset ? [dataset] : page.datasets).flatMap((one) => one.types))];
  const row = (system: string, type: string, name = dataset?.name ?? null) => rows.get({ dataset: name, system, metric, type });
  const known = types.filter((type) => row(systems[0], type)?.n).sort((one, other) => row(systems[0], other)!.n - row(systems[0], one)!.n);
  if (known.length < 2) return null;
  const groups = known.map((type) => ({
    key: type,
    label: type,
    row: (system: string, name: string | null) => row(system, type, name),
    href: (system: string) => ({ href: placeHref("errors", { d: datasetKey(context), system, type }) }),
  }));
  const overall = (system: string, name: string | null) => rows.get({ dataset: name, system, metric })?.value ?? null;
  return (
    <section class="panel">
      <GroupsFigure context={context} title="Types?" groups={groups} overall={overall} metric={metric} />
    </section>
  );
}

/** Scores under each criterion, from the strictest to the most lenient one. */
function PartialCredit({ context }: { context: Context }) {
  const { page, rows, dataset, systems } = context;
  const name = dataset?.name ?? null;
  const value = (system: string, match: string) => rows.get({ dataset: name, system, metric: "f1", match });
  const matches = Object.keys(page.matches)
    .filter((match) => systems.some((system) => value(system, match)?.value != null))
    .sort((one, other) => (value(systems[0], one)?.value ?? 0) - (value(systems[0], other)?.value ?? 0));
  if (matches.length < 2) return null;
  const scores = systems.flatMap((system) => matches.map((match) => 100 * (value(system, match)?.value ?? NaN)));
  const scale = scaleOf(scores, 6);
  return (
    <section>
      <h3>Partial credit: how much of the loss is a matter of boundaries?</h3>
      <div class="multiples">
        {systems.map((system) => {
          const steps = matches.map((match) => {
            const row = value(system, match);
            return { name: match, value: row?.value == null ? null : 100 * row.value, text: percent(row?.value ?? null), tip: row ? about(page, row) : match };
          });
          const chart = { label: `F1 of ${system} under each criterion`, title: system, place: page.systems.indexOf(system), steps, scale, axis: "criterion, strictest first" };
          return (
            <Figure key={system} title={`F1 of ${system} under each criterion`}>
              <Drawing draw={stepsChart} chart={chart} />
            </Figure>
          );
        })}
      </div>
      <dl class="note criteria">
        {matches.map((match) => <div key={match}><dt>{match}</dt><dd>{page.matches[match]}</dd></div>)}
      </dl>
    </section>
  );
}
