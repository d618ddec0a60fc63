// How large the data are, and what they are made of.
import { type Context, datasetsOf } from "../../context";
import { facetNamed } from "../../data";
import { UNDEFINED, count, percent } from "../../format";
import type { PageDataset } from "../../page-data";
import { type Cell, Table } from "../../table";

const numberCell = (value: number | null): Cell => ({ text: value === null ? UNDEFINED : count(value), value });

/** A count with its share of a whole. */
function shareCell(value: number | null, whole: number): Cell {
  return { ...numberCell(value), small: value !== null && whole ? `${percent(value / whole)} %` : "" };
}

export function Sizes({ context }: { context: Context }) {
  const sets = datasetsOf(context);
  const header = [
    { text: "dataset" },
    { text: "file", words: true },
    { text: "documents", tip: context.page.glossary.document },
    { text: "sentences", tip: context.page.glossary.sentence },
    { text: "tokens", tip: context.page.glossary.token },
    { text: "gold mentions", tip: context.page.glossary.mention },
    { text: "types" },
    { text: "systems" },
    { text: "runs", tip: context.page.glossary.run },
    { text: "intervals over", tip: "What is left out in turn to estimate the 95 % intervals." },
  ];
  const body = sets.map((set): Cell[] => [
    { text: set.name },
    { text: set.file },
    numberCell(set.documents),
    numberCell(set.sentences.total),
    numberCell(set.tokens),
    numberCell(set.mentions),
    numberCell(set.types.length),
    numberCell(new Set(set.runs.map(([system]) => system)).size),
    numberCell(set.runs.length),
    { text: `${set.resample}s` },
  ]);
  return <Table caption="Sizes" header={header} rows={body} />;
}

/** Gold mentions of a dataset, of a type or a level of the training facet. */
export function supportOf({ page, rows }: Pick<Context, "page" | "rows">, dataset: PageDataset, where: { type?: string | null; level?: string }): number | null {
  const facet = where.level === undefined ? {} : { facet: SEEN, level: where.level };
  const found = page.systems.flatMap((system) => rows.get({ dataset: dataset.name, system, metric: "recall", type: where.type ?? null, ...facet }) ?? []);
  return found.length ? found[0].n : null;
}

const SEEN = "tmr"; // the facet that says what training has seen of a mention
const PARTITION = ["seen", "unseen-tokens", "unseen-type"]; // its levels that share no mention

function seenLevels({ page }: Pick<Context, "page">) {
  const levels = page.train ? (facetNamed(page, SEEN)?.levels ?? []) : [];
  return levels.filter(({ name }) => PARTITION.includes(name));
}

/** Types with counts and shares, and what training has seen of them: one dataset in full, several side by side. */
export function Composition({ context }: { context: Context }) {
  const sets = datasetsOf(context);
  return sets.length === 1 ? <OneComposition context={context} set={sets[0]} /> : <Compositions context={context} sets={sets} />;
}

function OneComposition({ context, set }: { context: Context; set: PageDataset }) {
  const levels = seenLevels(context);
  const line = (text: string, type: string | null): Cell[] => {
    const n = type === null ? set.mentions : (supportOf(context, set, { type }) ?? 0);
    return [{ text }, shareCell(n, set.mentions), ...levels.map((level) => shareCell(supportOf(context, set, { type, level: level.name }), n))];
  };
  const types = set.types.map((type) => line(type, type)).filter(([, cell]) => cell.value);
  if (!types.length) return null;
  const body = [...types.sort((one, other) => other[1].value! - one[1].value!), line("all types", null)];
  const header = [{ text: "type" }, { text: "gold mentions" }, ...levels.map(({ name, phrase, about }) => ({ text: phrase, tip: `${name}: ${about}` }))];
  const note = levels.length ? "Shares: of all gold mentions; under what training has seen, of the mentions of the type." : "Shares: of all gold mentions.";
  return <Table caption={`Composition of ${set.name}`} header={header} rows={body} note={note} />;
}

function Compositions({ context, sets }: { context: Context; sets: PageDataset[] }) {
  const line = (text: string, where: { type?: string; level?: string }, tip?: string): Cell[] => [
    { text, tip },
    ...sets.map((set) => shareCell(supportOf(context, set, where), set.mentions)),
  ];
  const types = [...new Set(sets.flatMap((set) => set.types))];
  const levels = seenLevels(context);
  const body = [...types.map((type) => line(type, { type })), ...levels.map((level) => line(level.phrase, { level: level.name }, `${level.name}: ${level.about}`))];
  const filled = body.filter(([, ...cells]) => cells.some(({ value }) => value));
  const header = [{ text: "gold mentions" }, ...sets.map(({ name }) => ({ text: name }))];
  return <Table caption="Composition of all datasets" header={header} rows={filled} note="Shares: of all gold mentions of a dataset." />;
}
