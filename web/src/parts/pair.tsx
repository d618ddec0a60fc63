// The choice of the two systems that are compared.
import { type Context, pairOf } from "../context";
import { choose } from "../state";
import { Select } from "./select";

export function PairChoice({ context }: { context: Context }) {
  const pair = pairOf(context);
  if (!pair) return null;
  const [a, b] = pair;
  const { systems } = context.page;
  return (
    <div class="choices">
      <Select label="A" value={a} options={systems} onChange={(value) => choose({ a: value, b: value === b ? a : b })} />
      <Select label="B" value={b} options={systems} onChange={(value) => choose({ b: value, a: value === a ? b : a })} />
      <button type="button" onClick={() => choose({ a: b, b: a })}>Swap</button>
    </div>
  );
}
