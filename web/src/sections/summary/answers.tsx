// Systems that answer in text: how much of their answers can be read, and fits the sentence.
import { type Context, datasetsOf } from "../../context";
import { UNDEFINED, count, percent } from "../../format";
import { meanOfAll } from "../../kinds";
import type { PageAnswers } from "../../page-data";
import { placeHref, withPageChoices } from "../../state";
import { type Cell, Table } from "../../table";

const TOP = 8; // hallucinated texts that are shown

interface AnswerRow {
  dataset: string;
  system: string;
  runs: PageAnswers[];
}

/** The answers of each shown system on each chosen dataset, its runs together. */
export function answerRows(context: Pick<Context, "page" | "dataset" | "systems">): AnswerRow[] {
  return datasetsOf(context as Context).flatMap((dataset) =>
    context.systems.flatMap((system) => {
      const runs = dataset.answers.filter((one) => one.system === system);
      return runs.length ? [{ dataset: dataset.name, system, runs }] : [];
    }),
  );
}

/** Per run, the mean over runs. */
const perRun = (runs: PageAnswers[], of: (one: PageAnswers) => number | null): number | null => meanOfAll(runs.map(of));

/** A count with its share of a whole. */
function shareCell(value: number | null, whole: number | null): Cell {
  if (value === null) return { text: UNDEFINED, value: null };
  return { text: count(Math.round(10 * value) / 10), small: whole ? `${percent(value / whole)} %` : "", value: whole ? value / whole : value };
}

const HEADER = [
  { text: "system" },
  { text: "answers" },
  { text: "readable", tip: "Answers from which mentions can be read." },
  { text: "cut off", tip: "Answers that end before they are complete." },
  { text: "hallucinated", tip: "Predicted mentions whose text is not in the sentence, and their share of all predicted mentions." },
  { text: "repeated", tip: "Mentions that an answer names more often than they occur in the text, and their share of all named mentions; they are not scored." },
  { text: "foreign types", tip: "Predicted mentions of types that gold does not have, and their share of all predicted mentions." },
  { text: "F1", tip: "Exact match, all predicted mentions." },
  { text: "F1 without hallucinated", tip: "Exact match, without predicted mentions that do not fit the text." },
];

export function Answers({ context }: { context: Context }) {
  const rows = answerRows(context);
  if (!rows.length) return null;
  const several = context.page.datasets.length > 1;
  const body = rows.map(({ dataset, system, runs }): Cell[] => {
    const answers = perRun(runs, (one) => one.answers);
    const predicted = perRun(runs, (one) => one.predicted);
    const named = perRun(runs, (one) => one.predicted + one.repeated + one.malformed);
    const readable = perRun(runs, (one) => (one.answers === null ? null : one.answers - one.unreadable));
    return [
      { text: system, small: several ? dataset : "" },
      { text: answers === null ? UNDEFINED : count(answers), value: answers },
      shareCell(readable, answers),
      shareCell(perRun(runs, (one) => one.cutOff), answers),
      shareCell(perRun(runs, (one) => one.hallucinated), predicted),
      shareCell(perRun(runs, (one) => one.repeated), named),
      shareCell(perRun(runs, (one) => one.foreignTypes), predicted),
      scoreCell(perRun(runs, (one) => one.f1)),
      scoreCell(perRun(runs, (one) => one.f1Without)),
    ];
  });
  return (
    <section class="answers-panel">
      <h3>Answers of language models</h3>
      <Table caption="What can be read from the answers" header={HEADER} rows={body} stacked />
      {rows.map((row) => <TopHallucinated key={`${row.dataset} ${row.system}`} row={row} several={several} />)}
    </section>
  );
}

const scoreCell = (value: number | null): Cell => ({ text: percent(value), value });

/** The most frequent texts that are nowhere in their sentences. */
function TopHallucinated({ row, several }: { row: AnswerRow; several: boolean }) {
  const found = row.runs[0].topHallucinated.slice(0, TOP);
  if (!found.length) return null;
  const href = (text: string) => withPageChoices(placeHref("errors", { d: row.dataset, system: row.system, kind: "hallucinated", surface: text }));
  const linked = row.runs.length === 1; // of several runs only the first is listed, the errors are of all
  return (
    <p class="note">
      Hallucinated most by {row.system}{several ? ` on ${row.dataset}` : ""}{linked ? "" : `, run ${row.runs[0].run}`}:{" "}
      {found.map(([text, n], k) => (
        <span key={String(text)} class="surface">
          {k > 0 && " · "}
          {String(text)} {linked ? <a href={href(String(text))} data-count={n}>{n}×</a> : `${n}×`}
        </span>
      ))}
    </p>
  );
}
