// Compare.
import type { Context } from "../context";

export function Compare({ context }: { context: Context }) {
  return <p>{context.page.title}</p>;
}
