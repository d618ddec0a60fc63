// Summary: how good, better than the others, failing where; then what to know, and the types.
import type { Context } from "../context";
import { Commands } from "../parts/commands";
import { Answers } from "./summary/answers";
import { DatasetHeat } from "./summary/datasets";
import { FailsCard } from "./summary/fails";
import { Caveats, Findings } from "./summary/findings";
import { GoodCard } from "./summary/good";
import { LadderCard } from "./summary/ladder";
import { Types } from "./summary/types";
import "./summary.css";

export function Summary({ context }: { context: Context }) {
  const { page, systems, dataset } = context;
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
          {!dataset && <DatasetHeat context={context} />}
          {isSmall(context) && <NextStep commands={page.commands} />}
        </div>
        <Types context={context} />
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
