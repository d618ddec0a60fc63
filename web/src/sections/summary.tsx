// Summary: how good, better than the others, failing where; then what to know, and the types.
import type { Context } from "../context";
import { Commands } from "../parts/commands";
import { Answers } from "./summary/answers";
import { DatasetHeat } from "./summary/datasets";
import { FailsCard } from "./summary/fails";
import { Caveats, Findings } from "./summary/findings";
import { GoodCard } from "./summary/good";
import { LadderCard } from "./summary/ladder";
import { Types, typesOf } from "./summary/types";
import "./summary.css";

const FEW_TYPES = 8; // their chart leaves room below it

export function Summary({ context }: { context: Context }) {
  const { page, systems, dataset } = context;
  const heat = dataset ? null : typesOf(context).known.length > FEW_TYPES ? "left" : "right"; // where there is room
  return (
    <>
      <div class={`cards ${systems.length > 1 ? "three" : "two"}`}>
        <GoodCard context={context} />
        {systems.length > 1 && <LadderCard context={context} />}
        <FailsCard context={context} />
      </div>
      <div class="columns below">
        <div>
          <Findings context={context} />
          <Caveats context={context} />
          {heat === "left" && <DatasetHeat context={context} />}
          {isSmall(context) && <NextStep commands={page.commands} />}
        </div>
        <div>
          <Types context={context} />
          {heat === "right" && <DatasetHeat context={context} />}
        </div>
      </div>
      <Answers context={context} />
    </>
  );
}

/** One system without training data: there is more to ask, and a command says how. */
function isSmall({ page }: Context): boolean {
  return page.systems.length === 1 && !page.train;
}

function NextStep({ commands }: { commands: string[] }) {
  if (!commands.length) return null;
  return (
    <section>
      <h3>Next</h3>
      <Commands commands={commands} />
    </section>
  );
}
