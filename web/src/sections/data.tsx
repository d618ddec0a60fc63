// Data & method: what was evaluated, under which conditions, and how to do it again.
import type { Context } from "../context";
import { Citations, Reproduce, Signature } from "./data/method";
import { Notes } from "./data/notes";
import { Composition, Sizes } from "./data/sizes";
import { Views } from "./data/views";
import "./data.css";

export function DataMethod({ context }: { context: Context }) {
  return (
    <div class="data-method">
      <Sizes context={context} />
      <Composition context={context} />
      <Notes notes={context.page.notes} />
      <Signature context={context} />
      <Reproduce context={context} />
      <Citations context={context} />
      <Views context={context} />
    </div>
  );
}
