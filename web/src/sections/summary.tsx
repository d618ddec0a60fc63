// Summary.
import type { Context } from "../context";

export function Summary({ context }: { context: Context }) {
  return <p>{context.page.title}</p>;
}
