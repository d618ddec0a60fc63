// InterpretEval's views as tables, for papers.
import type { Context } from "../../context";
import { UNDEFINED, pText, points, shown } from "../../format";
import { type Cell, Behind } from "../../table";

type View = Record<string, unknown>[];

const TITLES: Record<string, string> = {
  "model-wise": "Model-wise: how scores depend on attributes",
  "attribute-wise": "Attribute-wise: what data are like, and what scores depend on",
  "self-diagnosis": "Self-diagnosis: best and worst bucket of each attribute",
  "comparative diagnosis": "Comparative diagnosis: buckets with the largest and smallest difference",
  "chosen buckets": "Chosen buckets",
  "relative change": "Relative change from system to system",
};
const SHARES = new Set(["best_value", "worst_value", "value", "a_value", "b_value"]);
const GAPS = new Set(["gap", "difference", "overall"]);

export function Views({ context }: { context: Context }) {
  const views = Object.entries(context.page.diagnosis ?? {}).map(([name, rows]) => ({ name, rows: shownRows(context, rows) }));
  const filled = views.filter(({ rows }) => rows.length);
  if (!filled.length) return null;
  return (
    <section>
      <h3>InterpretEval's views, for papers</h3>
      {filled.map(({ name, rows }) => {
        const keys = columnsOf(rows);
        const header = keys.map((key) => ({ text: key.replaceAll("_", " "), tip: context.page.glossary[key] }));
        return <Behind key={name} caption={TITLES[name] ?? name} header={header} rows={rows.map((row) => keys.map((key) => viewCell(key, row[key])))} />;
      })}
    </section>
  );
}

/** Rows of chosen datasets and systems. */
export function shownRows({ dataset, systems }: Pick<Context, "dataset" | "systems">, rows: View): View {
  const fits = (name: unknown, names: string[]) => typeof name !== "string" || names.includes(name);
  return rows.filter(
    (row) => (!dataset || fits(row.dataset, [dataset.name])) && ["system", "a", "b", "system_a", "system_b"].every((key) => fits(row[key], systems)),
  );
}

/** The columns in which some row has something to say. */
export function columnsOf(rows: View): string[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return names.filter((name) => rows.some((row) => row[name] !== null && row[name] !== undefined && !isEmptyList(row[name])));
}

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0;

export function viewCell(key: string, value: unknown): Cell {
  if (value === null || value === undefined) return { text: UNDEFINED, value: null };
  if (typeof value === "number") return { text: numberText(key, value), value };
  if (typeof value === "boolean") return { text: value ? "yes" : "no" };
  return { text: Array.isArray(value) ? value.join(", ") : String(value) };
}

function numberText(key: string, value: number): string {
  if (/(^|_)p($|_)/.test(key)) return pText(value).replace("p = ", "").replace("p ", "");
  if (SHARES.has(key)) return shown(value, undefined);
  if (GAPS.has(key)) return points(value);
  return Number.isInteger(value) ? String(value) : Math.abs(value) < 0.1 ? value.toPrecision(2) : value.toFixed(3);
}
