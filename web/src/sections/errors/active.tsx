// The choices that stand in no facet of the rail, each with a way to drop it.
import { type Context, datasetsOf } from "../../context";
import { facetNamed, levelNamed, levelPhrase } from "../../data";
import { SHAPES } from "../../listing/shapes";
import { choose } from "../../state";
import { type ListView, clearing } from "./view";

interface Active {
  name: string;
  value: string;
  text: string;
}

export function ActiveFilters({ view: { context } }: { view: Pick<ListView, "context"> }) {
  const active = activeIn(context);
  const { chosen } = context.place;
  const narrowed = Object.keys(clearing(context)).some((name) => name !== "at");
  if (!narrowed) return null;
  const drop = ({ name, value }: Active) => {
    const rest = chosen.getAll(name).filter((one) => one !== value);
    choose({ [name]: rest, at: null, ...(name === "change" && !rest.length ? { a: null, b: null } : {}) });
  };
  return (
    <span class="active" role="group" aria-label="Filters">
      {active.map((one) => (
        <button key={one.name + one.value} type="button" aria-label={`Remove the filter ${one.text}`} onClick={() => drop(one)}>
          <bdi>{one.text}</bdi> ×
        </button>
      ))}
      <button type="button" class="clear" onClick={() => choose(clearing(context))}>clear all</button>
    </span>
  );
}

const WORDS: Record<string, (value: string) => string> = {
  outcome: (value) => value,
  type: (value) => `type ${value}`,
  gold: (value) => `gold ${value}`,
  predicted: (value) => `predicted ${value}`,
  side: (value) => (value === "gold" ? "gold mentions" : "with a prediction"),
  surface: (value) => `“${value}”`,
  shape: (value) => SHAPES.find(({ name }) => name === value)?.title ?? value,
};

function activeIn(context: Context): Active[] {
  const { chosen } = context.place;
  const plain = Object.entries(WORDS).flatMap(([name, text]) => chosen.getAll(name).map((value) => ({ name, value, text: text(value) })));
  const levels = chosen.getAll("level").filter((value) => !value.startsWith("tmr=")).map((value) => ({ name: "level", value, text: levelText(context, value) }));
  const changes = chosen.getAll("change").map((value) => ({ name: "change", value, text: changeText(context, value) }));
  return [...plain, ...levels, ...changes];
}

function levelText(context: Context, value: string): string {
  const { page } = context;
  const [name, level] = [value.slice(0, value.indexOf("=")), value.slice(value.indexOf("=") + 1)];
  const facet = facetNamed(page, name);
  const known = levelNamed(facet, level);
  return facet && known ? `${facet.title}: ${levelPhrase(facet, known, datasetsOf(context))}` : value;
}

function changeText({ place }: Context, value: string): string {
  const [a, b] = [place.chosen.get("a") ?? "A", place.chosen.get("b") ?? "B"];
  if (value === "fixed") return `only ${b} right, ${a} wrong`;
  if (value === "broken") return `only ${a} right, ${b} wrong`;
  if (!value.startsWith("[")) return `${a} and ${b}: ${value}`;
  const [kindA, kindB] = JSON.parse(value) as [string, string];
  return `${a}: ${kindA}, ${b}: ${kindB}`;
}
